//! Where this command stands: its settings, the environment, and the server it talks to.

use sayso_client::{Client, ServerAddress, TokenSecret, Trust};

use crate::argv::shell_line;
use crate::failure::Failure;
use crate::server_file::{LocalRole, ServerFile};
use crate::settings::{Environment, FlagValues, SettingSource, Settings, names};

/// Where this command stands.
#[derive(Debug, Clone)]
pub(crate) struct CommandContext {
    pub(crate) environment: Environment,
    pub(crate) settings: Settings,
}

/// A server, and how we know of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundServer {
    pub(crate) url: String,
    pub(crate) trust: Trust,
    /// Whether it is the one of `server.json`, to which the local tokens may go.
    pub(crate) local: bool,
}

impl CommandContext {
    pub(crate) fn gather(environment: Environment, flags: &FlagValues) -> Result<Self, Failure> {
        let settings = Settings::gather(&environment, flags)?;
        Ok(Self {
            environment,
            settings,
        })
    }

    /// What to do when the server cannot be reached.
    pub(crate) fn unreachable_hint(&self) -> String {
        if self.environment.get(names::URL).is_some() {
            "check SAYSO_URL, and that the server is running".to_owned()
        } else {
            format!("start the server with `{}`", self.start_line())
        }
    }

    /// That there is a journal to work on. Opening would make a new, empty one, and that is not what
    /// anybody wants to copy, check or rebuild from.
    pub(crate) fn has_journal(&self) -> Result<(), Failure> {
        let state = &self.settings.state.value;
        if state.join("journal.db").exists() {
            return Ok(());
        }
        Err(Failure::new(
            crate::exit::Exit::Refused,
            format!("there is no journal in {}", state.display()),
        )
        .hint("set the state folder with --state or SAYSO_STATE"))
    }

    /// Whether the command line names a database. It then is that one, whatever server runs here.
    pub(crate) fn is_database_named(&self) -> bool {
        let store = &self.settings.store_url;
        store.value.is_some() && matches!(store.source, SettingSource::Flag(_))
    }

    /// The line that starts the server whose state this is.
    pub(crate) fn start_line(&self) -> String {
        match &self.settings.state.source {
            _ if self.is_database_named() => {
                let url = self.settings.store_url.value.as_ref();
                let url = url.map(ToString::to_string).unwrap_or_default();
                shell_line(&["sayso", "serve", "--store", &url].map(str::to_owned))
            }
            SettingSource::Default | SettingSource::File(..) | SettingSource::Environment(_) => {
                "sayso serve".to_owned()
            }
            SettingSource::Flag(_) => format!(
                "sayso serve --state {}",
                self.settings.state.value.display()
            ),
        }
    }

    /// The server to talk to.
    pub(crate) fn find(&self) -> Result<FoundServer, Failure> {
        let state = &self.settings.state.value;
        let file = ServerFile::read(state)?;
        let local = file.as_ref().map(|file| FoundServer {
            url: file.url.clone(),
            trust: file.certificate_hash().map_or(Trust::Web, Trust::Exactly),
            local: true,
        });
        let Some(url) = self.environment.get(names::URL) else {
            return local.ok_or_else(|| {
                Failure::new(
                    crate::exit::Exit::Unreachable,
                    format!("no server is running for the state in {}", state.display()),
                )
            });
        };
        // The same server may be spelled in two ways; only the same address gets the local tokens.
        let wanted = ServerAddress::parse(url)?;
        match local
            .filter(|found| ServerAddress::parse(&found.url).is_ok_and(|there| there == wanted))
        {
            Some(found) => Ok(found),
            None => Ok(FoundServer {
                url: url.to_owned(),
                trust: Trust::Web,
                local: false,
            }),
        }
    }

    /// A way in as this role.
    pub(crate) fn client(&self, role: LocalRole) -> Result<Client, Failure> {
        let found = self.find()?;
        let token = match self.environment.get(names::TOKEN) {
            Some(token) => TokenSecret::new(token),
            None if found.local => self.local_token(role)?,
            None => {
                return Err(Failure::usage(format!(
                    "SAYSO_URL is {}, which is not the server of this state",
                    found.url
                ))
                .hint(format!(
                    "set SAYSO_TOKEN to a token of that server with the role {}",
                    role.word()
                )));
            }
        };
        Ok(Client::trusting(&found.url, Some(token), &found.trust)?)
    }

    fn local_token(&self, role: LocalRole) -> Result<TokenSecret, Failure> {
        let state = &self.settings.state.value;
        role.read(state)?.ok_or_else(|| {
            Failure::unexpected(format!(
                "there is no {}.token in {}",
                role.word(),
                state.display()
            ))
            .hint("restart the server; it creates missing local tokens")
        })
    }
}
