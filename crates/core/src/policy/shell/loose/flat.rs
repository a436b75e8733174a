//! The flat reading: no quote and no bracket hides anything from it.

use super::WordRun;

/// Every run of words in a text.
///
/// Quotes and backslashes are dropped, so that words put together from pieces are whole again;
/// whatever can end or begin a command does.
pub(super) fn runs(text: &str) -> Vec<WordRun> {
    let mut found = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let end_word = |word: &mut String, words: &mut Vec<String>| {
        if !word.is_empty() {
            words.push(std::mem::take(word));
        }
    };
    for char in text.chars() {
        match char {
            '\'' | '"' | '\\' => {}
            ';' | '&' | '|' | '(' | ')' | '{' | '}' | '`' | '$' | '<' | '>' | '\n' | '\r' => {
                end_word(&mut word, &mut words);
                found.extend(WordRun::of(std::mem::take(&mut words)));
            }
            char if char.is_whitespace() || char.is_control() => end_word(&mut word, &mut words),
            char => word.push(char),
        }
    }
    end_word(&mut word, &mut words);
    found.extend(WordRun::of(words));
    found
}
