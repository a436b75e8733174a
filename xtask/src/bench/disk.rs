//! The floor under every durable thing: how long this disk takes to keep a few hundred bytes.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};

use super::tally::percentile;

/// About what one journal record takes.
const RECORD_BYTES: usize = 368;

#[derive(Debug, Clone, Copy)]
pub(super) struct Syncs {
    pub(super) p50_us: f64,
    pub(super) p99_us: f64,
}

/// Appends small records to a file that has its size already, each with an `fdatasync`.
pub(super) fn measure(path: &Path, count: usize) -> Result<Syncs> {
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .open(path)
        .with_context(|| format!("could not write {}", path.display()))?;
    prepare(&mut file, count)?;
    let record = [b'x'; RECORD_BYTES];
    let mut nanos = Vec::with_capacity(count);
    for _ in 0..count {
        let begun = Instant::now();
        file.write_all(&record)?;
        file.sync_data()?;
        nanos.push(u32::try_from(begun.elapsed().as_nanos()).unwrap_or(u32::MAX));
    }
    drop(file);
    std::fs::remove_file(path)?;
    nanos.sort_unstable();
    let micros = |share| f64::from(percentile(&nanos, share)) / 1000.0;
    Ok(Syncs {
        p50_us: micros(0.5),
        p99_us: micros(0.99),
    })
}

/// Zeroes written and kept, so that no sync has to write down a new size.
fn prepare(file: &mut File, count: usize) -> Result<()> {
    let zeroes = vec![0; 1024 * 1024];
    for _ in 0..=(count * RECORD_BYTES / zeroes.len()) {
        file.write_all(&zeroes)?;
    }
    file.sync_all()?;
    file.seek(SeekFrom::Start(0))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syncs_are_measured_and_the_file_goes() {
        let path = std::env::temp_dir().join(format!("sayso-bench-syncs-{}", std::process::id()));
        let syncs = measure(&path, 3).unwrap();
        assert!(syncs.p50_us > 0.0 && syncs.p99_us >= syncs.p50_us);
        assert!(!path.exists());
    }
}
