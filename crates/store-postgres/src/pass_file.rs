//! The password file of PostgreSQL: which line is for whom, and when the file counts.

use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// A password file is a page, not a database.
const BYTES_MAX: u64 = 256 * 1024;

/// Whom a password is for.
pub(crate) struct PassWanted<'a> {
    pub(crate) host: &'a str,
    pub(crate) port: u16,
    pub(crate) database: &'a str,
    pub(crate) user: &'a str,
}

/// The text of the file; `None` when there is none. An error says why it does not count.
pub(crate) fn read(path: &Path) -> Result<Option<String>, String> {
    let ignored = |why: &str| {
        Err(format!(
            "the password file {} is ignored: {why}",
            path.display()
        ))
    };
    let about = match fs::metadata(path) {
        Ok(about) => about,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return ignored(&error.to_string()),
    };
    if !about.is_file() {
        return ignored("it is not a plain file");
    }
    if about.mode() & 0o077 != 0 {
        return ignored(&format!(
            "others can read or write it; run `chmod 600 {}`",
            path.display()
        ));
    }
    if about.len() > BYTES_MAX {
        return ignored(&format!("it is larger than {BYTES_MAX} bytes"));
    }
    let mut text = String::new();
    match File::open(path).and_then(|file| file.take(BYTES_MAX).read_to_string(&mut text)) {
        Ok(_) => Ok(Some(text)),
        Err(error) => ignored(&error.to_string()),
    }
}

/// The password of the first line that fits.
pub(crate) fn find(text: &str, wanted: &PassWanted<'_>) -> Option<String> {
    // A socket's folder stands in the file as `localhost`, or as itself.
    let host = [
        wanted.host,
        if wanted.host.starts_with('/') {
            "localhost"
        } else {
            wanted.host
        },
    ];
    let port = wanted.port.to_string();
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .find_map(|line| {
            let mut fields = fields(line).into_iter();
            let mut fits = |values: &[&str]| {
                fields.next().is_some_and(|(field, is_bare)| {
                    (is_bare && field == "*") || values.contains(&field.as_str())
                })
            };
            let is_it =
                fits(&host) && fits(&[&port]) && fits(&[wanted.database]) && fits(&[wanted.user]);
            let (password, _) = is_it.then(|| fields.next()).flatten()?;
            (!password.is_empty()).then_some(password)
        })
}

/// The fields between colons, each with whether it is as it was written; `\:` and `\\` are no ends.
fn fields(line: &str) -> Vec<(String, bool)> {
    let mut fields = vec![(String::new(), true)];
    let mut chars = line.trim_end_matches('\r').chars();
    while let Some(char) = chars.next() {
        // The password is the rest of the line, but for the same marks.
        if char == ':' && fields.len() < 5 {
            fields.push((String::new(), true));
        } else if let Some((field, is_bare)) = fields.last_mut() {
            *is_bare = *is_bare && char != '\\';
            field.push(if char == '\\' {
                chars.next().unwrap_or('\\')
            } else {
                char
            });
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const TEXT: &str = "# db:5432:sayso:node:comment\n\
        db:5432:sayso:node:first\n\
        db:*:*:node:sec\\:ond\\\\\n\
        *:5432:sayso:ann:with:colons\n\
        localhost:*:*:*:socket\n\
        \\*:*:*:*:star\n\
        half:1:2\n";

    fn pass(host: &str, port: u16, database: &str, user: &str) -> Option<String> {
        find(
            TEXT,
            &PassWanted {
                host,
                port,
                database,
                user,
            },
        )
    }

    #[test]
    fn the_first_line_that_fits_counts() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(pass("db", 5432, "sayso", "node"), some("first"));
        assert_eq!(pass("db", 5433, "other", "node"), some("sec:ond\\"));
        assert_eq!(pass("far", 5432, "sayso", "ann"), some("with:colons"));
        assert_eq!(
            pass("/run/postgresql", 5432, "sayso", "bob"),
            some("socket")
        );
        assert_eq!(pass("*", 1, "sayso", "bob"), some("star"));
        assert_eq!(pass("far", 5432, "sayso", "bob"), None);
    }

    #[test]
    fn a_file_that_others_can_read_does_not_count() {
        let folder = std::env::temp_dir().join(format!("sayso-pass-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("pgpass");
        assert_eq!(read(&path), Ok(None));
        fs::write(&path, "*:*:*:*:canary\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let said = read(&path).unwrap_err();
        assert!(
            said.contains("chmod 600") && !said.contains("canary"),
            "{said}"
        );
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(read(&path), Ok(Some("*:*:*:*:canary\n".to_owned())));
        assert!(read(&folder).unwrap_err().contains("not a plain file"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
