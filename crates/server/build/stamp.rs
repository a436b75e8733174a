//! The stamp of the page's sources: whether the committed build was made from them.
//!
//! The build script and `cargo xtask web` both compile this file. It reads and never writes, and
//! it is no proof against somebody who wants to deceive: `cargo xtask web --check` is.

use std::io;
use std::path::{Path, PathBuf};

/// Everything that decides what the build is, from the folder of the page.
pub(crate) const SOURCES: [&str; 8] = [
    "src",
    "public",
    "index.html",
    "package.json",
    "package-lock.json",
    "svelte.config.js",
    "tsconfig.json",
    "vite.config.ts",
];
/// Where the stamp lies in the build.
pub(crate) const STAMP: &str = "dist/.srchash";
/// Folders inside folders; the page has three.
const DEPTH_MAX: usize = 16;

/// FNV-1a, 128 bits.
struct Hash(u128);

impl Hash {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        }
    }
}

/// The stamp of the sources below this folder.
pub(crate) fn stamp(web: &Path) -> io::Result<String> {
    let mut files = Vec::new();
    for source in SOURCES {
        gather(web, &PathBuf::from(source), DEPTH_MAX, &mut files)?;
    }
    files.sort();
    let mut hash = Hash(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
    for file in files {
        let bytes = std::fs::read(web.join(&file))?;
        hash.add(file.to_string_lossy().replace('\\', "/").as_bytes());
        hash.add(&[0]);
        hash.add(&bytes.len().to_be_bytes());
        hash.add(&bytes);
    }
    Ok(format!("{:032x}\n", hash.0))
}

fn gather(web: &Path, path: &Path, depth: usize, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let full = web.join(path);
    if !full.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    if depth == 0 {
        return Err(io::Error::other(format!(
            "{} lies too deep",
            full.display()
        )));
    }
    for entry in std::fs::read_dir(&full)? {
        gather(web, &path.join(entry?.file_name()), depth - 1, files)?;
    }
    Ok(())
}
