//! The writer against the RFC's own vectors, and against a plain tree that sorts and prints.

use proptest::prelude::*;

use super::{List, Map, list, map};

fn written(write: impl FnOnce(&mut Map<'_, 'static>)) -> String {
    let mut out = Vec::new();
    map(&mut out, write);
    String::from_utf8(out).expect("canonical JSON is UTF-8")
}

#[test]
fn keys_are_sorted_as_the_rfc_sorts_them() {
    // RFC 8785 section 3.2.3: the surrogates of the smiling face come before U+FB33.
    let text = written(|m| {
        m.text("\u{20ac}", "Euro Sign");
        m.text("\r", "Carriage Return");
        m.text("\u{fb33}", "Hebrew Letter Dalet With Dagesh");
        m.text("1", "One");
        m.text("\u{1f600}", "Emoji: Grinning Face");
        m.text("\u{80}", "Control");
        m.text("\u{f6}", "Latin Small Letter O With Diaeresis");
    });
    let expected = concat!(
        r#"{"\r":"Carriage Return","1":"One",""#,
        "\u{80}",
        r#"":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: "#,
        r#"Grinning Face",""#,
        "\u{fb33}",
        r#"":"Hebrew Letter Dalet With Dagesh"}"#
    );
    assert_eq!(text, expected);
}

#[test]
fn strings_are_escaped_as_the_rfc_escapes_them() {
    // RFC 8785 section 3.2.2, the member "string".
    let text = written(|m| m.text("string", "\u{20ac}$\u{f}\u{a}A'\u{42}\u{22}\u{5c}\\\"/"));
    assert_eq!(
        text, r#"{"string":"€$\u000f\nA'B\"\\\\\"/"}"#,
        "lower-case hex, and the slash stays"
    );
}

#[test]
fn every_control_has_its_one_spelling() {
    let controls: String = (0_u8..0x20).map(char::from).collect();
    let text = written(|m| m.text("c", &(controls + "\u{7f}\u{80}\u{2028}\u{feff}\u{10ffff}")));
    let expected = concat!(
        r#"{"c":"\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f"#,
        r"\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d",
        r"\u001e\u001f",
        "\u{7f}\u{80}\u{2028}\u{feff}\u{10ffff}\"}"
    );
    assert_eq!(text, expected);
}

#[test]
fn literals_and_empty_things_are_written_without_space() {
    let text = written(|m| {
        m.list("literals", |l| {
            l.null();
            l.flag(true);
            l.flag(false);
            l.integer(-7);
            l.text("");
            l.map(|_| {});
            l.list(|_| {});
        });
        m.null("null");
        m.flag("flag", false);
        m.map("map", |_| {});
        m.list("list", |_| {});
        m.text_if("absent", None);
        m.text_if("here", Some("x"));
        m.integer("", 0);
    });
    assert_eq!(
        text,
        r#"{"":0,"flag":false,"here":"x","list":[],"literals":[null,true,false,-7,"",{},[]],"map":{},"null":null}"#
    );
}

#[test]
fn a_map_inside_a_list_inside_a_map_is_sorted_at_each_level() {
    let text = written(|m| {
        m.list("z", |l| {
            l.map(|m| {
                m.text("b", "1");
                m.map("a", |m| {
                    m.flag("y", true);
                    m.flag("x", true);
                });
            });
            l.text("after");
        });
        m.text("a", "2");
    });
    assert_eq!(
        text,
        r#"{"a":"2","z":[{"a":{"x":true,"y":true},"b":"1"},"after"]}"#
    );
}

#[test]
fn a_key_given_twice_keeps_both_in_one_order() {
    let one = written(|m| {
        m.text("k", "2");
        m.text("k", "1");
        m.text("a", "0");
    });
    let other = written(|m| {
        m.text("k", "1");
        m.text("a", "0");
        m.text("k", "2");
    });
    assert_eq!(one, r#"{"a":"0","k":"1","k":"2"}"#);
    assert_eq!(other, one);
}

#[test]
fn writing_appends_to_what_is_there() {
    let mut out = b"before ".to_vec();
    map(&mut out, |m| {
        m.flag("b", true);
        m.flag("a", true);
    });
    list(&mut out, |l| l.text("x"));
    assert_eq!(out, br#"before {"a":true,"b":true}["x"]"#);
}

/// The plain tree: what the writer is compared with.
#[derive(Debug, Clone)]
enum Tree {
    Null,
    Flag(bool),
    Integer(i32),
    Text(String),
    List(Vec<Tree>),
    Map(Vec<(String, Tree)>),
}

impl Tree {
    fn reference(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Flag(value) => value.to_string(),
            Self::Integer(value) => value.to_string(),
            Self::Text(value) => quoted(value),
            Self::List(items) => {
                let items: Vec<_> = items.iter().map(Self::reference).collect();
                format!("[{}]", items.join(","))
            }
            Self::Map(entries) => {
                let mut entries: Vec<_> = entries
                    .iter()
                    .map(|(key, value)| {
                        let units: Vec<u16> = key.encode_utf16().collect();
                        (units, format!("{}:{}", quoted(key), value.reference()))
                    })
                    .collect();
                entries.sort();
                let entries: Vec<_> = entries.into_iter().map(|(_, text)| text).collect();
                format!("{{{}}}", entries.join(","))
            }
        }
    }

    fn put_in<'k>(&'k self, l: &mut List<'_, 'k>) {
        match self {
            Self::Null => l.null(),
            Self::Flag(value) => l.flag(*value),
            Self::Integer(value) => l.integer(*value),
            Self::Text(value) => l.text(value),
            Self::List(items) => l.list(|l| items.iter().for_each(|item| item.put_in(l))),
            Self::Map(entries) => l.map(|m| entries.iter().for_each(|(k, v)| v.put_under(k, m))),
        }
    }

    fn put_under<'k>(&'k self, key: &'k str, m: &mut Map<'_, 'k>) {
        match self {
            Self::Null => m.null(key),
            Self::Flag(value) => m.flag(key, *value),
            Self::Integer(value) => m.integer(key, *value),
            Self::Text(value) => m.text(key, value),
            Self::List(items) => m.list(key, |l| items.iter().for_each(|item| item.put_in(l))),
            Self::Map(entries) => {
                m.map(key, |m| entries.iter().for_each(|(k, v)| v.put_under(k, m)));
            }
        }
    }

    fn canon(&self) -> String {
        let mut out = Vec::new();
        list(&mut out, |l| self.put_in(l));
        String::from_utf8(out).expect("canonical JSON is UTF-8")
    }

    /// The same content with the entries of every map the other way round.
    fn turned(&self) -> Self {
        match self {
            Self::List(items) => Self::List(items.iter().map(Self::turned).collect()),
            Self::Map(entries) => Self::Map(
                entries
                    .iter()
                    .rev()
                    .map(|(key, value)| (key.clone(), value.turned()))
                    .collect(),
            ),
            Self::Null | Self::Flag(_) | Self::Integer(_) | Self::Text(_) => self.clone(),
        }
    }
}

fn quoted(text: &str) -> String {
    let mut out = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\u{8}' => out += "\\b",
            '\t' => out += "\\t",
            '\n' => out += "\\n",
            '\u{c}' => out += "\\f",
            '\r' => out += "\\r",
            '\0'..='\u{1f}' => out.extend(format!("\\u{:04x}", u32::from(c)).chars()),
            _ => out.push(c),
        }
    }
    out + "\""
}

/// Few enough keys that equal ones meet, and both sides of the surrogates.
fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab\u{e000}\u{fb33}\u{ffff}\u{10000}\u{1f600}\u{10ffff}]{0,2}",
        any::<String>(),
    ]
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        Just(Tree::Null),
        any::<bool>().prop_map(Tree::Flag),
        any::<i32>().prop_map(Tree::Integer),
        any::<String>().prop_map(Tree::Text),
        "[\0-\u{20}\"\\\\a\u{7f}]{0,8}".prop_map(Tree::Text),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Tree::List),
            prop::collection::vec((key(), inner), 0..6).prop_map(Tree::Map),
        ]
    })
}

proptest! {
    #[test]
    fn the_writer_equals_the_plain_tree(tree in tree()) {
        prop_assert_eq!(tree.canon(), format!("[{}]", tree.reference()));
    }

    #[test]
    fn the_order_of_writing_does_not_matter(
        (tree, shuffled) in prop::collection::vec((key(), tree()), 0..8)
            .prop_flat_map(|entries| (Just(entries.clone()), Just(entries).prop_shuffle()))
    ) {
        let (tree, shuffled) = (Tree::Map(tree), Tree::Map(shuffled));
        prop_assert_eq!(shuffled.canon(), tree.canon());
        prop_assert_eq!(tree.turned().canon(), tree.canon());
    }
}
