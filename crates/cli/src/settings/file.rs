//! `sayso.toml`: the keys in it and where they are, read strictly.
//!
//! Only the file of the user's config folder, or the one named by `--config`; never one that the
//! working directory happens to hold, and never one that others could have written.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sayso_core::escape::escape_line;
use toml::de::{DeTable, DeValue};

use super::nearest::nearest;
use super::row::Shape;
use super::{SettingSource, rows};
use crate::failure::Failure;

/// A settings file is a page, not a database.
const BYTES_MAX: u64 = 256 * 1024;

/// What is set in the file: by key, the text of the value and where the key is.
#[derive(Debug, Default)]
pub(super) struct File {
    path: PathBuf,
    text: String,
    values: BTreeMap<String, (String, usize)>,
}

impl File {
    /// Reads the file; a missing one is empty unless it was asked for by name.
    pub(super) fn read(path: &Path, named: bool) -> Result<Self, Failure> {
        let shown = path.display();
        let unreadable = |error: io::Error| {
            Failure::usage(format!("cannot read the settings in {shown}: {error}"))
        };
        let refused = |why: &str| Err(Failure::usage(format!("the settings in {shown} {why}")));
        let about = match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !named => {
                return Ok(Self::default());
            }
            about => about.map_err(unreadable)?,
        };
        if !about.is_file() {
            return refused("are not a file");
        }
        if about.mode() & 0o022 != 0 {
            let failure = Failure::usage(format!(
                "other users can write to the settings in \
                                                  {shown}"
            ));
            return Err(failure.hint(format!("check its contents, then run `chmod go-w {shown}`")));
        }
        let me = rustix::process::getuid().as_raw();
        if about.uid() != me && about.uid() != 0 {
            return refused("belong to another user");
        }
        if about.len() > BYTES_MAX {
            return refused(&format!("are larger than {BYTES_MAX} bytes"));
        }
        Self::parse(path, &fs::read_to_string(path).map_err(unreadable)?)
    }

    /// The settings in the text of a file.
    pub(super) fn parse(path: &Path, text: &str) -> Result<Self, Failure> {
        let mut file = Self {
            path: path.to_owned(),
            text: text.to_owned(),
            values: BTreeMap::new(),
        };
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            file.fault(at, &error.message().trim().replace('\n', " "))
        })?;
        file.take("", table.get_ref())?;
        Ok(file)
    }

    /// The text of a value, and where it came from.
    pub(super) fn get(&self, key: &str) -> Option<(String, SettingSource)> {
        let (text, at) = self.values.get(key)?;
        Some((text.clone(), self.place(*at)))
    }

    fn place(&self, at: usize) -> SettingSource {
        let before = self.text.get(..at).unwrap_or(&self.text);
        SettingSource::File(self.path.clone(), before.matches('\n').count() + 1)
    }

    fn fault(&self, at: usize, why: &str) -> Failure {
        Failure::usage(format!("{}: {why}", self.place(at)))
    }

    /// Takes the values out of a section of the file.
    fn take(&mut self, section: &str, table: &DeTable<'_>) -> Result<(), Failure> {
        // In the order of the file, so that its first mistake is the one that is reported.
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            let (at, key) = (key.span().start, key.get_ref());
            let mut name = key.to_string();
            if key.is_empty() || key.contains('.') {
                // A dot inside quotes separates nothing, so it must not look as if it did.
                name = format!("{key:?}");
            }
            if !section.is_empty() {
                name = format!("{section}.{name}");
            }
            if let Some(row) = rows().find(|row| row.key == name) {
                let text = text_of(value.get_ref(), row.shape);
                let text = text.map_err(|why| self.fault(at, &format!("{name}: {why}")))?;
                self.values.insert(name, (text, at));
            } else if let DeValue::Table(inner) = value.get_ref()
                && sections().any(|section| section == name)
            {
                self.take(&name, inner)?;
            } else {
                return Err(self.fault(at, &unknown(&name)));
            }
        }
        Ok(())
    }
}

/// A value as the environment would have it.
fn text_of(value: &DeValue<'_>, shape: Shape) -> Result<String, &'static str> {
    match (value, shape) {
        (DeValue::String(text), _) => Ok(text.to_string()),
        (DeValue::Float(number), _) => Ok(number.as_str().to_owned()),
        (DeValue::Boolean(truth), _) => Ok(truth.to_string()),
        (DeValue::Integer(number), _) => {
            let read = i128::from_str_radix(number.as_str(), number.radix());
            Ok(read.map_or_else(|_| number.to_string(), |number| number.to_string()))
        }
        (DeValue::Array(items), Shape::List) => {
            let text = |item: &toml::Spanned<_>| text_of(item.get_ref(), Shape::Plain);
            Ok(items
                .iter()
                .map(text)
                .collect::<Result<Vec<_>, _>>()?
                .join(","))
        }
        (DeValue::Table(table), Shape::Lists) => {
            let mut entries = Vec::new();
            for (key, items) in table {
                let items = text_of(items.get_ref(), Shape::List)?;
                entries.push(format!("{}={items}", key.get_ref()));
            }
            Ok(entries.join(" "))
        }
        (_, Shape::Plain | Shape::Secret | Shape::Database | Shape::Path) => {
            Err("must be a string or a number")
        }
        (_, Shape::List) => Err("must be a list"),
        (_, Shape::Lists) => Err("must be a table of lists"),
    }
}

/// The name of every section that has keys in it.
fn sections() -> impl Iterator<Item = &'static str> {
    let dots = |key: &'static str| key.match_indices('.').map(|(dot, _)| key.split_at(dot).0);
    rows().flat_map(move |row| dots(row.key))
}

fn unknown(name: &str) -> String {
    let meant = nearest(name, rows().map(|row| row.key).chain(sections()));
    let meant = meant.map_or_else(String::new, |meant| {
        let is_section = sections().any(|section| section == meant);
        let (open, close) = if is_section { ("[", "]") } else { ("", "") };
        format!("; did you mean `{open}{meant}{close}`?")
    });
    format!("unknown key `{}`{meant}", escape_line(name))
}
