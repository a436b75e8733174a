//! What the generator says and understands: asks of one size, their answers, and just enough of
//! the frames that come back. It looks for keys instead of parsing: it must not be the slow side.

use std::io::Write;

/// In every ask.
pub(super) const EVERYDAY_WORD: &str = "caching";
/// Only in the first asks of a fill, however long it goes on.
pub(super) const RARE_WORD: &str = "zanzibar";
pub(super) const RARE_ASKS: u64 = 20;
/// Words that asks take turns with.
const WORDS: u64 = 512;

/// A word of three syllables out of 512, the same for the same number.
pub(super) fn word(number: u64) -> String {
    const FIRST: &[u8; 8] = b"bdfklmnr";
    let number = number % WORDS;
    let syllable = |shift: u64| {
        let at = (number >> shift) & 7;
        FIRST.get(at as usize).map_or('s', |byte| char::from(*byte))
    };
    format!("{}a{}o{}imu", syllable(6), syllable(3), syllable(0))
}

/// Writes the frame that asks: 487 bytes, give or take a digit.
pub(super) fn ask(number: u64, name: &str, out: &mut Vec<u8>) {
    out.clear();
    let seldom = if number < RARE_ASKS {
        RARE_WORD.to_owned()
    } else {
        word(number.wrapping_mul(2_654_435_761))
    };
    // Writing to a vector cannot fail.
    let _ = write!(
        out,
        r#"{{"do":"ask","ref":"{number}","ask":{{"matter":"questions","title":"Design of step {number}","agent":"{name}","conversation":"{name}","questions":[{{"text":"Which database should I use for {EVERYDAY_WORD} the {seldom} of the shop?","tag":"Database","pick":"one","choices":[{{"label":"Redis","description":"In-memory and very fast, one more thing to run","recommended":true}},{{"label":"SQLite","description":"One file beside the program, nothing to run at all"}}],"default":["Redis"]}}]}}}}"#
    );
}

/// The question of an ask in a foreign language, with nothing in it that JSON would escape.
fn prompt(number: u64) -> String {
    let seldom = word(number.wrapping_mul(2_654_435_761));
    format!(
        "Step {number}: which database should I use for {EVERYDAY_WORD} the {seldom} of the shop?"
    )
}

/// Writes the frame by which a nebo agent asks, of about the size of our own.
pub(super) fn nebo_ask(number: u64, name: &str, out: &mut Vec<u8>) {
    out.clear();
    let prompt = prompt(number);
    let _ = write!(
        out,
        r#"{{"type":"ask_request","id":"{name}-{number}","payload":{{"prompt":"{prompt}","widgets":[{{"type":"options","label":"Database","options":[{{"label":"Redis","description":"In-memory and very fast, one more thing to run","recommended":true}},{{"label":"SQLite","description":"One file beside the program, nothing to run at all"}}],"default":"Redis"}}]}}}}"#
    );
}

/// Writes the frame by which a chat front end answers.
pub(super) fn chat_answer(id: &[u8], number: u64, out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(br#"{"type":"ask_user_response","data":{"question_id":""#);
    out.extend_from_slice(id);
    let prompt = prompt(number);
    let _ = write!(
        out,
        r#"","answers":{{"{prompt}":"Redis"}},"cancelled":false}}}}"#
    );
}

/// The name of a frame in a foreign language.
pub(super) fn kind(frame: &[u8]) -> &[u8] {
    let start = frame.get(..frame.len().min(200)).unwrap_or_default();
    value(start, br#""type":""#).unwrap_or_default()
}

/// The id of the question that a chat front end is shown.
pub(super) fn question_id(frame: &[u8]) -> Option<&[u8]> {
    value(frame, br#""question_id":""#)
}

/// Writes the frame that answers.
pub(super) fn answer(id: &[u8], digest: &[u8], out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(br#"{"do":"answer","id":""#);
    out.extend_from_slice(id);
    out.extend_from_slice(br#"","digest":""#);
    out.extend_from_slice(digest);
    out.extend_from_slice(br#"","replies":[{"question":0,"labels":["Redis"]}]}"#);
}

/// Writes the frame that confirms an outcome.
pub(super) fn confirm(id: &[u8], out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(br#"{"do":"confirm","id":""#);
    out.extend_from_slice(id);
    out.extend_from_slice(br#""}"#);
}

/// The name of the event in a frame.
pub(super) fn event(frame: &[u8]) -> &[u8] {
    let start = frame.get(..frame.len().min(200)).unwrap_or_default();
    value(start, br#""event":""#).unwrap_or_default()
}

/// The id of the ask that an event carries.
pub(super) fn ask_id(frame: &[u8]) -> Option<&[u8]> {
    let inner = find(frame, br#""ask":{"#)
        .and_then(|at| frame.get(at..))
        .unwrap_or(frame);
    value(inner, br#""id":""#)
}

/// The digest of the ask that an event carries.
pub(super) fn digest(frame: &[u8]) -> Option<&[u8]> {
    value(frame, br#""digest":""#)
}

/// What stands between this key and the next quote.
fn value<'a>(text: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let rest = text.get(find(text, key)? + key.len()..)?;
    rest.get(..rest.iter().position(|byte| *byte == b'"')?)
}

fn find(text: &[u8], key: &[u8]) -> Option<usize> {
    text.windows(key.len()).position(|window| window == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ask_is_json_of_the_size_we_compare_by() {
        let mut out = Vec::new();
        ask(123_456, "pair-0042", &mut out);
        assert!((470..=530).contains(&out.len()), "{}", out.len());
        let read: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(read["ask"]["agent"], "pair-0042");
        assert_eq!(read["ask"]["questions"][0]["choices"][1]["label"], "SQLite");
        ask(RARE_ASKS - 1, "a", &mut out);
        assert!(find(&out, RARE_WORD.as_bytes()).is_some());
        ask(RARE_ASKS, "a", &mut out);
        assert!(find(&out, RARE_WORD.as_bytes()).is_none());
    }

    #[test]
    fn what_comes_back_is_understood() {
        let asked = br#"{"event":"asked","seq":7,"ask":{"id":"0193","matter":"questions","agent":{"id":"ag_7"},"digest":"sha256:9f"}}"#;
        assert_eq!(event(asked), b"asked");
        assert_eq!(ask_id(asked), Some(&b"0193"[..]));
        assert_eq!(digest(asked), Some(&b"sha256:9f"[..]));
        let outcome = br#"{"event":"outcome","id":"0194","outcome":{"kind":"answered"}}"#;
        assert_eq!(event(outcome), b"outcome");
        assert_eq!(ask_id(outcome), Some(&b"0194"[..]));
        assert_eq!(digest(outcome), None);
        assert_eq!(event(b"{}"), b"");
    }

    #[test]
    fn answers_and_confirmations_are_json() {
        let mut out = Vec::new();
        answer(b"0193", b"sha256:9f", &mut out);
        let read: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(read["replies"][0]["labels"][0], "Redis");
        confirm(b"0193", &mut out);
        let read: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(read, serde_json::json!({"do": "confirm", "id": "0193"}));
    }

    #[test]
    fn the_foreign_frames_are_json_of_the_same_size() {
        let mut out = Vec::new();
        nebo_ask(123_456, "pair-0042", &mut out);
        assert!((350..=530).contains(&out.len()), "{}", out.len());
        let ask: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(kind(&out), b"ask_request");
        chat_answer(b"q_1", 123_456, &mut out);
        let answer: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let prompt = ask["payload"]["prompt"].as_str().unwrap();
        assert_eq!(answer["data"]["answers"][prompt], "Redis");
        assert_eq!(question_id(&out), Some(&b"q_1"[..]));
    }

    #[test]
    fn words_differ() {
        let all: std::collections::BTreeSet<String> = (0..WORDS).map(word).collect();
        assert_eq!(all.len() as u64, WORDS);
    }
}
