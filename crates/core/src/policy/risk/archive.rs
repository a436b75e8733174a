//! Archives: what goes into them is read, and what comes out lands where the options say.

use super::judge::{Judge, JudgedCall};
use super::options;
use super::reader::Word;
use super::reason::Reason;

/// What is done with an archive.
enum Doing {
    Lists,
    Packs,
    Unpacks,
}

/// Judges a program that packs or unpacks.
pub(super) fn judge(judge: &mut Judge<'_>, name: &str, call: JudgedCall<'_>) {
    let span = call.command.span.clone();
    let first = call.words.first().map_or("", |word| word.text.as_str());
    let is_tar = name.ends_with("tar");
    // The letters of tar need no dash.
    let letters = if is_tar && !first.starts_with("--") {
        first
    } else {
        ""
    };
    let has = |letter: char, option: &str| {
        letters.contains(letter) || call.has(option) || call.has(&format!("-{letter}"))
    };
    let doing = match name {
        "unzip" if has('l', "-Z") => Doing::Lists,
        "unzip" | "unrar" | "unar" => Doing::Unpacks,
        "zip" => Doing::Packs,
        "7z" | "7za" | "ouch" => match first {
            "x" | "e" | "decompress" | "d" => Doing::Unpacks,
            "l" | "list" => Doing::Lists,
            _ => Doing::Packs,
        },
        _ if has('t', "--list") => Doing::Lists,
        _ if has('x', "--extract") || has('x', "--get") => Doing::Unpacks,
        _ => Doing::Packs,
    };
    let operands: Vec<&Word> = call
        .words
        .iter()
        .skip(usize::from(is_tar))
        .filter(|word| !word.text.starts_with('-'))
        .collect();
    let into = options::value(call.words, &["-C", "--directory", "-d", "-o"])
        .filter(|word| !word.text.is_empty());
    match doing {
        Doing::Lists => {
            judge.put(Reason::Reads, None, &span);
            for word in &operands {
                judge.reads_file(word);
            }
        }
        Doing::Packs => {
            judge.put(Reason::WritesInside, None, &span);
            let mut operands = operands.into_iter();
            if let Some(archive) = operands.next() {
                judge.writes_file(archive);
            }
            operands.for_each(|word| judge.reads_file(word));
        }
        Doing::Unpacks => {
            judge.put(Reason::WritesInside, None, &span);
            if let Some(folder) = into {
                judge.writes_file(&folder);
                let inside = Word {
                    text: format!("{}/x", folder.text),
                    ..folder
                };
                judge.writes_file(&inside);
            }
            if call.has("-P") || call.has("--absolute-names") {
                judge.put(Reason::WritesOutside, None, &span);
            }
        }
    }
}
