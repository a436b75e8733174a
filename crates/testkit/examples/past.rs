//! Fills a new state folder with a past: `past FOLDER ASKS UNTIL`, the last in milliseconds.

use std::path::Path;

use sayso_core::time::Time;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [folder, asks, until] = words.as_slice() else {
        return Err("past FOLDER ASKS UNTIL".into());
    };
    let until = Time::from_millis(until.parse()?);
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(sayso_testkit::fill_past(
        Path::new(folder),
        asks.parse()?,
        until,
    ))?;
    Ok(())
}
