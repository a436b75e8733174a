//! Runs of the hook that find, and do not find, each other.

use super::*;

fn slots(folder: &Path) -> Slots {
    Slots::of(folder, &ConversationName::new("s-1").unwrap())
}

fn about(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

fn stages(left: Vec<LeftSlot>) -> Vec<SlotStage> {
    left.into_iter().map(|one| one.stage).collect()
}

#[tokio::test]
async fn a_run_goes_on_with_the_ask_of_a_dead_one_and_shares_that_of_a_living_one() {
    let folder = tempfile::tempdir().unwrap();
    let slots = slots(folder.path());
    let first = slots.take(about("ls")).await.unwrap();
    first.asked("ask-1");
    let second = slots.take(about("ls")).await.unwrap();
    assert_eq!(first.key(), second.key());
    // What the other one does with its file is not ours to change.
    second.asked("ask-2");
    second.remove();
    assert_eq!(stages(slots.all()), [SlotStage::Asked("ask-1".into())]);
    let other = slots.take(about("pwd")).await.unwrap();
    assert_ne!(first.key(), other.key());
    let key = first.key().to_owned();
    // A run that is killed leaves its file and loses its lock.
    drop(first);
    assert_eq!(slots.take(about("ls")).await.unwrap().key(), key);
}

#[tokio::test]
async fn an_answer_that_was_told_is_not_told_to_the_next_equal_call() {
    let folder = tempfile::tempdir().unwrap();
    let slots = slots(folder.path());
    let first = slots.take(about("ls")).await.unwrap();
    let key = first.key().to_owned();
    first.asked("ask-1");
    first.told();
    let mut second = slots.take(about("ls")).await.unwrap();
    assert_ne!(second.key(), key);
    assert_eq!(second.take_told().as_deref(), Some("ask-1"));
    assert_eq!(second.take_told(), None);
}

#[tokio::test]
async fn what_is_left_is_listed_once_and_its_folder_need_not_exist() {
    let folder = tempfile::tempdir().unwrap();
    let slots = slots(folder.path());
    assert_eq!(stages(slots.all()), []);
    let living = slots.take(about("ls")).await.unwrap();
    assert_eq!(stages(slots.all()), [], "it has not asked yet");
    living.asked("ask-1");
    let told = slots.take(about("pwd")).await.unwrap();
    told.asked("ask-2");
    told.told();
    assert_eq!(
        stages(slots.of_call(about("pwd"))),
        [SlotStage::Told("ask-2".into())]
    );
    for one in slots.of_call(about("pwd")) {
        one.remove();
    }
    assert_eq!(stages(slots.all()), [SlotStage::Asked("ask-1".into())]);
    for one in slots.all() {
        one.remove();
    }
    assert_eq!(slots.all().len(), 1, "a living run removes its own");
    living.remove();
    assert_eq!(stages(slots.all()), []);
}

#[tokio::test]
async fn a_file_that_makes_no_sense_is_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let slots = slots(folder.path());
    let slot = slots.take(about("ls")).await.unwrap();
    fs::write(&slot.path, "\0\u{fffd} x\nfoo bar baz\n").unwrap();
    drop(slot);
    assert!(slots.take(about("ls")).await.is_ok());
}
