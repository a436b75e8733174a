//! The list of fail points is the list of those in the code.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::faults::POINTS;

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
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let own = sources(&crates.join("store-sqlite/src"));
    for path in own
        .into_iter()
        .chain(sources(&crates.join("store-sql/src")))
    {
        if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests/points.rs") {
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
