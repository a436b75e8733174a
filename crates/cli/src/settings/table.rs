//! The table of settings: one row each, in the order of docs/settings.md.
//!
//! A row is a field of [`Settings`], the function that reads its text, its key, its name in the
//! environment and its default; the comment above it is what the page says.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use sayso_core::id::PersonName;
use sayso_server::PublicUrl;
use sayso_store_postgres::PostgresUrl;

use super::dialects::{self, DialectSetting};
use super::layers::{Layers, Setting};
use super::row::{SettingRow, Shape, row};
use super::values::{
    LogFormat, StoreDurability, address, addresses, days_or_never, host_name, list, lists,
    log_filter, log_format, node_name, number, optional, path, person, poll, readers,
    store_durability, text, time, time_or_never,
};
use crate::failure::Failure;

macro_rules! settings {
    ($($(#[doc = $meaning:literal])+ $field:ident: $type:ty = $read:expr, $row:expr;)+) => {
        /// Every setting, read and checked.
        #[derive(Debug, Clone)]
        pub(crate) struct Settings {
            $($(#[doc = $meaning])+ pub(crate) $field: Setting<$type>,)+
            /// Everything that can be set for a dialect.
            pub(crate) dialects: Vec<DialectSetting>,
        }

        pub(super) static ROWS: &[SettingRow] = &[$($row.meaning(concat!($($meaning),+))),+];

        impl Settings {
            $(
                #[doc = concat!("The value of `", stringify!($field), "`.")]
                pub(super) fn $field(layers: &Layers<'_>) -> Result<Setting<$type>, Failure> {
                    static ROW: SettingRow = $row;
                    layers.pick(&ROW, $read)
                }
            )+

            /// Reads every row.
            pub(super) fn read(layers: &Layers<'_>) -> Result<Self, Failure> {
                Ok(Self {
                    $($field: Self::$field(layers)?,)+
                    dialects: dialects::read(layers)?,
                })
            }

            /// The lines of `doctor`: what, its value, and where that came from.
            pub(crate) fn lines(&self) -> Vec<[String; 3]> {
                let mut lines = vec![$(self.$field.line()),+];
                lines.extend(self.dialects.iter().map(|one| one.setting.line()));
                lines
            }
        }
    };
}

settings! {
    /// The settings file.
    config: PathBuf = path,
        row("", "SAYSO_CONFIG", "$XDG_CONFIG_HOME/sayso/sayso.toml").flag("--config").shape(Shape::Path)
            .found(|user| user.path("XDG_CONFIG_HOME", ".config", "sayso/sayso.toml"));

    /// The address to listen on; port 0 picks a free port and prints it. Any address but loopback
    /// needs `tls` or `proxy`.
    listen: SocketAddr = address, row("listen", "SAYSO_LISTEN", "127.0.0.1:7717").flag("--listen");

    /// The folder with the journal, the key and the token files.
    state: PathBuf = path,
        row("state", "SAYSO_STATE", "$XDG_STATE_HOME/sayso").flag("--state").shape(Shape::Path)
            .found(|user| user.path("XDG_STATE_HOME", ".local/state", "sayso"));

    /// The journal in PostgreSQL, for many nodes: `postgres://USER@HOST[,HOST2]/DATABASE`. Without
    /// it, the journal is in the state folder. [Many nodes](scale-out.md) says where the password
    /// goes.
    store_url: Option<PostgresUrl> = optional,
        row("store.url", "SAYSO_STORE_URL", "").flag("--store").shape(Shape::Database);

    /// The key file that encrypts secrets in PostgreSQL, the same on every node; `sayso key new FILE`
    /// creates it. Without it, the key in the state folder.
    store_key_file: Option<PathBuf> = optional,
        row("store.key_file", "SAYSO_STORE_KEY_FILE", "").flag("--key-file").shape(Shape::Path);

    /// The certificate (PEM) of the authority that signed PostgreSQL's. With it, TLS is required
    /// and verified.
    store_root_cert: Option<PathBuf> = optional,
        row("store.root_cert", "SAYSO_STORE_ROOT_CERT", "").shape(Shape::Path);

    /// The schema of the database that holds the journal. Each schema is a separate journal.
    store_schema: String = text, row("store.schema", "SAYSO_STORE_SCHEMA", "sayso");

    /// `checked` goes by the settings of PostgreSQL. `trusted` means that you vouch for a
    /// replication that PostgreSQL can't see, as in RDS Multi-AZ or Aurora.
    store_durability: StoreDurability = store_durability,
        row("store.durability", "SAYSO_STORE_DURABILITY", "checked");

    /// How often the journal is read when no notification arrives (10ms to 10s). Lower it when a
    /// connection pooler swallows notifications.
    store_poll: Duration = poll, row("store.poll", "SAYSO_STORE_POLL", "250ms");

    /// Connections to PostgreSQL that are kept for reading (1 to 64). A node needs three more, and
    /// one for lists.
    store_readers: usize = readers, row("store.readers", "SAYSO_STORE_READERS", "4");

    /// Name of this node, unique for each journal.
    node_name: String = node_name,
        row("node.name", "SAYSO_NODE_NAME", "the host name").flag("--node")
            .found(|_| Ok(host_name()));

    /// The URL people use, for links, QR codes, and the allowed `Host` and `Origin`.
    public_url: Option<PublicUrl> = optional, row("public_url", "SAYSO_PUBLIC_URL", "");

    /// The certificate, PEM. Needs `tls.key`.
    tls_cert: Option<PathBuf> = optional, row("tls.cert", "SAYSO_TLS_CERT", "").shape(Shape::Path);

    /// The private key of the certificate, PEM.
    tls_key: Option<PathBuf> = optional,
        row("tls.key", "SAYSO_TLS_KEY", "").shape(Shape::Path);

    /// Addresses of the proxies that end TLS in front of the server.
    proxy: Vec<IpAddr> = addresses, row("proxy", "SAYSO_PROXY", "").shape(Shape::List);

    /// Front ends of another origin, per door: `[allowed_origins]` and then
    /// `"/api/v1/chat" = ["https://board.example"]`.
    allowed_origins: BTreeMap<String, Vec<String>> = lists,
        row("allowed_origins", "", "").shape(Shape::Lists);

    /// The person who answers with commands on this machine.
    person: PersonName = person,
        row("person", "SAYSO_PERSON", "the login name").found(|user| Ok(user.login_name()));

    /// Asks that one token can make per minute; 0 means no limit.
    asks_per_minute: u32 = number, row("limits.asks_per_minute", "SAYSO_ASKS_PER_MINUTE", "600");

    /// Open asks that one agent can have.
    open_asks_per_agent: usize = number,
        row("limits.open_asks_per_agent", "SAYSO_OPEN_ASKS_PER_AGENT", "10000");

    /// Bytes of asks, messages and tool notes that one token can send per minute; 0 means no limit.
    bytes_per_minute: u64 = number,
        row("limits.bytes_per_minute", "SAYSO_BYTES_PER_MINUTE", "33554432");

    /// Conversations that the agents of one token can have.
    conversations_per_token: usize = number,
        row("limits.conversations_per_token", "SAYSO_CONVERSATIONS_PER_TOKEN", "100000");

    /// Connections at one time; see [Limits](#limits) for how they are shared.
    connections: u32 = number, row("limits.connections", "SAYSO_CONNECTIONS", "20000");

    /// Log a device out after this long without use, such as `30d`. A device with the page open is
    /// in use.
    tokens_idle: Option<Duration> = time_or_never::<1>,
        row("tokens.idle", "SAYSO_TOKENS_IDLE", "never");

    /// Log a device out this long after it logged in, such as `90d`.
    tokens_max_age: Option<Duration> = time_or_never::<1>,
        row("tokens.max_age", "SAYSO_TOKENS_MAX_AGE", "never");

    /// Days after which text is erased: closed asks with their outcomes, messages, what agents
    /// said, and tool notes. Checked every hour; `never` keeps it.
    retention_days: Option<u32> = days_or_never,
        row("retention_days", "SAYSO_RETENTION_DAYS", "never");

    /// How long an outcome that the agent has not confirmed is sent again each time the agent
    /// connects; `never` means without limit. Asking again with the same key or
    /// `GET /v1/asks/{id}` finds the outcome at any time.
    offer_for: Option<Duration> = time_or_never::<60>,
        row("delivery.offer_for", "SAYSO_DELIVERY_OFFER_FOR", "7d");

    /// How long an agent can stay disconnected before its open asks are withdrawn; `never` keeps
    /// them open.
    withdraw_after: Option<Duration> = time_or_never::<60>,
        row("delivery.withdraw_after", "SAYSO_DELIVERY_WITHDRAW_AFTER", "24h");

    /// The same for asks that the agent can find again by `Idempotency-Key` or `wire_id`.
    withdraw_durable_after: Option<Duration> = time_or_never::<60>,
        row("delivery.withdraw_durable_after", "SAYSO_DELIVERY_WITHDRAW_DURABLE_AFTER", "never");

    /// The agent that gets a message in a new conversation if none is named, by name or id. Without
    /// it, the only connected agent that takes messages.
    chat_agent: Option<String> = optional, row("chat.agent", "SAYSO_CHAT_AGENT", "");

    /// How long an agent's turn can be silent before it is closed as lost. The time doesn't run
    /// while the agent waits for an answer.
    turn_timeout: Duration = time::<1>, row("chat.turn_timeout", "SAYSO_CHAT_TURN_TIMEOUT", "10m");

    /// Push services that are allowed on this machine, in its network, or without TLS, as origins
    /// such as `https://push.lan`. All others must be `https` on the public internet.
    push_private_origins: Vec<String> = list,
        row("push.private_origins", "SAYSO_PUSH_PRIVATE_ORIGINS", "").shape(Shape::List);

    /// What is logged, as a tracing filter.
    log: String = log_filter, row("log", "SAYSO_LOG", "info");

    /// `text` or `json`.
    log_format: LogFormat = log_format, row("log_format", "SAYSO_LOG_FORMAT", "text");
}
