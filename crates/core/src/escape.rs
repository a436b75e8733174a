//! The one escaper for text that somebody outside wrote, on terminal, page, notice and log.
//!
//! What a person cannot see, and what a terminal would obey, is shown as `\u{..}`: controls,
//! formatting and bidi characters, private and unassigned ones, every space but the ordinary one,
//! and the few marks and letters that draw nothing. Variation selectors are among them, save one
//! behind a symbol that it dresses as an emoji, for agents write those all the time. A backslash
//! is escaped only before `u{`, so that paths and patterns stay readable and every `\u{` in the
//! result is ours; [`unescape`] gives back exactly what went in.
//!
//! [`findings`] says in sentences what deserves a second look, look-alike letters included. It is
//! a help for the eye and never a check: nothing is let through because it found nothing.
//!
//! It never trims, cuts, or escapes for HTML. Escape a text whole: pieces escaped apart and joined
//! can form a `\u{` between them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::mem::{Discriminant, discriminant};

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_security::mixed_script::AugmentedScriptSet;
use unicode_security::skeleton;

/// Findings kept of one kind; a person reads a few, and a flood of one kind must not crowd out
/// another, so each kind has its own share.
pub const FINDINGS_PER_KIND: usize = 16;

/// Letters of a word shown in a sentence, so that one endless word cannot fill the page.
const WORD_SHOWN: usize = 40;

/// Words up to this length are ordinary in alphabets that share shapes with Latin (Russian "с",
/// "он", "ее"), so they are marked only when no neighbour is plainly of their alphabet.
const SHORT_WORD: usize = 3;

/// Escapes for one line: the result has no line break of any kind.
pub fn escape_line(text: &str) -> Cow<'_, str> {
    escape(text, |_| false)
}

/// Escapes for several lines: newline and tab stay, a carriage return does not.
pub fn escape_block(text: &str) -> Cow<'_, str> {
    escape(text, |c| matches!(c, '\n' | '\t'))
}

/// Gives back what [`escape_line`] or [`escape_block`] was given.
pub fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from)) = rest.split_once("\\u{") {
        out.push_str(before);
        if let Some((c, after)) = code_point(from) {
            out.push(c);
            rest = after;
        } else {
            out.push_str("\\u{");
            rest = from;
        }
    }
    out.push_str(rest);
    out
}

/// Reads `202e}` as the escaper writes it: at most six lower-case digits.
fn code_point(text: &str) -> Option<(char, &str)> {
    let end = text.bytes().take(7).position(|byte| byte == b'}')?;
    let (digits, rest) = (text.get(..end)?, text.get(end + 1..)?);
    let written = digits
        .bytes()
        .all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
    written.then_some((c, rest))
}

fn escape(text: &str, keep: impl Fn(char) -> bool) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut before = None;
    for (at, c) in text.char_indices() {
        let next = at + c.len_utf8();
        let rest = || text.get(next..).unwrap_or_default();
        let escaped = match c {
            '\\' => rest().starts_with("u{"),
            ' '..='~' => false,
            _ => !keep(c) && !dresses_emoji(before, c, rest()) && sight(c) != Sight::Plain,
        };
        if escaped {
            out.push_str(text.get(copied..at).unwrap_or_default());
            out.extend(c.escape_unicode());
            copied = next;
        }
        before = Some(c);
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// How a character is met by the eye.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sight {
    Plain,
    Control,
    Bidi,
    Hidden,
}

const BIDI: [char; 12] = [
    '\u{61c}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}',
    '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}',
];

/// Marks, letters and symbols that draw nothing, though their category is that of visible ones: a
/// joiner, inherent vowels, fillers, and the empty Braille cell.
const BLANKS: [char; 12] = [
    '\u{34f}', '\u{115f}', '\u{1160}', '\u{17b4}', '\u{17b5}', '\u{180b}', '\u{180c}', '\u{180d}',
    '\u{180f}', '\u{2800}', '\u{3164}', '\u{ffa0}',
];

fn sight(c: char) -> Sight {
    match c {
        ' '..='~' => Sight::Plain,
        // The empty note head, the variation selectors, and the plane of tags.
        '\u{1d159}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e0fff}' => Sight::Hidden,
        _ if BLANKS.contains(&c) => Sight::Hidden,
        _ if BIDI.contains(&c) => Sight::Bidi,
        _ => match c.general_category() {
            GeneralCategory::Control => Sight::Control,
            GeneralCategory::Format
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
            | GeneralCategory::SpaceSeparator
            | GeneralCategory::Surrogate
            | GeneralCategory::PrivateUse
            | GeneralCategory::Unassigned => Sight::Hidden,
            _ => Sight::Plain,
        },
    }
}

/// Whether this selector stands where it makes a symbol an emoji, or plain again: behind a visible
/// symbol, or inside a keycap. It is seen there, by what it does to the symbol.
fn dresses_emoji(before: Option<char>, c: char, rest: &str) -> bool {
    match before {
        _ if !matches!(c, '\u{fe0e}' | '\u{fe0f}') => false,
        None => false,
        Some('0'..='9' | '#' | '*') => rest.starts_with('\u{20e3}'),
        Some('\u{2139}') => true,
        Some(symbol) if symbol.is_ascii() || sight(symbol) != Sight::Plain => false,
        Some(symbol) => matches!(
            symbol.general_category(),
            GeneralCategory::OtherSymbol
                | GeneralCategory::MathSymbol
                | GeneralCategory::OtherPunctuation
                | GeneralCategory::DashPunctuation
        ),
    }
}

/// Something in a text that a person should see before they answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFinding {
    /// The byte in the text where it begins; a word reaches from here for its own length.
    pub at: usize,
    /// What it is.
    pub kind: FindingKind,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are what their names say")]
pub enum FindingKind {
    /// It draws nothing, or draws like an ordinary space.
    Hidden { char: char },
    /// It changes the order in which the text is shown.
    Bidi { char: char },
    /// A terminal would obey it; newline, tab and the return before a newline are not listed.
    Control { char: char },
    /// Letters of several alphabets in one word.
    MixedScript { word: String },
    /// A word that reads as plain ASCII and is not.
    LookAlike { word: String },
    /// Always the last: so many more were found and are not listed.
    More { count: usize },
}

impl TextFinding {
    /// One plain sentence, itself free of what it tells of.
    pub fn sentence(&self) -> String {
        match &self.kind {
            FindingKind::Hidden { char } => format!("Hidden character: {}.", named(*char)),
            FindingKind::Bidi { char } => format!(
                "Hidden character: {}, it changes the order in which the text is shown.",
                named(*char)
            ),
            FindingKind::Control { char } => format!(
                "Control character: {}, a terminal would act on it instead of showing it.",
                named(*char)
            ),
            FindingKind::MixedScript { word } => format!(
                "Mixed alphabets: “{}” has letters of more than one alphabet.",
                shortened(word)
            ),
            FindingKind::LookAlike { word } => look_alike_sentence(word),
            FindingKind::More { count } => format!("Not listed: {count} more."),
        }
    }
}

fn shortened(word: &str) -> String {
    let shown: String = word.chars().take(WORD_SHOWN).collect();
    let cut = if shown.len() < word.len() { ".." } else { "" };
    format!("{}{cut}", escape_line(&shown))
}

/// Says it with the letters the person takes them for, and names the alphabet they are of.
fn look_alike_sentence(word: &str) -> String {
    let visible = || word.chars().filter(|c| sight(*c) == Sight::Plain);
    let read: String = visible().filter_map(reads_as).collect();
    let mut twins = visible().filter(|c| !c.is_ascii());
    let Some((c, seen)) = twins.find_map(|c| reads_as(c).map(|seen| (c, seen))) else {
        return format!("Look-alike letters: in “{}”.", shortened(word));
    };
    let scripts = AugmentedScriptSet::for_char(c);
    let what = if scripts.is_all() {
        format!("U+{:04X}, not the ordinary one", u32::from(c))
    } else {
        format!("{scripts} (U+{:04X})", u32::from(c))
    };
    let read = shortened(&read);
    format!("Look-alike letter: the “{seen}” in “{read}” is {what}.")
}

/// The name people know a character by, and its escape.
fn named(c: char) -> String {
    let name = match c {
        '\0' => "null",
        '\u{7}' => "bell",
        '\u{8}' => "backspace",
        '\r' => "carriage return",
        '\u{1b}' => "escape",
        '\u{7f}' => "delete",
        '\u{9b}' => "control sequence introducer",
        '\u{9d}' => "operating system command",
        '\0'..='\u{9f}' => "control",
        '\u{a0}' => "no-break space",
        '\u{ad}' => "soft hyphen",
        '\u{61c}' => "Arabic letter mark",
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => "Hangul filler",
        '\u{200b}' => "zero width space",
        '\u{200c}' => "zero width non-joiner",
        '\u{200d}' => "zero width joiner",
        '\u{200e}' => "left-to-right mark",
        '\u{200f}' => "right-to-left mark",
        '\u{2028}' | '\u{2029}' => "line or paragraph separator",
        '\u{202a}' => "left-to-right embedding",
        '\u{202b}' => "right-to-left embedding",
        '\u{202c}' => "pop directional formatting",
        '\u{202d}' => "left-to-right override",
        '\u{202e}' => "right-to-left override",
        '\u{2060}' => "word joiner",
        '\u{2066}' => "left-to-right isolate",
        '\u{2067}' => "right-to-left isolate",
        '\u{2068}' => "first strong isolate",
        '\u{2069}' => "pop directional isolate",
        '\u{2800}' => "empty Braille cell",
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => "variation selector",
        '\u{feff}' => "byte order mark",
        '\u{e0000}'..='\u{e007f}' => "tag character",
        _ => match c.general_category() {
            GeneralCategory::SpaceSeparator => "unusual space",
            GeneralCategory::PrivateUse => "private use",
            GeneralCategory::Unassigned => "unassigned",
            _ => "formatting or blank",
        },
    };
    format!("{name} ({})", c.escape_unicode())
}

/// Everything in the text that deserves a second look, in order, at most [`FINDINGS_PER_KIND`] of
/// each kind and then one line that says how many were left out.
pub fn findings(text: &str) -> Vec<TextFinding> {
    let mut found = Found::default();
    let mut words = Words::default();
    let mut open: Option<(usize, usize)> = None;
    let mut before = None;
    // The space behind the text ends its last word.
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let next = at + c.len_utf8();
        let rest = || text.get(next..).unwrap_or_default();
        let sight = sight(c);
        match sight {
            Sight::Plain => {}
            Sight::Bidi => found.add(at, FindingKind::Bidi { char: c }),
            Sight::Hidden if dresses_emoji(before, c, rest()) => {}
            Sight::Hidden => found.add(at, FindingKind::Hidden { char: c }),
            Sight::Control if matches!(c, '\n' | '\t') => {}
            Sight::Control if c == '\r' && rest().starts_with('\n') => {}
            Sight::Control => found.add(at, FindingKind::Control { char: c }),
        }
        // What is not seen does not part a word either, or a hidden character between two letters
        // would keep the mixture from being seen.
        let blank = c.is_whitespace() || c == '\u{2800}';
        let unseen = matches!(sight, Sight::Bidi | Sight::Hidden) && !blank;
        if sight == Sight::Plain && in_word(c) {
            open = Some((open.map_or(at, |(start, _)| start), next));
        } else if !unseen && let Some((start, end)) = open.take() {
            words.add(start, text.get(start..end).unwrap_or_default(), &mut found);
        }
        before = Some(c);
    }
    // A word that waits for its neighbour is settled by the end.
    words.add(text.len(), "", &mut found);
    found.list()
}

/// The findings so far, each kind with its own share.
#[derive(Debug, Default)]
struct Found {
    kept: Vec<TextFinding>,
    per_kind: HashMap<Discriminant<FindingKind>, usize>,
    left_out: Option<(usize, usize)>,
}

impl Found {
    fn add(&mut self, at: usize, kind: FindingKind) {
        let seen = self.per_kind.entry(discriminant(&kind)).or_default();
        if *seen < FINDINGS_PER_KIND {
            *seen += 1;
            self.kept.push(TextFinding { at, kind });
        } else {
            let (first, count) = self.left_out.unwrap_or((at, 0));
            self.left_out = Some((first.min(at), count + 1));
        }
    }

    fn list(mut self) -> Vec<TextFinding> {
        self.kept.sort_by_key(|finding| finding.at);
        if let Some((at, count)) = self.left_out {
            let kind = FindingKind::More { count };
            self.kept.push(TextFinding { at, kind });
        }
        self.kept
    }
}

/// Stand-ins for the signs that part an address or a path; they join words instead of parting
/// them, so that `bank.example⁄login` is looked at whole.
const SIGN_LOOK_ALIKES: [char; 10] = [
    '\u{37e}', '\u{589}', '\u{2024}', '\u{2044}', '\u{2215}', '\u{2216}', '\u{2236}', '\u{29f5}',
    '\u{29f8}', '\u{a789}',
];

fn in_word(c: char) -> bool {
    match c {
        '0'..='9' | 'A'..='Z' | 'a'..='z' | '_' => true,
        // The information sign is a letter by category only.
        ' '..='~' | '\u{2139}' => false,
        _ if SIGN_LOOK_ALIKES.contains(&c) => true,
        _ => matches!(
            c.general_category_group(),
            GeneralCategoryGroup::Letter
                | GeneralCategoryGroup::Mark
                | GeneralCategoryGroup::Number
        ),
    }
}

/// The ASCII that an eye takes the character for. The accented and special letters of living
/// Latin alphabets are themselves, not look-alikes: Turkish, Danish or Icelandic is no attack.
fn reads_as(c: char) -> Option<String> {
    if c.is_ascii() {
        return Some(c.to_string());
    }
    if matches!(c, '\u{a0}'..='\u{24f}') {
        return None;
    }
    let mut bytes = [0; 4];
    let read: String = skeleton(c.encode_utf8(&mut bytes)).collect();
    let plain = !read.is_empty() && read.chars().all(|c| c.is_ascii_graphic());
    plain.then_some(read)
}

/// Letters listed as twins of ASCII that nobody misreads in a word of their own alphabet.
const WEAK_TWINS: [char; 13] = [
    'З', 'Ы', 'Ь', 'Ю', 'б', 'г', 'ш', 'ա', 'զ', 'ո', 'ք', 'ֆ', 'י',
];

/// What a word turned out to be.
#[derive(Debug)]
enum Kind {
    Ascii,
    /// Plainly of its alphabet.
    Plain(AugmentedScriptSet),
    /// A short word of another alphabet, every letter of which has an ASCII twin.
    Doubtful(AugmentedScriptSet),
    Mixed,
    LookAlike,
}

fn kind(word: &str) -> Kind {
    if word.is_ascii() {
        return Kind::Ascii;
    }
    let latin = AugmentedScriptSet::for_char('a');
    let mut others = AugmentedScriptSet::default();
    let (mut has_latin, mut has_ascii, mut digits_only) = (false, false, true);
    let (mut all_read, mut twins, mut weak, mut letters) = (true, false, false, 0_usize);
    for c in word.chars().filter(|c| sight(*c) == Sight::Plain) {
        letters += 1;
        has_ascii |= c.is_ascii();
        digits_only &= c.general_category() == GeneralCategory::DecimalNumber;
        let scripts = AugmentedScriptSet::for_char(c);
        if !scripts.is_all() {
            if share(latin, scripts) {
                has_latin = true;
            } else {
                others.intersect_with(scripts);
            }
        }
        // The look-up is dear, so it is left out where it can change nothing any more.
        if !c.is_ascii() && (all_read || !(twins || east_asian(others))) {
            let twin = reads_as(c).is_some();
            all_read &= twin;
            twins |= twin;
            weak |= WEAK_TWINS.contains(&c);
        }
    }
    // Digits of one system are a number; among ASCII ones they are a trap.
    if digits_only && !has_ascii {
        return Kind::Plain(others);
    }
    let own_alphabet = !has_latin && !has_ascii && !others.is_all();
    if all_read && twins && !(own_alphabet && weak) {
        return if own_alphabet && letters <= SHORT_WORD {
            Kind::Doubtful(others)
        } else {
            Kind::LookAlike
        };
    }
    // East Asian text runs Latin names into its own letters without a space, and units and
    // formulas join a Greek letter to Latin ones: that is no mark unless a twin is among them.
    if others.is_empty() || (has_latin && !others.is_all() && !east_asian(others) && twins) {
        return Kind::Mixed;
    }
    Kind::Plain(others)
}

fn east_asian(scripts: AugmentedScriptSet) -> bool {
    scripts.hanb || scripts.jpan || scripts.kore
}

fn share(a: AugmentedScriptSet, b: AugmentedScriptSet) -> bool {
    let mut both = a;
    both.intersect_with(b);
    !both.is_empty()
}

/// Judges each word, a doubtful one by its neighbours.
#[derive(Debug, Default)]
struct Words {
    /// The alphabet of the word before, when it was plainly of one.
    before: Option<AugmentedScriptSet>,
    waiting: Option<(usize, String, AugmentedScriptSet)>,
}

impl Words {
    fn add(&mut self, at: usize, word: &str, found: &mut Found) {
        let kind = kind(word);
        if let Some((at, word, scripts)) = self.waiting.take() {
            let vouched = matches!(&kind, Kind::Plain(next) if vouches(*next, scripts));
            if !vouched {
                found.add(at, FindingKind::LookAlike { word });
            }
        }
        let before = self.before.take();
        let word = || word.to_owned();
        match kind {
            Kind::Ascii => {}
            Kind::Plain(scripts) => self.before = Some(scripts),
            Kind::Doubtful(scripts) if before.is_some_and(|before| vouches(before, scripts)) => {
                self.before = before;
            }
            Kind::Doubtful(scripts) => self.waiting = Some((at, word(), scripts)),
            Kind::Mixed => found.add(at, FindingKind::MixedScript { word: word() }),
            Kind::LookAlike => found.add(at, FindingKind::LookAlike { word: word() }),
        }
    }
}

fn vouches(neighbour: AugmentedScriptSet, scripts: AugmentedScriptSet) -> bool {
    !neighbour.is_all() && share(neighbour, scripts)
}

#[cfg(test)]
#[path = "escape_tests.rs"]
mod tests;
