//! What one part of the bench is told by another: `name=value` words.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, anyhow};

use super::tally::thousands;

#[derive(Debug)]
pub(super) struct Words(Vec<(String, String)>);

impl Words {
    pub(super) fn read(words: &[String]) -> Result<Self> {
        let split = |word: &String| {
            let (name, value) = word
                .split_once('=')
                .with_context(|| format!("{word:?} is not name=value"))?;
            Ok((name.to_owned(), value.to_owned()))
        };
        words.iter().map(split).collect::<Result<_>>().map(Self)
    }

    pub(super) fn find(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    pub(super) fn get<T: FromStr>(&self, name: &str) -> Result<T> {
        let text = self
            .find(name)
            .with_context(|| format!("{name}= is missing"))?;
        text.parse()
            .map_err(|_| anyhow!("{name}={text} cannot be read"))
    }

    /// Where the part leaves its result.
    pub(super) fn out(&self) -> Result<PathBuf> {
        self.get("out")
    }
}

/// Puts a result where the part that waits for it finds it whole or not at all.
pub(super) fn leave(path: &Path, text: &str) -> Result<()> {
    let half = path.with_extension("half");
    std::fs::write(&half, text)
        .and_then(|()| std::fs::rename(&half, path))
        .with_context(|| format!("could not write {}", path.display()))
}

/// Says how far a part has come, for the part that waits for it.
pub(super) fn tell(out: &Path, done: u64, all: u64) {
    // Progress that cannot be told harms nobody.
    drop(std::fs::write(
        told(out),
        format!("{} of {}", thousands(done.min(all)), thousands(all)),
    ));
}

/// Where it is told.
pub(super) fn told(out: &Path) -> PathBuf {
    out.with_extension("told")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_by_name() {
        let words = Words::read(&["pairs=64".to_owned(), "state=/a=b".to_owned()]).unwrap();
        assert_eq!(words.get::<usize>("pairs").unwrap(), 64);
        assert_eq!(words.find("state"), Some("/a=b"));
        assert_eq!(words.find("pid"), None);
        assert_eq!(
            words.get::<u32>("pid").unwrap_err().to_string(),
            "pid= is missing"
        );
        assert_eq!(
            words.get::<u32>("state").unwrap_err().to_string(),
            "state=/a=b cannot be read"
        );
        assert!(Words::read(&["pairs".to_owned()]).is_err());
    }
}
