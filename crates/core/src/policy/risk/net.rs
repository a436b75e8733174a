//! What reaches another machine: fetching, sending, installing, and commands run there.

use super::database;
use super::judge::{Judge, JudgedCall, name_of};
use super::options;
use super::peel;
use super::reader::{Command, Word};
use super::reason::Reason;

/// Options of programs that fetch, by which they send.
const SENDS: &[&str] = &[
    "-d",
    "--data",
    "--data-raw",
    "--data-binary",
    "--data-ascii",
    "--data-urlencode",
    "--json",
    "-F",
    "--form",
    "--form-string",
    "-T",
    "--upload-file",
    "--post-data",
    "--post-file",
    "--body-data",
    "--body-file",
    "-u",
    "--user",
    "--oauth2-bearer",
    "--url-query",
    "--mail-from",
];

/// Methods that change something.
const METHODS: &[&str] = &["POST", "PUT", "PATCH", "DELETE"];

/// Whether a command fetches from the network.
pub(super) fn fetches(command: &Command) -> bool {
    command.words.iter().any(|word| {
        matches!(
            name_of(&word.text),
            "curl"
                | "wget"
                | "fetch"
                | "http"
                | "https"
                | "xh"
                | "aria2c"
                | "lynx"
                | "nc"
                | "ncat"
                | "ssh"
                | "dig"
        )
    })
}

/// The host of an address, when it is written plainly.
pub(super) fn host_of(address: &str) -> Option<&str> {
    let rest = match address.split_once("://") {
        Some((_, rest)) => rest,
        None => address.split_once('@').map_or(address, |(_, rest)| rest),
    };
    let end = rest.find(['/', '?', '#', ':']).unwrap_or(rest.len());
    let place = rest.get(..end)?;
    let host = place.rsplit_once('@').map_or(place, |(_, host)| host);
    (host.contains('.') || host == "localhost").then_some(host)
}

/// The host of a device that is a connection, as `/dev/tcp/host/port`.
pub(super) fn host_of_device(path: &str) -> Option<&str> {
    let rest = path
        .strip_prefix("/dev/tcp/")
        .or_else(|| path.strip_prefix("/dev/udp/"))?;
    rest.split('/').next()
}

/// Whether an address is on this machine.
fn is_local(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let place = rest.get(..end).unwrap_or_default();
    if place.contains('@') {
        return false;
    }
    let host = place.rsplit_once(':').map_or(place, |(host, port)| {
        if port.bytes().all(|byte| byte.is_ascii_digit()) {
            host
        } else {
            place
        }
    });
    let loopback = host.strip_prefix("127.").is_some_and(|rest| {
        rest.bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
    });
    matches!(
        host,
        "localhost" | "0.0.0.0" | "[::1]" | "::1" | "host.docker.internal" | ""
    ) || loopback
        || host.ends_with(".localhost")
}

/// Whether an address tells a machine's own secrets to whoever is on it.
pub(super) fn is_private(address: &str) -> bool {
    [
        "169.254.",
        "metadata.google.internal",
        "100.100.100.200",
        "fd00:ec2::254",
        "metadata.azure",
        "/latest/meta-data",
    ]
    .iter()
    .any(|part| address.contains(part))
}

/// Whether an address is one of sayso's own, where asks are answered and rights are given.
fn is_sayso(address: &str) -> bool {
    const DECIDES: &[&str] = &[
        "/answer",
        "/dismiss",
        "/v1/rules",
        "/v1/tokens",
        "/v1/logins",
        "/v1/pairings",
    ];
    address.contains("/v1/") && DECIDES.iter().any(|part| address.contains(part))
}

/// A program that reaches an address.
pub(super) fn fetch(judge: &mut Judge<'_>, name: &str, call: JudgedCall<'_>) {
    let span = call.command.span.clone();
    if matches!(
        name,
        "dig" | "nslookup" | "host" | "drill" | "whois" | "traceroute" | "tracepath" | "mtr"
    ) {
        let leaks = call.any(|word| !word.inner.is_empty() || word.secret);
        return judge.put(
            if leaks {
                Reason::Sends
            } else {
                Reason::Fetches
            },
            None,
            &span,
        );
    }
    let addresses: Vec<&Word> = call.words.iter().filter(|word| is_address(word)).collect();
    let first = addresses.first().map_or("", |word| word.text.as_str());
    let local = !addresses.is_empty() && addresses.iter().all(|word| is_local(&word.text));
    let host = host_of(first);
    let method = options::value(call.words, &["-X", "--request", "--method"])
        .map(|word| word.text.to_ascii_uppercase());
    let writes = method
        .as_deref()
        .is_some_and(|method| METHODS.contains(&method))
        || call.any(|word| METHODS.contains(&word.text.as_str()));
    let is_curl = !matches!(name, "wget" | "http" | "https" | "xh");
    let gives = SENDS
        .iter()
        .filter(|option| is_curl || option.starts_with("--"))
        .any(|option| glued_is_real(call.words, option));
    let reads_only = call.has("-G") || call.has("--get");
    let leaks = call.any(|word| word.secret || !word.inner.is_empty());
    for word in &addresses {
        if is_sayso(&word.text) {
            judge.put(Reason::Sayso, None, &word.span);
        }
        if is_private(&word.text) {
            judge.put(Reason::PrivateAddress, None, &word.span);
        }
        if let Some(path) = word.text.strip_prefix("file://") {
            let word = Word {
                text: path.to_owned(),
                ..(*word).clone()
            };
            judge.reads_file(&word);
        }
    }
    if let Some(folder) = options::value(call.words, &["-P", "--directory-prefix", "--output-dir"])
        .filter(|_| matches!(name, "wget" | "curl"))
    {
        let inside = Word {
            text: format!("{}/x", folder.text),
            ..folder
        };
        judge.writes_file(&inside);
    }
    let schemes = [
        "telnet://",
        "gopher://",
        "dict://",
        "smtp",
        "ldap",
        "scp://",
        "sftp://",
        "tftp://",
        "mqtt://",
    ];
    let talks = addresses.iter().any(|word| {
        schemes.iter().any(|scheme| word.text.starts_with(scheme))
            || word.text.contains('@') && word.text.contains("://")
    });
    let sends = writes || gives && !reads_only || leaks || talks;
    if local {
        judge.put(Reason::Service, None, &span);
        if leaks && call.any(|word| word.secret) {
            judge.put(Reason::Service, None, &span);
        }
    } else if sends {
        judge.put(Reason::Sends, host, &span);
    } else {
        judge.put(Reason::Fetches, host, &span);
    }
    remember(judge, name, call, first);
}

/// Whether an option is there as itself, not as letters of another one.
fn glued_is_real(words: &[Word], option: &str) -> bool {
    words.iter().any(|word| {
        let text = word.text.as_str();
        if option.starts_with("--") {
            return text == option
                || text
                    .strip_prefix(option)
                    .is_some_and(|rest| rest.starts_with('='));
        }
        let letter = option.chars().nth(1).unwrap_or('-');
        // In a word of several letters the ones that take a value come last.
        text.strip_prefix('-').is_some_and(|flags| {
            !flags.starts_with('-') && {
                let upto: String = flags.chars().take_while(|char| *char != letter).collect();
                flags.contains(letter)
                    && upto.chars().all(|char| "sSfLkivIgGjnNqv#0".contains(char))
            }
        })
    })
}

fn is_address(word: &Word) -> bool {
    let text = word.text.as_str();
    !text.starts_with('-')
        && (text.contains("://")
            || is_local(text) && text.contains("localhost")
            || is_local(text) && text.starts_with("127.")
            || text.contains('.')
                && text.contains('/')
                && !text.starts_with(['/', '.', '@', '~'])
                && !text.contains(' ')
            || is_private(text))
}

/// Remembers what was fetched into which file.
fn remember(judge: &mut Judge<'_>, name: &str, call: JudgedCall<'_>, address: &str) {
    let written = options::value(call.words, &["-o", "--output", "-O", "--output-document"]);
    let own = address
        .split(['?', '#'])
        .next()
        .and_then(|path| path.rsplit('/').next());
    let named = written
        .map(|word| word.text)
        .filter(|text| !text.starts_with('-') && !text.contains("://"));
    let redirected = call
        .command
        .redirects
        .iter()
        .filter(|redirect| redirect.writes)
        .map(|redirect| redirect.target.text.clone());
    judge.fetched.extend(redirected);
    match named {
        Some(file) => judge.fetched.push(file),
        None if name == "wget" || call.has("-O") || call.has("--remote-name") => {
            judge.fetched.extend(own.map(str::to_owned));
        }
        None => {}
    }
}

/// A program that talks to a service: the other way of saying that it changes something there.
pub(super) fn service(judge: &mut Judge<'_>, name: &str, call: JudgedCall<'_>) {
    let span = call.command.span.clone();
    let words: Vec<&str> = call.words.iter().map(|word| word.text.as_str()).collect();
    judge.put(Reason::Service, None, &span);
    call.words
        .iter()
        .for_each(|word| database::plain_statement(judge, &word.text, &span));
    if name == "gh" && words.first() == Some(&"api") {
        let method = options::value(call.words, &["-X", "--method"])
            .map(|word| word.text.to_ascii_uppercase());
        if method.as_deref() == Some("DELETE") {
            judge.put(Reason::Resources, None, &span);
        }
    }
    let from_net =
        |word: &&Word| word.text.starts_with("http://") || word.text.starts_with("https://");
    if matches!(name, "kubectl" | "oc" | "k" | "helm")
        && matches!(
            words.first(),
            Some(&("apply" | "create" | "install" | "upgrade"))
        )
        && call.any(|word| from_net(&word))
    {
        judge.put(Reason::NetworkCode, None, &span);
    }
}

/// What installs the system's own packages, which is what root is for.
const SYSTEM_PACKAGES: &[&str] = &[
    "apt",
    "apt-get",
    "aptitude",
    "apk",
    "dnf",
    "yum",
    "microdnf",
    "zypper",
    "pacman",
    "snap",
    "flatpak",
    "brew",
    "port",
    "emerge",
    "xbps-install",
    "pkg",
    "dpkg",
    "rpm",
];

/// Installing packages: from the registry, or from where the words say.
pub(super) fn packages(judge: &mut Judge<'_>, name: &str, call: JudgedCall<'_>) {
    let span = call.command.span.clone();
    judge.put(Reason::Packages, None, &span);
    // Packages of a language run code of their own as they are installed.
    if judge.root && !SYSTEM_PACKAGES.contains(&name) {
        judge.put(Reason::CodeAsRoot, None, &span);
    }
    let elsewhere = [
        "--index-url",
        "-i",
        "--extra-index-url",
        "--registry",
        "--find-links",
        "--source",
        "--git",
        "--repo",
    ];
    let own = |text: &str| {
        [
            "https://registry.npmjs.org",
            "https://pypi.org",
            "https://index.crates.io",
            "https://download.pytorch.org",
            "https://registry.yarnpkg.com",
        ]
        .iter()
        .any(|known| text.starts_with(known))
    };
    let by_option = elsewhere.iter().any(|option| {
        options::value(call.words, &[option])
            .is_some_and(|word| word.text.contains("://") && !own(&word.text))
    });
    let by_address = call.any(|word| {
        let text = word.text.as_str();
        !text.starts_with('-') && (text.contains("://") || text.contains("git@")) && !own(text)
    });
    if by_option || by_address {
        judge.put(Reason::NetworkCode, None, &span);
    }
    // What it runs is told by the words behind.
    let words = match name {
        "npx" | "bunx" | "pnpx" | "uvx" => Some(call.words),
        "npm" | "pnpm" | "yarn" | "bun" => call.words.split_first().and_then(|(first, rest)| {
            matches!(first.text.as_str(), "exec" | "x" | "dlx").then_some(rest)
        }),
        _ => None,
    };
    if let Some(words) = words {
        if let Some(text) = options::value(words, &["-c", "--call"]) {
            judge.within(&text.text, &text.span);
        }
        let words = peel::behind_options(
            words,
            &["-p", "--package", "--from", "--with", "-c", "--call"],
        );
        judge.call(JudgedCall { words, ..call });
    }
    for word in call.words.iter().filter(|word| judge_reads(word)) {
        if judge.place.reading(&word.text) == Some(Reason::ReadsOutside) {
            judge.put(Reason::OutsideCode, None, &word.span);
        }
    }
}

fn judge_reads(word: &Word) -> bool {
    word.text.starts_with("/tmp") || word.text.starts_with("~/Downloads")
}

/// A shell on another machine.
pub(super) fn ssh(judge: &mut Judge<'_>, call: JudgedCall<'_>) {
    let span = call.command.span.clone();
    options::look(judge, call);
    let words = peel::behind_options(
        call.words,
        &[
            "-i", "-o", "-p", "-l", "-F", "-L", "-R", "-D", "-J", "-b", "-c", "-E", "-e", "-m",
            "-S", "-W",
        ],
    );
    let host = words.first().map_or("", |word| word.text.as_str());
    if host.is_empty() && call.has("-V") {
        return judge.put(Reason::Shows, None, &span);
    }
    if host.starts_with("git@") && words.len() == 1 {
        return judge.put(Reason::Service, None, &span);
    }
    if call.command.from.is_some()
        || call
            .command
            .redirects
            .iter()
            .any(|redirect| !redirect.writes)
    {
        judge.put(Reason::Sends, host_of(host), &span);
    }
    judge.put(Reason::RemoteCommand, None, &span);
}

/// Copying with `rsync`: to another machine, or with what is not there deleted.
pub(super) fn rsync(judge: &mut Judge<'_>, call: JudgedCall<'_>) {
    let span = call.command.span.clone();
    let words: Vec<&Word> = call.operands();
    let is_far = |word: &&Word| word.text.contains(':') && !word.text.starts_with(['/', '.']);
    if words.last().is_some_and(&is_far) {
        judge.put(
            Reason::Sends,
            words.last().and_then(|word| host_of(&word.text)),
            &span,
        );
    } else if words.iter().any(is_far) {
        judge.put(Reason::Fetches, None, &span);
    }
    if call.any(|word| word.text.starts_with("--delete") || word.text == "--remove-source-files")
        && !call.has("-n")
        && !call.has("--dry-run")
    {
        judge.put(Reason::Deletes, None, &span);
    }
}
