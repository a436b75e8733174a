//! The loose reading: every literal command it can find in a text, through quotes, substitutions
//! and wrappers. It sees commands where there are none, and so it may only serve to deny.

use super::programs::carries;

/// One run of words between two marks that could begin a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    words: Vec<String>,
}

/// Every run of words in a text.
///
/// Quotes and backslashes are dropped, so that words put together from pieces are whole again;
/// whatever can end or begin a command does. The work is linear in the text, and there is no bound
/// on how many runs are looked at.
pub fn runs(text: &str) -> Vec<Run> {
    let text = text.replace("\\\n", "").replace("\\\r\n", "");
    let text = text.replace("${IFS}", " ").replace("$IFS", " ");
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
                if !words.is_empty() {
                    found.push(Run {
                        words: std::mem::take(&mut words),
                    });
                }
            }
            char if char.is_whitespace() || char.is_control() => end_word(&mut word, &mut words),
            // A comma stands between the words of a brace expansion.
            char => word.push(char),
        }
    }
    end_word(&mut word, &mut words);
    if !words.is_empty() {
        found.push(Run { words });
    }
    found
}

impl Run {
    /// The words from every place where a command could begin: at the front, after assignments and
    /// words of the shell, and anywhere behind a program that runs others.
    pub fn commands(&self) -> impl Iterator<Item = &[String]> {
        let mut front = true;
        let mut carried = false;
        self.words.iter().enumerate().filter_map(move |(at, word)| {
            let begins = front || carried;
            let lead = word.contains('=') || super::programs::is_shell_word(word);
            front = front && lead;
            carried = carried
                || carries(base(word))
                || matches!(
                    base(word),
                    "command" | "eval" | "exec" | "find" | "time" | "trap"
                );
            if begins { self.words.get(at..) } else { None }
        })
    }
}

/// The name of a program without the folder it is in.
pub fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Whether a command begins with these words; the program may be named by a path.
pub fn begins_with(command: &[String], words: &[String]) -> bool {
    match (command.split_first(), words.split_first()) {
        (Some((have, rest)), Some((program, wanted))) => {
            (have == program || base(have) == program) && rest.starts_with(wanted)
        }
        (_, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(text: &str, words: &str) -> bool {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        runs(text)
            .iter()
            .any(|run| run.commands().any(|command| begins_with(command, &words)))
    }

    #[test]
    fn a_command_is_found_wherever_it_hides() {
        for text in [
            "rm -rf x",
            "/bin/rm -rf x",
            "ls; rm -rf x",
            "ls && rm  -rf x",
            "ls\nrm -rf x",
            "ls & rm -rf x",
            "(rm -rf x)",
            "{ rm -rf x; }",
            "echo $(rm -rf x)",
            "echo `rm -rf x`",
            "cat <(rm -rf x)",
            "A=1 B=2 rm -rf x",
            "if true; then rm -rf x; fi",
            "! rm -rf x",
            "sudo rm -rf x",
            "env A=1 nice -n 5 rm -rf x",
            "bash -c 'rm -rf x'",
            "sh -c \"cd /; rm -rf x\"",
            "xargs rm -rf x",
            "find . -exec rm -rf x +",
            "timeout 5 rm -rf x",
            "eval rm -rf x",
            "r'm' -rf x",
            "r\\m -r\"f\" x",
            "rm${IFS}-rf${IFS}x",
            "rm \\\n -rf x",
            "trap 'rm -rf x' EXIT",
        ] {
            assert!(finds(text, "rm -rf"), "{text}");
        }
    }

    #[test]
    fn a_word_that_is_no_command_is_none() {
        for text in [
            "git rm -rf x",
            "grep rm -rf x",
            "echo rm -rf x",
            "rm -r x",
            "rmdir -rf x",
        ] {
            assert!(!finds(text, "rm -rf"), "{text}");
        }
    }

    #[test]
    fn a_hundred_thousand_parts_are_all_looked_at() {
        let text = format!("{}rm -rf x", "true; ".repeat(100_000));
        assert!(finds(&text, "rm -rf"));
    }
}
