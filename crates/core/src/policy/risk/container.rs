//! Containers: what they are given of this machine, and what runs in them.

use super::judge::{Judge, JudgedCall};
use super::place::Zone;
use super::reader::Word;
use super::reason::Reason;
use super::special::Special;

/// A container that is started or entered.
pub(super) fn judge(judge: &mut Judge<'_>, call: JudgedCall<'_>) {
    let span = call.command.span.clone();
    judge.put(Reason::Container, None, &span);
    let texts: Vec<&str> = call.words.iter().map(|word| word.text.as_str()).collect();
    let open = [
        "--privileged",
        "--pid=host",
        "--cap-add=ALL",
        "--cap-add=SYS_ADMIN",
        "--security-opt=apparmor=unconfined",
        "--userns=host",
    ];
    let after = |option: &str| {
        texts
            .iter()
            .position(|text| *text == option)
            .and_then(|at| texts.get(at + 1).copied())
    };
    let pid_host =
        after("--pid") == Some("host") || matches!(after("--cap-add"), Some("ALL" | "SYS_ADMIN"));
    if texts.iter().any(|text| open.contains(text)) || pid_host || call.has("--device") {
        judge.put(Reason::HostAccess, None, &span);
    }
    for (at, word) in call.words.iter().enumerate() {
        let is_volume = matches!(word.text.as_str(), "-v" | "--volume" | "--mount");
        let glued = word
            .text
            .strip_prefix("--volume=")
            .or_else(|| word.text.strip_prefix("--mount="))
            .or_else(|| {
                word.text
                    .strip_prefix("-v")
                    .filter(|rest| rest.starts_with(['/', '~']))
            });
        let next = call
            .words
            .get(at + 1)
            .map(|word| word.text.as_str())
            .filter(|_| is_volume);
        if let Some(volume) = glued.or(next) {
            mounted(judge, volume, &span);
        }
    }
    // What is run inside.
    let inner = call
        .words
        .iter()
        .position(|word| word.text == "--")
        .map(|at| at + 1);
    let inner = inner.or_else(|| behind_image(call.words));
    if let Some(words) = inner
        .and_then(|at| call.words.get(at..))
        .filter(|words| !words.is_empty())
    {
        judge.away = true;
        judge.call(JudgedCall { words, ..call });
        judge.away = false;
    }
}

fn mounted(judge: &mut Judge<'_>, volume: &str, span: &std::ops::Range<usize>) {
    let source = volume
        .split(',')
        .find_map(|part| {
            part.strip_prefix("source=")
                .or_else(|| part.strip_prefix("src="))
        })
        .or_else(|| volume.split(':').next())
        .unwrap_or(volume);
    let is_path = source.starts_with(['/', '.', '~']);
    if !is_path {
        return;
    }
    match (judge.place.special(source), judge.place.zone(source)) {
        (Some(Special::Socket), _) | (_, Zone::System) => judge.put(Reason::HostAccess, None, span),
        (Some(Special::Sayso), _) => judge.put(Reason::Sayso, None, span),
        (
            Some(Special::Credential | Special::CredentialOrTrust | Special::CredentialOrLogin),
            _,
        ) => judge.put(Reason::Credential, None, span),
        (_, Zone::Outside) if matches!(source, "~" | "~/") => {
            judge.put(Reason::HostAccess, None, span);
        }
        (_, Zone::Outside) => judge.put(Reason::ReadsOutside, None, span),
        (_, Zone::Inside | Zone::Temporary | Zone::Sink) => {}
    }
}

/// Where the command begins that `docker run IMAGE` or `docker exec NAME` runs.
fn behind_image(words: &[Word]) -> Option<usize> {
    let valued = [
        "-v",
        "--volume",
        "--mount",
        "-e",
        "--env",
        "-w",
        "--workdir",
        "-p",
        "--publish",
        "--name",
        "-u",
        "--user",
        "--network",
        "--entrypoint",
        "--env-file",
        "--platform",
        "-l",
        "--label",
        "--add-host",
        "--cpus",
        "-m",
        "--memory",
        "-f",
        "--file",
        "-n",
        "--namespace",
        "-c",
        "--container",
        "--gpus",
        "--net",
        "--pid",
        "--cap-add",
        "--shm-size",
        "--tmpfs",
        "--ulimit",
        "--hostname",
        "-h",
        "--restart",
    ];
    let verb = words
        .iter()
        .position(|word| matches!(word.text.as_str(), "run" | "exec"))?;
    let mut at = verb + 1;
    while let Some(word) = words.get(at) {
        if !word.text.starts_with('-') {
            return Some(at + 1);
        }
        at += 1 + usize::from(valued.contains(&word.text.as_str()));
    }
    None
}
