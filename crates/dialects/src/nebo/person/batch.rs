//! Several JSON texts in one frame: browsers send what gathered, a line each.

use serde_json::value::RawValue;

/// Texts taken out of one frame; a browser that was away for long sends a few dozen.
const TEXTS_MAX: usize = 256;

/// The texts of a frame, in order, and whether there were too many. Where one is broken, its line
/// is given as it is, and the next line counts again.
pub(super) fn texts(frame: &str) -> (Vec<&str>, bool) {
    let mut found = Vec::new();
    let mut rest = frame.trim();
    while !rest.is_empty() {
        if found.len() == TEXTS_MAX {
            return (found, true);
        }
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
        let (text, end) = if let Some(Ok(value)) = values.next() {
            (value.get(), values.byte_offset())
        } else {
            let end = rest.find('\n').unwrap_or(rest.len());
            (rest.get(..end).unwrap_or_default(), end)
        };
        found.push(text);
        rest = rest.get(end..).unwrap_or_default().trim();
    }
    (found, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_apart_and_a_broken_one_spoils_only_itself() {
        assert_eq!(
            texts("{\"a\":1}\n{\"b\":\n 2}\n{broken\n\n[3]\n"),
            (vec!["{\"a\":1}", "{\"b\":\n 2}", "{broken", "[3]"], false)
        );
        assert_eq!(texts(" \n "), (vec![], false));
    }

    #[test]
    fn a_flood_is_cut() {
        let flood = "{}\n".repeat(TEXTS_MAX + 1);
        let (found, more) = texts(&flood);
        assert_eq!((found.len(), more), (TEXTS_MAX, true));
    }
}
