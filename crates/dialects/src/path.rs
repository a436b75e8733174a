//! Where in a JSON text a byte stands, as a JSON pointer.
//!
//! Used only once reading has failed: good input pays nothing for it. It walks without recursion
//! and never reads past the byte it was asked about.

use std::fmt::Write as _;

/// Longest key that is repeated back; longer ones are cut.
const KEY_CHARS_MAX: usize = 128;
/// Longest path that is given; deeper places are cut to their outer part.
const STEPS_MAX: usize = 64;

#[derive(Debug)]
enum Step {
    Key(Option<String>),
    Index(usize),
}

/// The place of the byte at `offset` of `text`.
///
/// A closing bracket just before `offset` still counts as inside: parsers report a missing key
/// after they have read the end of its object.
pub(crate) fn pointer_at(text: &str, offset: usize) -> String {
    let bytes = text.as_bytes();
    let end = offset.min(bytes.len());
    let mut steps: Vec<Step> = Vec::new();
    let mut key_next = false;
    let mut at = 0;
    while let Some(byte) = bytes.get(..end).and_then(|seen| seen.get(at)) {
        match byte {
            b'"' => {
                let Some(after) = string_end(bytes, at) else {
                    break;
                };
                if key_next && let Some(Step::Key(key)) = steps.last_mut() {
                    *key = text
                        .get(at..after)
                        .and_then(|quoted| serde_json::from_str(quoted).ok());
                    key_next = false;
                }
                at = after;
                continue;
            }
            b'{' => {
                steps.push(Step::Key(None));
                key_next = true;
            }
            b'[' => steps.push(Step::Index(0)),
            b'}' | b']' if at + 1 < end => {
                steps.pop();
                key_next = false;
            }
            b',' => match steps.last_mut() {
                Some(Step::Key(_)) => key_next = true,
                Some(Step::Index(index)) => *index += 1,
                None => {}
            },
            _ => {}
        }
        at += 1;
    }
    written(&steps)
}

fn written(steps: &[Step]) -> String {
    let mut pointer = String::new();
    for step in steps.iter().take(STEPS_MAX) {
        match step {
            Step::Key(None) => {}
            Step::Key(Some(key)) => push_key(&mut pointer, key),
            Step::Index(index) => {
                // Writing to a string cannot fail.
                let _ = write!(pointer, "/{index}");
            }
        }
    }
    pointer
}

/// Appends one key to a pointer.
pub(crate) fn push_key(pointer: &mut String, key: &str) {
    pointer.push('/');
    for c in key.chars().take(KEY_CHARS_MAX) {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

/// Just after the closing quote of the string that opens at `start`.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_its_pointer() {
        let text = r#"{"a":[1,{"b/c~d":"x}]"}],"e\"f":{}, "g":[]}"#;
        let place = |needle: &str| pointer_at(text, text.find(needle).expect("it is there") + 1);
        assert_eq!(place("1"), "/a/0");
        assert_eq!(place("x}"), "/a/1/b~1c~0d");
        assert_eq!(place("{}"), "/e\"f");
        assert_eq!(place("[]"), "/g/0");
        assert_eq!(pointer_at(text, 0), "");
        assert_eq!(pointer_at(text, text.len() + 9), "/g");
    }

    #[test]
    fn the_end_of_an_object_is_still_inside_it() {
        assert_eq!(pointer_at(r#"{"a":[{"b":1}]}"#, 13), "/a/0/b");
        assert_eq!(pointer_at("{}", 2), "");
    }
}
