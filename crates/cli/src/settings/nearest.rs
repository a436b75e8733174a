//! Which known name somebody probably meant.

/// The known name most like this one, unless none is much like it. Names may have parts with dots
/// between them; the right name in the wrong section counts as near.
pub(super) fn nearest<'a>(wanted: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let bound = (last(wanted).len() / 3).max(1);
    let near = known.filter_map(|name| {
        let whole = edit_distance(wanted, name, bound);
        let moved = edit_distance(last(wanted), last(name), bound).map(|steps| steps + 1);
        let steps = whole.into_iter().chain(moved).min()?;
        (steps <= bound).then_some((steps, name))
    });
    near.min().map(|(_, name)| name)
}

fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// How many letters must be added, left out, replaced or swapped with the next one to make one name
/// of the other; nothing if their lengths alone need more than `bound`.
fn edit_distance(one: &str, other: &str, bound: usize) -> Option<usize> {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().abs_diff(other.len()) > bound {
        return None;
    }
    let mut row_before_last: Vec<usize> = Vec::new();
    let mut last_row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let mut cost = (last_row[j] + usize::from(a != b))
                .min(last_row[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b {
                cost = cost.min(row_before_last[j - 1] + 1);
            }
            row.push(cost);
        }
        row_before_last = std::mem::replace(&mut last_row, row);
    }
    last_row.last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_what_was_meant_and_nonsense_finds_nothing() {
        let known = [
            "listen",
            "log",
            "person",
            "limits",
            "limits.connections",
            "tokens.idle",
        ];
        for (wanted, found) in [
            ("lissten", Some("listen")),
            ("lisetn", Some("listen")),
            ("limit", Some("limits")),
            ("limits.conections", Some("limits.connections")),
            ("connections", Some("limits.connections")),
            ("limits.person", Some("person")),
            ("tls.idle", Some("tokens.idle")),
            ("logs", Some("log")),
            ("nonsense", None),
            ("foo", None),
            ("", None),
        ] {
            assert_eq!(nearest(wanted, known.into_iter()), found, "{wanted}");
        }
        let long = "listen".repeat(40_000);
        assert_eq!(nearest(&long, known.into_iter()), None);
    }
}
