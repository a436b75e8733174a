//! Files of a state folder: where several nodes share a database, there are none.

use sayso_hub::Forget;
use sayso_testkit::{Ground, House};

use crate::suite::keeping::turn_with;

/// The files in which a word stands.
fn files_with(house: &House, word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(house.folder()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap_or_default();
        if bytes.windows(word.len()).any(|at| at == word.as_bytes()) {
            found.push(path.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
    found
}

#[tokio::test]
async fn what_is_erased_is_in_no_file() {
    let house = House::new(Ground::OneHub).await;
    turn_with(&house, "secret", "xylophone").await;
    turn_with(&house, "other", "harmonica").await;
    let admin = house.admin();
    let what = Forget {
        conversation: Some(admin.conversation("secret").await.unwrap()),
        ..Forget::default()
    };
    admin.forget_all(&what).await.unwrap();
    while !files_with(&house, "xylophone").is_empty() {
        tokio::task::yield_now().await;
    }
    assert!(!files_with(&house, "harmonica").is_empty());
}
