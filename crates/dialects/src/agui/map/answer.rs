//! What a front end says to an ask, in any of the shapes that real ones send.
//!
//! Nothing is guessed: what fits no question, no field and no verdict is an error, and the ask stays.

use sayso_core::action::Action;
use sayso_core::answer::{Answer, Decision, Reply, Scope, Verdict};
use sayso_core::ask::{Matter, Question};
use sayso_core::escape::escape_line;
use sayso_core::view::AskView;
use serde_json::Value;
use serde_json::value::RawValue;

use super::fields;
use super::header::headers;
use super::questions::{dismisses, questions};
use crate::approval_text;
use crate::object::Entries;
use crate::person_face::Settled;
use crate::read;
use crate::texts;

/// Letters of a foreign key that are repeated.
const KEY_CHARS_MAX: usize = 80;
/// Under what front ends wrap answers; one may be in the other.
const WRAPS: [&str; 5] = ["answers", "selections", "values", "user_answers", "fields"];
/// How deep answers are wrapped at most.
const WRAPS_MAX: usize = 3;

/// What came for an ask.
#[derive(Debug)]
pub(crate) enum Given {
    /// Nothing but that it is not answered, and perhaps why.
    Aside(Option<String>),
    /// A JSON value, as its text.
    Json(Box<RawValue>),
    /// Words that are no JSON.
    Words(String),
}

impl Given {
    /// What the text of a tool's result means.
    pub(crate) fn of_text(text: String) -> Self {
        match serde_json::from_str::<Box<RawValue>>(&text) {
            Ok(raw) => Self::of_json(raw),
            Err(_) => Self::Words(text),
        }
    }

    /// A JSON value; a string is its words.
    pub(crate) fn of_json(raw: Box<RawValue>) -> Self {
        match read::kindly::<String>(raw.get()) {
            Ok(words) => Self::Words(words),
            Err(_) => Self::Json(raw),
        }
    }
}

type Keys = Entries<Box<RawValue>>;

fn object(raw: &RawValue) -> Option<Keys> {
    read::kindly(raw.get()).ok()
}

/// A key of the sender's, fit for a sentence.
pub(super) fn shown(key: &str) -> String {
    let short: String = key.chars().take(KEY_CHARS_MAX).collect();
    escape_line(&short).into_owned()
}

pub(super) fn unknown(key: &str) -> String {
    format!("no question has the key `{}`", shown(key))
}

/// What this means for the ask that was shown. `bound` says that the front end proved what it showed.
pub(crate) fn settled(view: &AskView, given: &Given, bound: bool) -> Result<Settled, String> {
    match (given, &view.ask.matter) {
        (Given::Aside(note), _) => Ok(Settled::Dismiss { note: note.clone() }),
        (Given::Json(raw), Matter::Approval(action)) => {
            match object(raw).map(|keys| verdict(view, action, &keys, bound)) {
                Some(Some(verdict)) => verdict.map(Settled::Answer),
                Some(None) | None => by_question(view, given),
            }
        }
        (Given::Json(raw), Matter::Form(form)) => {
            let keys = object(raw).ok_or("expected an object with the fields")?;
            let is_field = |key: &str| form.fields().iter().any(|field| field.name == key);
            let keys = unwrapped(keys, is_field);
            fields::answer(form, &keys).map(Settled::Answer)
        }
        (Given::Words(_), Matter::Approval(_) | Matter::Form(_))
        | (Given::Json(_) | Given::Words(_), Matter::Questions(_)) => by_question(view, given),
    }
}

/// What it means as replies to questions, for those whose ask is shown so.
fn by_question(view: &AskView, given: &Given) -> Result<Settled, String> {
    let questions = questions(view);
    let replies = match given {
        Given::Words(words) => words_alone(&questions, words)?,
        Given::Json(raw) => replies(&questions, raw)?,
        Given::Aside(note) => return Ok(Settled::Dismiss { note: note.clone() }),
    };
    match (&view.ask.matter, replies.as_slice()) {
        (_, []) => Err("it does not answer any question".to_owned()),
        (Matter::Questions(_), _) => Ok(Settled::Answer(Answer::Replies(replies))),
        (Matter::Approval(_), [reply]) => {
            let asked = questions.first().ok_or("there is no question to answer")?;
            approval_text::verdict(asked, reply).map(Settled::Answer)
        }
        (Matter::Form(_), [reply]) if dismisses(reply) => Ok(Settled::Dismiss { note: None }),
        (Matter::Approval(_) | Matter::Form(_), _) => {
            Err("it can't be answered this way here; answer on the sayso page".to_owned())
        }
    }
}

/// A verdict, where the object is one.
fn verdict(
    view: &AskView,
    action: &Action,
    keys: &Keys,
    bound: bool,
) -> Option<Result<Answer, String>> {
    let yes = keys.get("approved").or_else(|| keys.get("accepted"))?;
    Some(read_verdict(view, action, keys, yes, bound))
}

fn read_verdict(
    view: &AskView,
    action: &Action,
    keys: &Keys,
    yes: &RawValue,
    bound: bool,
) -> Result<Answer, String> {
    let text = |key: &str| -> Result<Option<String>, String> {
        let Some(raw) = keys.get(key).filter(|raw| raw.get() != "null") else {
            return Ok(None);
        };
        read::kindly(raw.get())
            .map(Some)
            .map_err(|_| format!("`{key}` must be a string"))
    };
    let yes: bool =
        serde_json::from_str(yes.get()).map_err(|_| "`approved` must be true or false")?;
    let note = match text("note")? {
        Some(note) => Some(note),
        None => text("reason")?,
    };
    let reach = match text("scope")? {
        Some(word) => {
            Scope::from_word(&word).ok_or("`scope` must be once, conversation or always")?
        }
        None => Scope::Once,
    };
    let edited = keys.get("editedArgs").filter(|raw| raw.get() != "null");
    if edited.is_some_and(|raw| object(raw).is_none()) {
        return Err("`editedArgs` must be an object".to_owned());
    }
    if yes && !bound && !approval_text::may_allow(view, action) {
        return Err(approval_text::NOT_HERE.to_owned());
    }
    let decision = if yes {
        Decision::Allow {
            edited_input: edited
                .map(|raw| raw.get().to_owned())
                .filter(|edited| !is_same(edited, &action.input)),
        }
    } else {
        Decision::Deny { stop: false }
    };
    Ok(Answer::Verdict(Verdict {
        decision,
        scope: if yes { reach } else { Scope::Once },
        note: note.filter(|note| !note.is_empty()),
    }))
}

/// Whether two texts are the same JSON: a front end that shows the arguments may send them back as
/// they were.
fn is_same(one: &str, other: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    read(one).is_some_and(|value| read(other) == Some(value))
}

fn words_alone(questions: &[Question], words: &str) -> Result<Vec<Reply>, String> {
    match questions {
        [question] => Ok(texts::reply_of_text(0, question, words)
            .into_iter()
            .collect()),
        _ => Err("several questions need answers by key".to_owned()),
    }
}

fn replies(questions: &[Question], raw: &RawValue) -> Result<Vec<Reply>, String> {
    let Some(keys) = object(raw) else {
        return match (questions, values(raw)) {
            ([question], Some(values)) => Ok(reply(0, question, &values).into_iter().collect()),
            _ => Err("expected an object with the answers".to_owned()),
        };
    };
    let names = Names::of(questions);
    let keys = unwrapped(keys, |key| names.find(key).is_some());
    let mut replies: Vec<Reply> = Vec::new();
    for (key, raw) in &keys.0 {
        let place = names.find(key).ok_or_else(|| unknown(key))?;
        let question = questions.get(place).ok_or_else(|| unknown(key))?;
        let values = values(raw)
            .ok_or_else(|| format!("`{}` must be a string or a list of strings", shown(key)))?;
        if replies.iter().any(|reply| reply.question == place) {
            return Err(format!("`{}` is answered twice", shown(key)));
        }
        replies.extend(reply(place, question, &values));
    }
    replies.sort_by_key(|reply| reply.question);
    Ok(replies)
}

/// One value, or several.
enum Values {
    One(String),
    Many(Vec<String>),
}

fn values(raw: &RawValue) -> Option<Values> {
    if raw.get() == "null" {
        return Some(Values::Many(Vec::new()));
    }
    match read::kindly::<Vec<Box<RawValue>>>(raw.get()) {
        Ok(list) => list
            .iter()
            .map(|raw| plain(raw))
            .collect::<Option<_>>()
            .map(Values::Many),
        Err(_) => plain(raw).map(Values::One),
    }
}

/// A string as it is, a number or a truth as it is written.
fn plain(raw: &RawValue) -> Option<String> {
    match raw.get().as_bytes().first()? {
        b'"' => read::kindly(raw.get()).ok(),
        b'-' | b'0'..=b'9' | b't' | b'f' => Some(raw.get().to_owned()),
        _ => None,
    }
}

fn reply(place: usize, question: &Question, values: &Values) -> Option<Reply> {
    match values {
        Values::One(text) => texts::reply_of_text(place, question, text),
        Values::Many(list) => {
            texts::reply_of_list(place, question, list.iter().map(String::as_str))
        }
    }
}

/// Takes answers out of what front ends wrap them in. What already has keys of ours is left alone.
fn unwrapped(mut keys: Keys, is_ours: impl Fn(&str) -> bool) -> Keys {
    for _ in 0..WRAPS_MAX {
        if keys.0.iter().any(|(key, _)| is_ours(key)) {
            return keys;
        }
        let inner = WRAPS.iter().find_map(|wrap| {
            let raw = keys.get(wrap)?;
            let json: Option<String> = read::kindly(raw.get()).ok();
            match json {
                Some(json) => read::kindly(&json).ok(),
                None => object(raw),
            }
        });
        match inner {
            Some(inner) => keys = inner,
            None => return keys,
        }
    }
    keys
}

/// What each question may be called: by its text, its header, or its number.
struct Names {
    texts: Vec<String>,
    headers: Vec<String>,
}

impl Names {
    fn of(questions: &[Question]) -> Self {
        Self {
            texts: texts::text_keys(questions),
            headers: headers(questions),
        }
    }

    fn find(&self, key: &str) -> Option<usize> {
        let among = |names: &[String]| {
            let place = names.iter().position(|name| name == key);
            place.filter(|_| !key.is_empty())
        };
        among(&self.texts)
            .or_else(|| among(&self.headers))
            .or_else(|| {
                let place = key.strip_prefix("question_")?.parse().ok()?;
                (place < self.texts.len()).then_some(place)
            })
    }
}
