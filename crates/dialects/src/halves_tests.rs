//! Halves of characters, as programs write them.

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::object::{Entries, Object};
use crate::read::kindly;

#[derive(Debug, Deserialize)]
struct Frame {
    name: Option<String>,
    list: Vec<Object<Item>>,
    input: Box<RawValue>,
    flag: Option<bool>,
}

#[derive(Debug, Deserialize)]
struct Item {
    text: String,
}

#[test]
fn a_half_is_read_as_one_mark_wherever_it_stands() {
    for (json, text) in [
        (r#""a\ud83d""#, "a\u{fffd}"),
        (r#""\uDE00b""#, "\u{fffd}b"),
        (r#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
        (r#""\ude00\ud83d""#, "\u{fffd}\u{fffd}"),
        (r#""\ud83dA\n""#, "\u{fffd}A\n"),
        (r#""\ud83d\u0041""#, "\u{fffd}A"),
        (r#""é\ud83d€""#, "é\u{fffd}€"),
        (r#""\\\ud83d""#, "\\\u{fffd}"),
        // These are whole as they are.
        (r#""\ud83d\ude00""#, "\u{1f600}"),
        (r#""\\ud83d""#, "\\ud83d"),
    ] {
        assert_eq!(kindly::<String>(json).expect(json), text, "{json}");
    }
}

#[test]
fn a_raw_value_keeps_its_letters() {
    let frame: Frame = kindly(
        r#"{"name":"cut \ud83d","list":[{"text":"\ud83d"}],"input":{ "a\ud83d":"\ude00", "n":1.0 },"flag":true,"x\ud83d":[]}"#,
    )
    .expect("a frame");
    assert_eq!(frame.name.as_deref(), Some("cut \u{fffd}"));
    assert_eq!(frame.list[0].0.text, "\u{fffd}");
    assert_eq!(frame.input.get(), r#"{ "a\ud83d":"\ude00", "n":1.0 }"#);
    assert_eq!(frame.flag, Some(true));
}

#[test]
fn what_is_wrong_beside_a_half_stays_wrong() {
    for bad in [
        r#"{"name":"\ud83d","list":7,"input":1,"flag":null}"#,
        r#"{"name":"\ud83d","list":[["x"]],"input":1,"flag":null}"#,
        r#"{"name":"\ud83d","list":[],"flag":null}"#,
        r#"{"name":"\ud83d","name":"a","list":[],"input":1,"flag":null}"#,
        r#"{"name":["\ud83d"],"list":[],"input":1,"flag":null}"#,
        r#"{"name":"\ud83d","list":[],"input":1} x"#,
        "{\"name\":\"\\ud83d\n\",\"list\":[],\"input\":1,\"flag\":null}",
        r#"{"name":"\ud83","list":[],"input":1,"flag":null}"#,
    ] {
        assert!(kindly::<Frame>(bad).is_err(), "{bad}");
    }
    let twice = r#"{"a\ud83d":"x","a\ude00":"y"}"#;
    assert!(kindly::<Entries<String>>(twice).is_err());
}

proptest! {
    /// Any 16 bit units, as JavaScript writes them, come out as it would print them itself.
    #[test]
    fn units_are_read_as_javascript_prints_them(
        units in prop::collection::vec(
            prop_oneof![any::<u16>(), 0xD800_u16..0xE000, Just(0x5C_u16)],
            0..24,
        )
    ) {
        let escapes: Vec<String> = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
        let read = kindly::<String>(&format!("\"{}\"", escapes.concat())).expect("a string");
        prop_assert_eq!(read, String::from_utf16_lossy(&units));
    }
}
