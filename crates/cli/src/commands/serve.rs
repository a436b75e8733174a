//! `sayso serve`: settings to store to hub to doors, and the files by which commands find it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sayso_client::{Client, TokenSecret, Trust};
use sayso_core::escape::escape_line;
use sayso_core::id::{DialectName, TokenName};
use sayso_core::role::Role;
use sayso_core::text::hex;
use sayso_dialects::native::wire;
use sayso_hub::{Hub, HubSettings, LocalToken, SystemClock};
use sayso_server::{Bound, PushPlace, ServerSettings, TlsFiles};
use sayso_store_sqlite::StateFolder;
use sha2::{Digest, Sha256};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::open::qr;
use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::output::Output;
use crate::server_file::{LocalRole, ServerFile};
use crate::settings::Settings;
use crate::signals::{StopSignal, outlive_file_limits};
use crate::stores::{self, OpenedStore};

/// Secrets made and not yet logged in with are void after this: a start that takes longer than
/// this to answer itself is no start.
const FIRST_CALL_MAX: Duration = Duration::from_secs(10);
const DAY: Duration = Duration::from_secs(86_400);
/// How often a start is tried again when the database went away in the middle of it.
const START_TRIES: u32 = 10;
const START_PAUSE: Duration = Duration::from_secs(1);

pub(crate) async fn run(forget_secrets: bool, place: &CommandContext, out: &mut Output) -> Ran {
    crate::log::start(&place.settings)?;
    raise_open_files(place.settings.connections.value);
    let mut stop = StopSignal::listen()?;
    let started = tokio::select! {
        started = Running::start(place, forget_secrets) => Some(started?),
        () = stop.come() => None,
    };
    let Some(mut server) = started else {
        out.say("stopped before the server was ready");
        return Ok(Exit::Done);
    };
    announce(&server, place, out).await;
    let hub = server.hub.clone();
    let ended = tokio::select! {
        () = stop.come() => {
            out.say("stopping; open asks stay open");
            None
        }
        () = server.broken() => None,
        why = hub.ended() => Some(why),
    };
    tokio::select! {
        stopped = server.stop() => stopped?,
        () = stop.come() => {}
    }
    match ended {
        Some(why) => Err(Failure::unexpected(escape_line(&why))),
        None => Ok(Exit::Done),
    }
}

/// Says where it is. Whoever started it may have stopped listening; it serves all the same.
async fn announce(server: &Running, place: &CommandContext, out: &mut Output) {
    let mut tell = |line: &str| drop(out.data(line));
    tell(&format!("listening on {}", server.url()));
    tell(&format!("durability: {}", server.durability));
    match server.login().await {
        Ok(link) => {
            tell(&format!("log in: {}", escape_line(&link.url)));
            if let (Some(_), Ok(picture)) = (&place.settings.public_url.value, qr(&link.url)) {
                out.say(&picture);
            }
        }
        Err(failure) => out.say(&format!(
            "note: no login link: {}",
            failure.error.unwrap_or_default()
        )),
    }
}

/// The dialects whose agents do not ask again under the same id.
fn forgetful() -> Vec<DialectName> {
    sayso_dialects::DIALECTS
        .iter()
        .filter(|dialect| !dialect.asks_again)
        .filter_map(|dialect| DialectName::new(dialect.name).ok())
        .collect()
}

/// Files the server itself keeps open, beside its connections.
const OWN_FILES: u64 = 64;

/// Connections are files: takes as many as the system lets this process have.
fn raise_open_files(connections: u32) {
    let wanted = u64::from(connections) + OWN_FILES;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= wanted) {
        return;
    }
    let current = Some(limit.maximum.map_or(wanted, |maximum| maximum.min(wanted)));
    let raised = Rlimit { current, ..limit };
    if setrlimit(Resource::Nofile, raised).is_err() || current < Some(wanted) {
        tracing::warn!(
            open_files = current,
            wanted,
            "the system allows too few open files for the connections in the settings; raise `ulimit -n`"
        );
    }
}

/// Whether a start failed because the database went away in the middle of it.
fn is_passing(failure: &Failure, place: &CommandContext) -> bool {
    failure.exit == Exit::TryLater && place.settings.store_url.value.is_some()
}

/// A server that runs in this process.
#[derive(Debug)]
pub(crate) struct Running {
    file: ServerFile,
    state: std::path::PathBuf,
    admin: TokenSecret,
    pub(crate) agent: TokenSecret,
    pub(crate) durability: String,
    hub: Hub,
    /// The lock on the state folder, where the store does not hold one.
    _folder: Option<StateFolder>,
    end: oneshot::Sender<()>,
    alive: oneshot::Receiver<()>,
    doors: JoinHandle<Result<(), Failure>>,
}

impl Running {
    /// Opens the state and the doors; returns once calls are taken. A database that goes away meanwhile is
    /// waited for, as it is before.
    pub(crate) async fn start(
        place: &CommandContext,
        forget_secrets: bool,
    ) -> Result<Self, Failure> {
        outlive_file_limits()?;
        for _ in 0..START_TRIES {
            match Self::start_once(place, forget_secrets).await {
                Err(failure) if is_passing(&failure, place) => {
                    let why = failure.error.unwrap_or_default();
                    tracing::warn!("{why}; restarting");
                }
                started => return started,
            }
            tokio::time::sleep(START_PAUSE).await;
        }
        Self::start_once(place, forget_secrets).await
    }

    async fn start_once(place: &CommandContext, forget_secrets: bool) -> Result<Self, Failure> {
        let settings = &place.settings;
        let state = settings.state.value.clone();
        let mut doors = doors(settings);
        let OpenedStore { store, folder } = stores::open(place, forget_secrets).await?;
        let durability = store.durability().to_string();
        let node = store
            .neighbours()
            .map(|others| others.node_name().to_owned());
        let secrets = local_secrets(&state)?;
        let local = local_tokens(settings, node.as_deref(), &secrets)?;
        let [agent, ..] = &secrets;
        doors.sample = Some(agent.clone());
        let hub_settings = HubSettings {
            asks_per_minute: Some(settings.asks_per_minute.value).filter(|rate| *rate > 0),
            bytes_per_minute: Some(settings.bytes_per_minute.value).filter(|rate| *rate > 0),
            conversations_per_token: settings.conversations_per_token.value,
            token_idle: settings.tokens_idle.value,
            token_max_age: settings.tokens_max_age.value,
            retention: settings.retention_days.value.map(|days| DAY * days),
            open_asks_per_agent: settings.open_asks_per_agent.value,
            chat_agent: settings.chat_agent.value.clone(),
            turn_timeout: settings.turn_timeout.value,
            offer_for: settings.offer_for.value,
            withdraw_after: settings.withdraw_after.value,
            withdraw_durable_after: settings.withdraw_durable_after.value,
            forgetful: forgetful(),
        };
        let hub = Hub::open(store, Arc::new(SystemClock::new()), hub_settings, &local).await?;
        let bound = sayso_server::bind(doors, hub.clone()).await?;
        let file = ServerFile {
            url: bound.url().to_owned(),
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            certificate: bound.certificate().map(fingerprint),
        };
        file.write(&state)?;
        let [agent, _, admin] = secrets;
        let (end, ended) = oneshot::channel();
        let (life, alive) = oneshot::channel();
        let doors = tokio::spawn(serve(bound, ended, life));
        Ok(Self {
            file,
            state,
            admin: TokenSecret::new(&admin),
            agent: TokenSecret::new(&agent),
            durability,
            hub,
            _folder: folder,
            end,
            alive,
            doors,
        })
    }

    pub(crate) fn url(&self) -> &str {
        &self.file.url
    }

    /// A client of this server, as this token.
    pub(crate) fn client(&self, token: &TokenSecret) -> Result<Client, Failure> {
        let trust = self
            .file
            .certificate_hash()
            .map_or(Trust::Web, Trust::Exactly);
        Ok(Client::trusting(
            &self.file.url,
            Some(token.clone()),
            &trust,
        )?)
    }

    /// A link that logs a device in.
    pub(crate) async fn login(&self) -> Result<wire::LoginCode, Failure> {
        let client = self.client(&self.admin)?;
        match tokio::time::timeout(FIRST_CALL_MAX, client.new_login(&wire::NewLogin::default()))
            .await
        {
            Ok(link) => Ok(link?),
            Err(_) => Err(Failure::unexpected(
                "the server does not respond to its own health \
                                               check",
            )),
        }
    }

    /// Resolves when the doors have closed by themselves.
    async fn broken(&mut self) {
        // It is never sent on, only dropped.
        let _ = (&mut self.alive).await;
    }

    /// Refuses what is new, tells everyone, and waits until the doors are closed.
    pub(crate) async fn stop(self) -> Result<(), Failure> {
        // The doors may have closed by themselves; then nobody listens.
        let _ = self.end.send(());
        let ended = self.doors.await;
        self.file.remove(&self.state);
        ended.map_err(|error| Failure::unexpected(format!("the server crashed: {error}")))?
    }
}

async fn serve(
    bound: Bound,
    ended: oneshot::Receiver<()>,
    life: oneshot::Sender<()>,
) -> Result<(), Failure> {
    let end = async move { drop(ended.await) };
    let served = bound.serve(end).await;
    drop(life);
    Ok(served?)
}

fn doors(settings: &Settings) -> ServerSettings {
    let mut doors = ServerSettings::on(settings.listen.value);
    doors.public_url.clone_from(&settings.public_url.value);
    let tls = settings
        .tls_cert
        .value
        .clone()
        .zip(settings.tls_key.value.clone());
    doors.tls = tls.map(|(cert, key)| TlsFiles { cert, key });
    doors.proxies.clone_from(&settings.proxy.value);
    doors
        .allowed_origins
        .clone_from(&settings.allowed_origins.value);
    doors.person = Some(settings.person.value.clone());
    doors.node.clone_from(&settings.node_name.value);
    doors.connections_max = settings.connections.value as usize;
    doors.files = Some(settings.state.value.join("files"));
    doors.push = Some(PushPlace {
        folder: settings.state.value.join("push"),
        private_origins: settings.push_private_origins.value.clone(),
    });
    for one in &settings.dialects {
        let set = doors.dialects.entry(one.dialect.to_owned()).or_default();
        set.insert(one.key.to_owned(), one.setting.value.clone());
    }
    doors
}

/// The secrets in the three files, made where they are missing.
fn local_secrets(state: &Path) -> Result<[String; 3], Failure> {
    let [agent, person, admin] = LocalRole::ALL.map(|role| local_secret(role, state));
    Ok([agent?, person?, admin?])
}

fn local_secret(role: LocalRole, state: &Path) -> Result<String, Failure> {
    if let Some(secret) = role.read_text(state)? {
        return Ok(secret);
    }
    let secret = sayso_server::new_secret(match role {
        LocalRole::Agent => wire::Role::Agent,
        LocalRole::Person => wire::Role::Person,
        LocalRole::Admin => wire::Role::Admin,
    })?;
    role.write(state, &secret)?;
    Ok(secret)
}

/// The local tokens. Those of a node carry its name, so that nodes do not revoke each other's.
fn local_tokens(
    settings: &Settings,
    node: Option<&str>,
    [agent, own, admin]: &[String; 3],
) -> Result<[LocalToken; 3], Failure> {
    let name = |text: &str| {
        let text = node.map_or_else(|| text.to_owned(), |node| format!("{text}@{node}"));
        TokenName::new(text).map_err(|error| Failure::unexpected(error.to_string()))
    };
    Ok([
        LocalToken {
            name: name("shell")?,
            role: Role::Agent,
            secret: agent.clone(),
        },
        LocalToken {
            name: name("terminal")?,
            role: Role::Person(settings.person.value.clone()),
            secret: own.clone(),
        },
        LocalToken {
            name: name("local-admin")?,
            role: Role::Admin,
            secret: admin.clone(),
        },
    ])
}

/// SHA-256 of the certificate, so that our own commands know the server without an authority.
fn fingerprint(certificate: &[u8]) -> String {
    hex(&Sha256::digest(certificate))
}
