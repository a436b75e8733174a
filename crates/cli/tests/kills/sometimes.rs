//! What a long run must have met now and then, counted in the journal and in what the nodes said.

use std::fmt;

use sayso_testkit::nodes::Nodes;
use sayso_testkit::pg::PgCluster;

/// How often each was met.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Sometimes {
    /// An ask was ended by another node than the one that took it in.
    pub(crate) foreign_close: usize,
    /// A key was found on another node than the one it was first asked on.
    pub(crate) key_across: usize,
    /// An outcome was brought, or confirmed, on another node than the one that wrote it.
    pub(crate) brought_elsewhere: usize,
    /// An ask expired on another node than the one that took it in.
    pub(crate) foreign_expiry: usize,
    /// A commit in doubt was there.
    pub(crate) doubt_kept: usize,
    /// A commit in doubt was not there.
    pub(crate) doubt_dropped: usize,
}

impl Sometimes {
    /// Counts over one database, once everything was asked again at the node of this name.
    pub(crate) fn count(
        &mut self,
        (cluster, database): (&PgCluster, &str),
        nodes: &Nodes,
        asked_again: &str,
    ) {
        let count = |sql: String| -> usize {
            let sql = format!("SET search_path = sayso; {sql}");
            cluster.psql(database, &sql).parse().unwrap()
        };
        let ends = |which: &str| {
            format!(
                "SELECT count(*) FROM header a JOIN node na ON na.node = a.node
                 JOIN header c ON c.ask = a.ask AND c.kind = 7 JOIN node nc ON nc.node = c.node
                 JOIN body b ON b.seq = c.seq
                 WHERE a.kind = 6 AND na.name <> nc.name {which}"
            )
        };
        self.foreign_close += count(ends(""));
        self.foreign_expiry += count(ends("AND convert_from(b.body, 'UTF8') LIKE '%xpired%'"));
        self.key_across += count(format!(
            "SELECT count(*) FROM header a JOIN node n ON n.node = a.node
             WHERE a.kind = 6 AND n.name <> '{asked_again}'"
        ));
        self.brought_elsewhere += count(
            "SELECT count(*) FROM header d JOIN node nd ON nd.node = d.node
             JOIN body b ON b.seq = d.seq
             CROSS JOIN LATERAL json_array_elements(convert_from(b.body, 'UTF8')::json) mark
             JOIN header a ON a.seq = (mark->>'opened')::int8
             JOIN header c ON c.ask = a.ask AND c.kind = 7 JOIN node nc ON nc.node = c.node
             WHERE d.kind = 9 AND nd.name <> nc.name"
                .to_owned(),
        );
        let said = nodes.said();
        self.doubt_kept += said.matches("it was committed").count();
        self.doubt_dropped += said.matches("it was not committed").count();
    }

    /// What was never met.
    pub(crate) fn never(&self) -> Vec<&'static str> {
        let all = [
            ("a foreign close", self.foreign_close),
            ("a key found across nodes", self.key_across),
            ("an outcome brought elsewhere", self.brought_elsewhere),
            ("an expiry by another node", self.foreign_expiry),
            ("a commit in doubt that was there", self.doubt_kept),
            ("a commit in doubt that was not there", self.doubt_dropped),
        ];
        all.into_iter()
            .filter(|(_, count)| *count == 0)
            .map(|(what, _)| what)
            .collect()
    }
}

impl fmt::Display for Sometimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "closed by another node {}, key found across nodes {}, brought elsewhere {}, expired by \
             another node {}, commits in doubt {} there and {} not",
            self.foreign_close,
            self.key_across,
            self.brought_elsewhere,
            self.foreign_expiry,
            self.doubt_kept,
            self.doubt_dropped
        )
    }
}
