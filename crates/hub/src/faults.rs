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
    "turn_begin",
    "fold_other",
    "turn_expire",
    "turn_decided",
    "turn_written",
    "turn_failed",
    "turn_applied",
    "publish_other",
    "publish_epoch",
    "publish_token_made",
    "publish_token_revoked",
    "publish_met",
    "publish_began",
    "publish_asked",
    "publish_closed",
    "publish_late",
    "publish_delivered",
    "publish_shown",
    "publish_erased",
    "publish_cleared",
    "publish_messaged",
    "publish_handed",
    "publish_removed",
    "publish_said",
    "publish_noted",
    "publish_turn_ended",
    "publish_rule_made",
    "publish_rule_revoked",
    "link_bring",
    "wait_ring",
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
