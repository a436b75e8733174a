//! What every test here stands on: a database of its own, and nodes on it.

use sayso_testkit::pg::PgCluster;

use crate::stage::{Ended, Stage};

/// An empty database that no other test has: its name, and where it is.
pub(super) fn database(cluster: &PgCluster) -> (String, String) {
    let name = format!("d_{}", cluster.schema());
    let url = cluster.database(&name);
    (name, url)
}

/// Starts a node of this database on the state folder of the stage.
pub(super) fn serve_on(stage: &mut Stage, url: &str) {
    stage.serve_by(stage.command(&["serve", "--listen", "127.0.0.1:0", "--store", url]));
}

/// It went well.
pub(super) fn done(ended: &Ended) {
    assert_eq!(ended.code, Some(0), "{}{}", ended.data, ended.said);
}

/// It did not, and says why with these words.
pub(super) fn refused(ended: &Ended, words: &[&str]) {
    assert!(ended.code != Some(0), "{}{}", ended.data, ended.said);
    for word in words {
        assert!(ended.said.contains(word), "{word}: {}", ended.said);
    }
}
