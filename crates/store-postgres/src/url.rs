//! A URL of PostgreSQL: what is in it, and how it is shown without its password.

use std::fmt;
use std::str::FromStr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use tokio_postgres::Config;

/// What to do about a password that is taken for something else.
const ENCODE: &str = "Write special characters of a password as %XX: %3A for `:`, %2F for `/`, %3F for `?`, %40 for `@`";
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];
/// What is written as %XX in a URL that we make.
const QUOTED: AsciiSet = NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A URL that was found to be one. It never shows its password.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl(String);

/// What a URL says.
pub(crate) struct UrlParts {
    /// Everything that the driver decides about; it has no hosts.
    pub(crate) config: Config,
    pub(crate) hosts: Vec<UrlHost>,
    pub(crate) ssl_mode: Option<String>,
    pub(crate) root_cert: Option<String>,
    pub(crate) pass_file: Option<String>,
}

/// A name, an address, or a folder with a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UrlHost {
    pub(crate) name: String,
    pub(crate) port: Option<u16>,
}

impl PostgresUrl {
    /// The URL as it was written, with a password if it has one.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there is a password in it.
    pub fn has_password(&self) -> bool {
        let parts = self.parts();
        parts.is_ok_and(|parts| parts.config.get_password().is_some())
    }

    /// Takes it apart.
    pub(crate) fn parts(&self) -> Result<UrlParts, String> {
        let (before, query) = halves(&self.0)?;
        let (credentials, place) = match before.rsplit_once('@') {
            Some((credentials, place)) => (Some(credentials), place),
            None => (None, before),
        };
        let (hosts, database) = place.split_once('/').unwrap_or((place, ""));
        let mut parts = UrlParts {
            config: Config::new(),
            hosts: Vec::new(),
            ssl_mode: None,
            root_cert: None,
            pass_file: None,
        };
        let mut left = Vec::new();
        let (mut named, mut numbers) = (None, None);
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').ok_or_else(|| {
                format!("there is a parameter without `=` after the `?`. {ENCODE}")
            })?;
            match key {
                "host" => named = Some(decoded(value)?),
                "port" => numbers = Some(decoded(value)?),
                "sslmode" => parts.ssl_mode = Some(decoded(value)?),
                "sslrootcert" => parts.root_cert = Some(decoded(value)?),
                "passfile" => parts.pass_file = Some(decoded(value)?),
                "target_session_attrs" => check_attrs(&decoded(value)?)?,
                "hostaddr" => {
                    return Err("hostaddr isn't supported; give the address as the host".to_owned());
                }
                // The driver would take it for the end of a user name.
                _ => left.push(pair.replace('@', "%40")),
            }
        }
        parts.config = format!("postgres:///?{}", left.join("&"))
            .parse()
            .map_err(|error| crate::fault::told(&error))?;
        if let Some(credentials) = credentials {
            let (user, password) = credentials.split_once(':').unwrap_or((credentials, ""));
            if !user.is_empty() {
                parts.config.user(decoded(user)?);
            }
            if !password.is_empty() {
                parts
                    .config
                    .password(percent_decode_str(password).collect::<Vec<u8>>());
            }
        }
        if !database.is_empty() {
            parts.config.dbname(decoded(database)?);
        }
        parts.hosts = if hosts.is_empty() {
            listed(named.as_deref().unwrap_or_default(), numbers.as_deref())?
        } else {
            hosts.split(',').map(host).collect::<Result<_, _>>()?
        };
        Ok(parts)
    }
}

/// Hosts and ports as `a,b` and `5432,5433`; one port counts for all.
pub(crate) fn listed(hosts: &str, ports: Option<&str>) -> Result<Vec<UrlHost>, String> {
    let ports = ports.map(|ports| ports.split(',').map(port).collect::<Result<Vec<_>, _>>());
    let ports = ports.transpose()?.unwrap_or_default();
    let hosts: Vec<&str> = hosts.split(',').filter(|host| !host.is_empty()).collect();
    if ports.len() > 1 && ports.len() != hosts.len() {
        return Err("there must be one port, or one for each host".to_owned());
    }
    let named = |(at, name): (usize, &&str)| UrlHost {
        name: (*name).to_owned(),
        port: ports.get(at).or(ports.first()).copied(),
    };
    Ok(hosts.iter().enumerate().map(named).collect())
}

/// What is before and after the `?`.
fn halves(text: &str) -> Result<(&str, &str), String> {
    let after = SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme));
    let after = after.ok_or("must start with postgres://, as in postgres://USER@HOST/DATABASE")?;
    Ok(after.split_once('?').unwrap_or((after, "")))
}

fn decoded(text: &str) -> Result<String, String> {
    let decoded = percent_decode_str(text).decode_utf8();
    Ok(decoded
        .map_err(|_| "the URL is not UTF-8 once its %XX are decoded")?
        .into_owned())
}

/// A part of a URL that we make.
pub(crate) fn quoted(text: &str) -> String {
    utf8_percent_encode(text, &QUOTED).to_string()
}

fn host(text: &str) -> Result<UrlHost, String> {
    let (name, after) = match text.strip_prefix('[') {
        Some(text) => text.split_once(']').ok_or("a `[` has no `]`")?,
        None => text.split_at(text.find(':').unwrap_or(text.len())),
    };
    if name.is_empty() {
        return Err("there is an empty host".to_owned());
    }
    let given = after.strip_prefix(':').filter(|port| !port.is_empty());
    Ok(UrlHost {
        name: decoded(name)?,
        port: given.map(port).transpose()?,
    })
}

/// The text is not repeated: it may be the end of a password.
fn port(text: &str) -> Result<u16, String> {
    let number = text.parse();
    number.map_err(|_| format!("the port is not a number. {ENCODE}"))
}

/// A node writes, so that only a primary will do.
fn check_attrs(wanted: &str) -> Result<(), String> {
    match wanted {
        "any" | "read-write" | "primary" => Ok(()),
        _ => Err(
            "target_session_attrs must be read-write: sayso needs a server that accepts writes"
                .to_owned(),
        ),
    }
}

impl FromStr for PostgresUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let url = Self(text.to_owned());
        url.parts()?;
        Ok(url)
    }
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = self.0.split_inclusive("://").next().unwrap_or_default();
        let (before, query) = halves(&self.0).unwrap_or_default();
        f.write_str(scheme)?;
        match before.rsplit_once('@') {
            Some((credentials, place)) => match credentials.split_once(':') {
                Some((user, _)) => write!(f, "{user}:***@{place}")?,
                None => f.write_str(before)?,
            },
            None => f.write_str(before)?,
        }
        for (at, pair) in query.split('&').filter(|pair| !pair.is_empty()).enumerate() {
            f.write_str(if at == 0 { "?" } else { "&" })?;
            match pair.split_once('=') {
                // However the key is written: the driver decodes it.
                Some((key, _)) if decoded(key).is_ok_and(|key| key == "password") => {
                    write!(f, "{key}=***")?;
                }
                _ => f.write_str(pair)?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> PostgresUrl {
        text.parse().unwrap()
    }

    #[test]
    fn a_url_names_hosts_user_and_database() {
        let parts =
            url("postgresql://no%40de:s%2Fc@a,b:5433,[::1]:5434/say%20so?connect_timeout=3")
                .parts();
        let parts = parts.unwrap();
        assert_eq!(parts.config.get_user(), Some("no@de"));
        assert_eq!(parts.config.get_password(), Some(&b"s/c"[..]));
        assert_eq!(parts.config.get_dbname(), Some("say so"));
        let hosts = [("a", None), ("b", Some(5433)), ("::1", Some(5434))];
        let hosts = hosts.map(|(name, port)| UrlHost {
            name: name.to_owned(),
            port,
        });
        assert_eq!(parts.hosts, hosts);
    }

    #[test]
    fn hosts_may_be_folders_and_come_as_parameters() {
        let folder = UrlHost {
            name: "/run/pg".to_owned(),
            port: None,
        };
        for text in [
            "postgres:///sayso?host=/run/pg&user=node",
            "postgres://node@%2Frun%2Fpg/sayso",
        ] {
            let parts = url(text).parts().unwrap();
            assert_eq!(
                (parts.config.get_user(), parts.hosts),
                (Some("node"), vec![folder.clone()]),
                "{text}"
            );
        }
        let parts = url("postgres:///sayso?host=a,b&port=1,2").parts().unwrap();
        let given: Vec<_> = parts.hosts.into_iter().map(|host| host.port).collect();
        assert_eq!(given, [Some(1), Some(2)]);
    }

    #[test]
    fn what_is_no_url_is_refused_without_being_repeated() {
        for (text, why) in [
            ("mysql://node:canary@a/b", "must start with postgres://"),
            ("host=a password=canary", "must start with postgres://"),
            ("postgres://node:canary?x@a/b", "%3F for `?`"),
            ("postgres://a:canary/b", "the port is not a number"),
            ("postgres://a/b?canary", "without `=`"),
            ("postgres://a/b?sslcert=canary", "sslcert"),
            ("postgres://a/b?hostaddr=canary", "hostaddr isn't supported"),
            ("postgres://a,,b/c", "an empty host"),
            (
                "postgres://a/b?target_session_attrs=standby",
                "accepts writes",
            ),
        ] {
            let said = text.parse::<PostgresUrl>().unwrap_err();
            assert!(said.contains(why), "{text}: {said}");
            assert!(!said.contains("canary"), "{text}: {said}");
        }
    }

    #[test]
    fn a_url_is_shown_without_its_password() {
        for (text, shown) in [
            ("postgres://node:canary@a,b/c", "postgres://node:***@a,b/c"),
            (
                "postgres://node:can@ary@a/b?application_name=x",
                "postgres://node:***@a/b?application_name=x",
            ),
            (
                "postgresql://a:5432/b?password=can@ary&user=node",
                "postgresql://a:5432/b?password=***&user=node",
            ),
            (
                "postgres://a/b?p%61ssword=canary",
                "postgres://a/b?p%61ssword=***",
            ),
        ] {
            let url = url(text);
            assert_eq!(url.to_string(), shown);
            assert_eq!(format!("{url:?}"), shown);
            assert!(url.has_password(), "{text}");
        }
        for text in ["postgres://node@a,b:5433/c", "postgres://node:@a/b"] {
            assert!(!url(text).has_password(), "{text}");
        }
    }
}
