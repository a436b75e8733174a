//! Comparing numbers by their exact text: bounds must hold where a double would round.

use std::cmp::Ordering;

use crate::text::Number;

/// A number taken apart: 0.d1d2d3.. times ten to the `scale`; no digits for zero.
struct Parts {
    negative: bool,
    digits: Vec<u8>,
    scale: i64,
}

fn parts(number: &Number) -> Parts {
    let text = number.as_str();
    let (negative, text) = text
        .strip_prefix('-')
        .map_or((false, text), |rest| (true, rest));
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    // An exponent that does not fit decides the comparison by its sign alone.
    let exponent = exponent.parse().unwrap_or(if exponent.starts_with('-') {
        i64::MIN / 4
    } else {
        i64::MAX / 4
    });
    let all: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
    let leading = all.iter().take_while(|digit| **digit == b'0').count();
    let trailing = all.iter().rev().take_while(|digit| **digit == b'0').count();
    let digits = all
        .get(leading..all.len() - trailing)
        .unwrap_or_default()
        .to_vec();
    let small = |count: usize| i64::try_from(count).unwrap_or(i64::MAX / 4);
    let scale = i64::saturating_add(exponent, small(whole.len()) - small(leading));
    Parts {
        negative: negative && !digits.is_empty(),
        digits,
        scale,
    }
}

/// Which of the two is larger, exactly.
pub(super) fn compare(left: &Number, right: &Number) -> Ordering {
    let (left, right) = (parts(left), parts(right));
    let size = |parts: &Parts| {
        if parts.digits.is_empty() {
            (false, 0)
        } else {
            (true, parts.scale)
        }
    };
    let by_size = size(&left)
        .cmp(&size(&right))
        .then_with(|| left.digits.cmp(&right.digits));
    match (left.negative, right.negative) {
        (false, false) => by_size,
        (true, true) => by_size.reverse(),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(text: &str) -> Number {
        Number::new(text).expect("a JSON number")
    }

    #[test]
    fn numbers_are_compared_exactly() {
        let rising = [
            "-1e99999999999999999999",
            "-10",
            "-9.99",
            "-1e-5",
            "0",
            "1e-99999999999999999999",
            "0.10",
            "0.11",
            "1",
            "9007199254740992",
            "9007199254740993",
            "1e20",
            "1e400",
        ];
        for (low, left) in rising.iter().enumerate() {
            for (high, right) in rising.iter().enumerate() {
                assert_eq!(
                    compare(&number(left), &number(right)),
                    low.cmp(&high),
                    "{left} and {right}"
                );
            }
        }
    }

    #[test]
    fn one_value_has_many_spellings() {
        for (left, right) in [
            ("0", "-0.000e5"),
            ("100", "1e2"),
            ("1.50", "15e-1"),
            ("-0.010", "-1E-2"),
        ] {
            assert_eq!(
                compare(&number(left), &number(right)),
                Ordering::Equal,
                "{left} and {right}"
            );
        }
    }

    proptest! {
        #[test]
        fn integers_agree_with_machine_integers(left: i64, right: i64) {
            prop_assert_eq!(compare(&number(&left.to_string()), &number(&right.to_string())), left.cmp(&right));
        }

        #[test]
        fn decimals_agree_with_scaled_integers(left in -99_999_i64..99_999, right in -99_999_i64..99_999, shift in 0_u32..4) {
            let text = |value: i64| number(&format!("{value}e-{shift}"));
            prop_assert_eq!(compare(&text(left), &text(right)), left.cmp(&right));
        }
    }
}
