//! Files: whole or not there, for us alone, and never more than there is room for.

use super::*;

/// A folder that is gone when the test is.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("sayso-files-{name}-{}", std::process::id()));
        drop(fs::remove_dir_all(&path));
        Self(path)
    }

    fn open(&self, files: usize, bytes: u64) -> Files {
        let bounds = FileBounds {
            files_per_token: files,
            bytes_per_token: bytes,
            files: 100,
            bytes: 10_000,
        };
        Files::open_with(&self.0, bounds).unwrap()
    }

    /// What is in the folder, by its endings.
    fn endings(&self) -> Vec<String> {
        let mut endings: Vec<String> = fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| {
                path.extension()
                    .map_or("", |it| it.to_str().unwrap())
                    .to_owned()
            })
            .collect();
        endings.sort();
        endings
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

const OWNER: TokenId = TokenId(7);

fn about(name: &str) -> About {
    About {
        name: name.to_owned(),
        media_type: "text/plain".to_owned(),
    }
}

fn keep(files: &Files, name: &str, text: &str) -> FileId {
    let mut draft = files.begin(OWNER).unwrap().unwrap();
    draft.write(text.as_bytes()).unwrap();
    files.keep(&draft, &about(name)).unwrap().unwrap()
}

fn read(files: &Files, id: &FileId) -> Option<(About, Vec<u8>)> {
    files.read(id).unwrap()
}

#[test]
fn what_is_kept_reads_back_also_after_a_restart() {
    let place = Place::new("back");
    let files = place.open(10, 1000);
    let id = keep(&files, "../a \"b\".txt", "hello");
    let expected = Some((about("../a \"b\".txt"), b"hello".to_vec()));
    assert_eq!(read(&files, &id), expected);
    assert_eq!(read(&place.open(10, 1000), &id), expected);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&place.0), 0o700);
    assert_eq!(mode(&place.0.join(id.as_str())), 0o600);
}

#[test]
fn what_is_no_id_of_a_file_finds_none() {
    let place = Place::new("none");
    let files = place.open(10, 1000);
    let id = keep(&files, "a", "hello");
    let upper = id.as_str().to_uppercase();
    let beside = format!("{}.about", id.as_str());
    let around = format!("../{}", id.as_str());
    for bad in ["", "..", "x", &beside, &around, &"f".repeat(32)] {
        let found = FileId::parse(bad).and_then(|id| read(&files, &id));
        assert_eq!(found, None, "{bad}");
    }
    // An id of digits alone has no upper case.
    assert!(upper == id.as_str() || FileId::parse(&upper).is_none());
}

#[test]
fn the_oldest_make_room_by_number_and_by_size() {
    let place = Place::new("room");
    let files = place.open(3, 10);
    let ids: Vec<FileId> = ["a", "bb", "ccc", "dddd"]
        .iter()
        .map(|text| keep(&files, text, text))
        .collect();
    let there =
        |files: &Files| -> Vec<bool> { ids.iter().map(|id| read(files, id).is_some()).collect() };
    assert_eq!(there(&files), [false, true, true, true]);
    let last = keep(&files, "e", "eeeee");
    // Two, three, four and five are fourteen: two and three go.
    assert_eq!(there(&files), [false, false, false, true]);
    assert!(read(&files, &last).is_some());
    assert_eq!(place.endings(), ["", "", "about", "about"]);
    drop(files);
    // The system's clock for files is too coarse to tell apart what is written right after each other.
    fs::File::options()
        .write(true)
        .open(place.0.join(ids[3].as_str()))
        .and_then(|file| file.set_modified(std::time::SystemTime::UNIX_EPOCH))
        .unwrap();
    // Whose they are is known after a restart.
    let files = place.open(2, 10);
    let newest = keep(&files, "f", "f");
    assert_eq!(there(&files), [false; 4]);
    assert!(read(&files, &last).is_some() && read(&files, &newest).is_some());
}

#[test]
fn what_never_became_whole_is_not_there() {
    let place = Place::new("part");
    let files = place.open(10, 1000);
    let mut draft = files.begin(OWNER).unwrap().unwrap();
    draft.write(b"half").unwrap();
    let half = draft.id.clone();
    assert_eq!(read(&files, &half), None);
    drop(draft);
    assert_eq!(place.endings(), [""; 0]);
    // What a kill leaves behind goes at the next start; what is not ours stays.
    for name in ["part", "about"] {
        fs::write(place.0.join(half.as_str()).with_extension(name), "x").unwrap();
    }
    fs::write(place.0.join("README"), "x").unwrap();
    let files = place.open(10, 1000);
    drop(files);
    let left: Vec<_> = fs::read_dir(&place.0)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["README"]);
}

#[test]
fn a_folder_that_is_none_is_refused() {
    let place = Place::new("link");
    fs::write(&place.0, "x").unwrap();
    assert!(Files::open(&place.0).is_err());
    fs::remove_file(&place.0).unwrap();
    std::os::unix::fs::symlink(std::env::temp_dir(), &place.0).unwrap();
    assert!(Files::open(&place.0).is_err());
    fs::remove_file(&place.0).unwrap();
}
