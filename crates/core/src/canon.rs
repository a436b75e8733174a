//! Canonical JSON (RFC 8785) for digests: the same content always gives the same bytes.
//!
//! A writer only, made to put a document straight into a byte buffer without a tree in between.
//! Keys may be given in any order; a map sorts them by UTF-16 code units when it closes, and moves
//! nothing when they came sorted. It never reads JSON, and it has no floating point: a digest
//! writes the numbers of an ask as strings of their exact text, so that no rounding can make two
//! different numbers equal. Integers are for our own small ones, such as a format version.
//!
//! A key given twice in one map is written twice, the two ordered by their values. That is no
//! longer JSON that every reader takes, but it loses nothing: a digest must cover all that was
//! shown, and keeping one of the two would let the other be changed unseen.

use std::cmp::Ordering;
use std::ops::Range;

/// Appends one map to `out`.
///
/// ```
/// let mut out = Vec::new();
/// sayso_core::canon::map(&mut out, |m| {
///     m.integer("v", 1);
///     m.text("agent", "shop-api");
///     m.list("choices", |l| l.text("yes"));
/// });
/// assert_eq!(out, br#"{"agent":"shop-api","choices":["yes"],"v":1}"#);
/// ```
pub fn map<'k>(out: &mut Vec<u8>, write: impl FnOnce(&mut Map<'_, 'k>)) {
    let (mut marks, mut spare) = (Vec::with_capacity(MARKS), Vec::new());
    write_map(out, &mut marks, &mut spare, write);
}

/// Appends one list to `out`.
pub fn list<'k>(out: &mut Vec<u8>, write: impl FnOnce(&mut List<'_, 'k>)) {
    let (mut marks, mut spare) = (Vec::with_capacity(MARKS), Vec::new());
    write_list(out, &mut marks, &mut spare, write);
}

/// Entries of all maps that are open at once, of an ordinary document.
const MARKS: usize = 24;

/// Where one entry of an open map lies in the buffer, without the comma before it.
#[derive(Debug)]
struct Mark<'k> {
    key: &'k str,
    at: Range<usize>,
}

/// An open map. Each call writes one entry; an absent value is simply not written.
#[derive(Debug)]
pub struct Map<'w, 'k> {
    out: &'w mut Vec<u8>,
    /// The entries of every open map, innermost last; this one's begin at `base`.
    marks: &'w mut Vec<Mark<'k>>,
    spare: &'w mut Vec<u8>,
    base: usize,
    sorted: bool,
}

impl<'k> Map<'_, 'k> {
    /// `"key":"value"`
    pub fn text(&mut self, key: &'k str, value: &str) {
        self.entry(key, |out, _, _| push_text(out, value));
    }

    /// `"key":"value"`, or nothing at all when there is no value.
    pub fn text_if(&mut self, key: &'k str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(key, value);
        }
    }

    /// `"key":true`
    pub fn flag(&mut self, key: &'k str, value: bool) {
        self.entry(key, |out, _, _| push_flag(out, value));
    }

    /// `"key":1`
    pub fn integer(&mut self, key: &'k str, value: i32) {
        self.entry(key, |out, _, _| push_integer(out, value));
    }

    /// `"key":null`
    pub fn null(&mut self, key: &'k str) {
        self.entry(key, |out, _, _| out.extend_from_slice(b"null"));
    }

    /// `"key":{..}`
    pub fn map(&mut self, key: &'k str, write: impl FnOnce(&mut Map<'_, 'k>)) {
        self.entry(key, |out, marks, spare| write_map(out, marks, spare, write));
    }

    /// `"key":[..]`
    pub fn list(&mut self, key: &'k str, write: impl FnOnce(&mut List<'_, 'k>)) {
        self.entry(key, |out, marks, spare| {
            write_list(out, marks, spare, write);
        });
    }

    /// `"key":` and a value that was written here before.
    pub(crate) fn written(&mut self, key: &'k str, value: &[u8]) {
        self.entry(key, |out, _, _| out.extend_from_slice(value));
    }

    fn entry(
        &mut self,
        key: &'k str,
        value: impl FnOnce(&mut Vec<u8>, &mut Vec<Mark<'k>>, &mut Vec<u8>),
    ) {
        if self.marks.len() > self.base {
            self.out.push(b',');
            if let Some(last) = self.marks.last() {
                // Equal keys are left to the sort too, which orders them by value.
                self.sorted &= by_utf16(last.key, key) == Ordering::Less;
            }
        }
        let start = self.out.len();
        push_text(self.out, key);
        self.out.push(b':');
        value(self.out, self.marks, self.spare);
        let at = start..self.out.len();
        self.marks.push(Mark { key, at });
    }

    fn close(self, start: usize) {
        if !self.sorted {
            let out: &[u8] = self.out;
            let bytes = |mark: &Mark<'_>| out.get(mark.at.clone()).unwrap_or_default();
            let entries = self.marks.get_mut(self.base..).unwrap_or_default();
            entries.sort_unstable_by(|a, b| {
                by_utf16(a.key, b.key).then_with(|| bytes(a).cmp(bytes(b)))
            });
            self.spare.clear();
            for (n, mark) in entries.iter().enumerate() {
                if n > 0 {
                    self.spare.push(b',');
                }
                self.spare.extend_from_slice(bytes(mark));
            }
            self.out.truncate(start);
            self.out.append(self.spare);
        }
        self.marks.truncate(self.base);
        self.out.push(b'}');
    }
}

/// An open list. Each call writes one item, in the order of the calls.
#[derive(Debug)]
pub struct List<'w, 'k> {
    out: &'w mut Vec<u8>,
    marks: &'w mut Vec<Mark<'k>>,
    spare: &'w mut Vec<u8>,
    empty: bool,
}

impl<'k> List<'_, 'k> {
    /// `"value"`
    pub fn text(&mut self, value: &str) {
        push_text(self.item(), value);
    }

    /// `true`
    pub fn flag(&mut self, value: bool) {
        push_flag(self.item(), value);
    }

    /// `1`
    pub fn integer(&mut self, value: i32) {
        push_integer(self.item(), value);
    }

    /// `null`
    pub fn null(&mut self) {
        self.item().extend_from_slice(b"null");
    }

    /// `{..}`
    pub fn map(&mut self, write: impl FnOnce(&mut Map<'_, 'k>)) {
        self.item();
        write_map(self.out, self.marks, self.spare, write);
    }

    /// `[..]`
    pub fn list(&mut self, write: impl FnOnce(&mut List<'_, 'k>)) {
        self.item();
        write_list(self.out, self.marks, self.spare, write);
    }

    fn item(&mut self) -> &mut Vec<u8> {
        if !self.empty {
            self.out.push(b',');
        }
        self.empty = false;
        self.out
    }
}

fn write_map<'k>(
    out: &mut Vec<u8>,
    marks: &mut Vec<Mark<'k>>,
    spare: &mut Vec<u8>,
    write: impl FnOnce(&mut Map<'_, 'k>),
) {
    out.push(b'{');
    let (start, base) = (out.len(), marks.len());
    let mut map = Map {
        out,
        marks,
        spare,
        base,
        sorted: true,
    };
    write(&mut map);
    map.close(start);
}

fn write_list<'k>(
    out: &mut Vec<u8>,
    marks: &mut Vec<Mark<'k>>,
    spare: &mut Vec<u8>,
    write: impl FnOnce(&mut List<'_, 'k>),
) {
    out.push(b'[');
    let mut list = List {
        out,
        marks,
        spare,
        empty: true,
    };
    write(&mut list);
    list.out.push(b']');
}

/// The order of RFC 8785, which differs from byte order above U+FFFF.
fn by_utf16(a: &str, b: &str) -> Ordering {
    if a.is_ascii() && b.is_ascii() {
        a.cmp(b)
    } else {
        a.encode_utf16().cmp(b.encode_utf16())
    }
}

fn push_flag(out: &mut Vec<u8>, value: bool) {
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

fn push_integer(out: &mut Vec<u8>, value: i32) {
    out.extend_from_slice(value.to_string().as_bytes());
}

/// Writes a string as RFC 8785 has it: only the controls below U+0020, the quote and the backslash
/// are escaped, and all else stays the UTF-8 it is.
fn push_text(out: &mut Vec<u8>, text: &str) {
    let digit = |value: u8| value + if value < 10 { b'0' } else { b'a' - 10 };
    let needs_escape = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(plain) = rest.iter().position(needs_escape) {
        let (before, from) = rest.split_at(plain);
        out.extend_from_slice(before);
        let Some((&byte, after)) = from.split_first() else {
            break;
        };
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            0x08 => out.extend_from_slice(b"\\b"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\n' => out.extend_from_slice(b"\\n"),
            0x0c => out.extend_from_slice(b"\\f"),
            b'\r' => out.extend_from_slice(b"\\r"),
            other => {
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&[digit(other >> 4), digit(other & 0x0f)]);
            }
        }
        rest = after;
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

#[cfg(test)]
#[path = "canon_tests.rs"]
mod tests;
