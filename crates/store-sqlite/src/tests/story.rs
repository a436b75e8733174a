//! The story every store must pass, told to this one.

use sayso_store::story;

use super::place::{Place, now, open};

#[test]
fn the_story_is_told() {
    let mut places = Vec::new();
    now(story::all(|| {
        let place = Place::new();
        let folder = place.path().to_owned();
        places.push(place);
        move || open(&folder).unwrap()
    }));
}
