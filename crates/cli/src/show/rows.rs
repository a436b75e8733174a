//! Lists: short ids, headlines and columns.

use sayso_core::escape::escape_line;
use sayso_dialects::native::wire::{ActKind, Ask};
use unicode_width::UnicodeWidthStr;

/// The shortest part of an id that is shown: the time in it, which people recognise.
const ID_LEN_MIN: usize = 13;
/// The widest headline in a list.
const HEADLINE_WIDTH_MAX: usize = 60;

/// For each id the shortest beginning that no other one shares.
pub(crate) fn short_ids(ids: &[&str]) -> Vec<String> {
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let shared = |one: &str, other: &str| {
        one.bytes()
            .zip(other.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    };
    ids.iter()
        .map(|id| {
            let at = sorted.binary_search(id).unwrap_or_default();
            let before = at.checked_sub(1).and_then(|before| sorted.get(before));
            let neighbours = before.into_iter().chain(sorted.get(at + 1));
            let len = neighbours
                .map(|other| shared(id, other) + 1)
                .fold(ID_LEN_MIN, usize::max);
            id.get(..len).unwrap_or(id).to_owned()
        })
        .collect()
}

/// What an ask is about, on one line, cut to a width.
pub(crate) fn headline(ask: &Ask) -> String {
    let text = if let Some(action) = &ask.action {
        // What it wants to do, not what it calls it.
        match (action.act.kind, &action.act.command) {
            (ActKind::Shell, Some(command)) => format!("{}: {command}", action.tool),
            (ActKind::Shell | ActKind::Edit | ActKind::Write | ActKind::Other, _) => {
                format!("{}: {}", action.tool, action.input)
            }
        }
    } else if let Some(title) = &ask.title {
        title.clone()
    } else if let Some(form) = &ask.form {
        form.message.clone()
    } else {
        ask.questions
            .iter()
            .flatten()
            .map(|question| question.text.as_str())
            .collect::<Vec<_>>()
            .join(" / ")
    };
    cut(&escape_line(&text), HEADLINE_WIDTH_MAX)
}

/// A text of at most this width; what was cut off is shown by three dots.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    for char in text.chars() {
        kept.push(char);
        if kept.width() > width.saturating_sub(3) {
            kept.pop();
            break;
        }
    }
    kept + "..."
}

/// Columns that line up; the last one is as wide as it likes.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Self {
        Self {
            rows: vec![head.iter().map(|cell| (*cell).to_owned()).collect()],
        }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                self.rows
                    .iter()
                    .filter_map(|row| row.get(column))
                    .map(|cell| cell.width())
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        self.rows
            .iter()
            .map(|row| {
                let line = row
                    .iter()
                    .zip(&widths)
                    .fold(String::new(), |line, (cell, width)| {
                        let space = " ".repeat(width.saturating_sub(cell.width()) + 2);
                        line + cell + &space
                    });
                line.trim_end().to_owned()
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_as_short_as_they_can_be() {
        let one = "01938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3c";
        let two = "01938d1e-7c1a-7e56-9a4e-3a0f6c1d2b3c";
        let far = "02938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3c";
        assert_eq!(short_ids(&[one]), ["01938d1e-7c1a"]);
        assert_eq!(
            short_ids(&[far, two, one]),
            ["02938d1e-7c1a", "01938d1e-7c1a-7e56", "01938d1e-7c1a-7e55"]
        );
        assert_eq!(short_ids(&[]), [""; 0]);
        assert_eq!(short_ids(&["short"]), ["short"]);
    }

    #[test]
    fn columns_line_up_by_width_and_long_texts_are_cut() {
        let mut table = Table::new(&["ID", "WHAT"]);
        table.row(vec!["日本".into(), "x".into()]);
        table.row(vec!["a".into(), "y".into()]);
        assert_eq!(table.lines(), ["ID    WHAT", "日本  x", "a     y"]);
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdefg", 6), "abc...");
        assert_eq!(cut("日本日本", 6), "日...");
    }
}
