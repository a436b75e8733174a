//! Text for PostgreSQL's index, cut into words as SQLite's `unicode61 remove_diacritics 2` cuts it, so
//! that both stores find the same. No dictionary and no extension of PostgreSQL takes part.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use sayso_store_sql::sql::TextSql;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory as _};

/// Bytes of a word that are looked at; PostgreSQL takes no longer ones.
const WORD_BYTES_MAX: usize = 2000;
/// The last place of a word in a text that PostgreSQL tells apart.
const PLACE_MAX: usize = 16_383;
/// Places of one word that PostgreSQL keeps.
const PLACES_MAX: usize = 255;
/// Bytes of words that one text may have; PostgreSQL takes at most a mebibyte.
const TEXT_BYTES_MAX: usize = 768 * 1024;

/// How text is kept and found here.
pub(crate) const TEXT: TextSql = TextSql {
    keep: "INSERT INTO asks_text (opened, words) VALUES (?1, CAST(CAST(?2 AS text) AS tsvector))
         ON CONFLICT (opened) DO UPDATE SET words = excluded.words",
    there: "SELECT opened FROM asks_text WHERE opened = ?1",
    remove: "DELETE FROM asks_text WHERE opened = ?1",
    found: "asks_text t JOIN asks a ON a.opened = t.opened
         WHERE t.words @@ CAST(CAST(?1 AS text) AS tsquery) AND t.opened < ?2",
    kept: |text| Cow::Owned(kept(text)),
    wanted,
};

/// The table behind it.
pub(crate) const TABLE: &str =
    "CREATE TABLE asks_text (opened int8 PRIMARY KEY, words tsvector NOT NULL);
     CREATE INDEX asks_text_words ON asks_text USING gin (words)";

/// The words of a text in order: letters and numbers, small, without marks above and below.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        if is_part(c) {
            word.extend(folded(c));
        } else if !is_combining_mark(c) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    for word in &mut words {
        let end = (0..=WORD_BYTES_MAX.min(word.len()))
            .rev()
            .find(|end| word.is_char_boundary(*end));
        word.truncate(end.unwrap_or_default());
    }
    words
}

fn is_part(c: char) -> bool {
    match c.general_category_group() {
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number => true,
        GeneralCategoryGroup::Mark
        | GeneralCategoryGroup::Punctuation
        | GeneralCategoryGroup::Symbol
        | GeneralCategoryGroup::Separator
        | GeneralCategoryGroup::Other => c.general_category() == GeneralCategory::PrivateUse,
    }
}

fn folded(c: char) -> impl Iterator<Item = char> {
    c.to_lowercase().nfd().filter(|c| !is_combining_mark(*c))
}

/// The words of a text with their places, as PostgreSQL reads them.
fn kept(text: &str) -> String {
    let mut places = BTreeMap::<String, Vec<usize>>::new();
    let mut bytes = 0;
    for (word, place) in words(text).into_iter().zip(1..) {
        if bytes > TEXT_BYTES_MAX {
            break;
        }
        bytes += word.len() + 4;
        let of_word = places.entry(word).or_default();
        if of_word.len() < PLACES_MAX {
            of_word.push(place.min(PLACE_MAX));
        }
    }
    let mut out = String::with_capacity(bytes * 2);
    for (word, mut places) in places {
        places.dedup();
        let places: Vec<String> = places.iter().map(usize::to_string).collect();
        // A word is letters and numbers, so nothing in it needs care between the quotes.
        let _ = write!(out, "'{word}':{} ", places.join(","));
    }
    out
}

/// All of the words that somebody typed. One that is several words here, such as `a-b`, is wanted as
/// those words in a row.
fn wanted(typed: &[&str]) -> Option<String> {
    let rows: Vec<String> = typed
        .iter()
        .map(|typed| {
            let words: Vec<String> = words(typed)
                .iter()
                .map(|word| format!("'{word}'"))
                .collect();
            words.join(" <-> ")
        })
        .collect();
    let is_findable = rows.iter().all(|row| !row.is_empty());
    is_findable.then(|| format!("({})", rows.join(") & (")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_small_and_bare() {
        assert_eq!(
            words("Größe, e\u{301}tude É! foo_bar's 42 你好 \u{0}x"),
            ["große", "etude", "e", "foo", "bar", "s", "42", "你好", "x"]
        );
        assert_eq!(words("* ()"), [""; 0]);
        assert_eq!(words(&"a".repeat(5000))[0].len(), WORD_BYTES_MAX);
    }

    #[test]
    fn places_are_kept() {
        assert_eq!(kept("b a b"), "'a':2 'b':1,3 ");
        let far = kept(&"a b ".repeat(20_000));
        assert!(far.starts_with("'a':1,3,"), "{}", &far[..20]);
    }

    #[test]
    fn what_is_typed_is_wanted_in_a_row() {
        assert_eq!(
            wanted(&["A-b", "c"]).as_deref(),
            Some("('a' <-> 'b') & ('c')")
        );
        assert_eq!(wanted(&["'"]), None);
    }
}
