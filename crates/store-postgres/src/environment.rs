//! What the programs of PostgreSQL read from the environment, where a URL says nothing.

use std::path::PathBuf;

/// What the environment says about connecting. It never shows itself: there may be a password in it.
#[derive(Clone, Default)]
pub struct PgEnvironment {
    pub(crate) host: Option<String>,
    pub(crate) port: Option<String>,
    pub(crate) user: Option<String>,
    pub(crate) database: Option<String>,
    pub(crate) password: Option<String>,
    pub(crate) pass_file: Option<PathBuf>,
    pub(crate) ssl_mode: Option<String>,
    pub(crate) root_cert: Option<PathBuf>,
}

impl std::fmt::Debug for PgEnvironment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PgEnvironment").finish_non_exhaustive()
    }
}

impl PgEnvironment {
    /// The names that count, as the manual of libpq has them.
    pub const NAMES: [&str; 8] = [
        "PGDATABASE",
        "PGHOST",
        "PGPASSFILE",
        "PGPASSWORD",
        "PGPORT",
        "PGSSLMODE",
        "PGSSLROOTCERT",
        "PGUSER",
    ];

    /// What this says under each name. Beside those above, the home folder and the login name count.
    pub fn of<'a>(get: impl Fn(&str) -> Option<&'a str>) -> Self {
        let text = |name: &str| get(name).map(str::to_owned);
        let of_home = || get("HOME").map(|home| PathBuf::from(home).join(".pgpass"));
        Self {
            host: text("PGHOST"),
            port: text("PGPORT"),
            user: text("PGUSER")
                .or_else(|| text("USER"))
                .or_else(|| text("LOGNAME")),
            database: text("PGDATABASE"),
            password: text("PGPASSWORD"),
            pass_file: text("PGPASSFILE").map(PathBuf::from).or_else(of_home),
            ssl_mode: text("PGSSLMODE"),
            root_cert: text("PGSSLROOTCERT").map(PathBuf::from),
        }
    }
}
