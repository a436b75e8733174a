//! The points of the hub at which a test build can be killed.
//!
//! What passing a point does is told in [`sayso_store::faults`]: nothing, in the product.

pub(crate) use sayso_store::faults::point;

/// Every point there is, in the order in which a life of the hub meets them.
pub const POINTS: [&str; 43] = [
    "recover_taken",
    "recover_local",
    "recover_tended",
    "link_join",
    "round_begin",
    "round_lapse",
    "round_rule",
    "round_decided",
    "round_before_commit",
    "round_after_commit",
    "round_failed",
    "settle_met",
    "settle_began",
    "settle_token_made",
    "settle_token_revoked",
    "settle_opened",
    "settle_opened_known",
    "settle_rule_made",
    "settle_rule_revoked",
    "settle_closed",
    "settle_closed_known",
    "link_bring",
    "wait_ring",
    "settle_late",
    "settle_marked",
    "settle_shown",
    "settle_erased",
    "settle_cleared",
    "settle_messaged",
    "settle_handed",
    "settle_removed",
    "settle_said",
    "settle_noted",
    "settle_turn_ended",
    "link_hand",
    "reply_before",
    "reply_after",
    "link_sent",
    "poll_seen",
    "confirm_before",
    "confirm_committed",
    "stop_begin",
    "stop_flushed",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::POINTS;

    fn sources(folder: &Path) -> Vec<PathBuf> {
        let inside = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        inside
            .flat_map(|path| {
                if path.is_dir() {
                    sources(&path)
                } else {
                    vec![path]
                }
            })
            .collect()
    }

    #[test]
    fn every_point_in_the_code_is_listed_and_every_listed_one_is_there() {
        let mut found = BTreeSet::new();
        for path in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
            if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("faults.rs") {
                let text = fs::read_to_string(path).unwrap();
                let names = text
                    .split("point(\"")
                    .skip(1)
                    .filter_map(|rest| rest.split('"').next());
                found.extend(names.map(str::to_owned));
            }
        }
        let listed: BTreeSet<String> = POINTS.map(str::to_owned).into();
        assert_eq!(listed.len(), POINTS.len(), "no point is listed twice");
        assert_eq!(found, listed);
    }
}
