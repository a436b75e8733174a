//! Code in other languages: looked at for words that say enough.
//!
//! Nothing here understands a language. A word that deletes, sends or starts programs counts
//! wherever it stands.

use super::filters;
use super::judge::{Judge, JudgedCall};
use super::net;
use super::options;
use super::peel;
use super::reader::Word;
use super::reason::Reason;

/// Commands of one pipe that are followed back.
const CHAIN_MAX: usize = 32;

/// Words of code, in lower case, and what they say.
const WORDS: &[(Reason, &[&str])] = &[
    (
        Reason::Deletes,
        &[
            "rmtree",
            "os.remove",
            "os.unlink",
            "os.rmdir",
            "removedirs",
            "unlink",
            "rmsync",
            "rmdir",
            "rm_rf",
            "rm_r",
            "fileutils.rm",
            "remove_dir_all",
            "fs.rm",
            "rimraf",
            "file.delete",
            "dir.delete",
            "deletefile",
            "removeitem",
            "remove-item",
            "shutil.move",
            "deno.remove",
        ],
    ),
    (Reason::Empties, &["truncate("]),
    (
        Reason::Data,
        &[
            "drop table",
            "drop database",
            "delete from",
            "truncate table",
            "dropdatabase",
            "deletemany",
            "drop_all",
            "flushall",
            "flushdb",
        ],
    ),
    (
        Reason::Unreadable,
        &[
            "os.system",
            "subprocess",
            "popen",
            "child_process",
            "execsync",
            "spawnsync",
            "spawn(",
            "system(",
            "exec(",
            "eval(",
            "`",
            "shell_exec",
            "passthru",
            "proc_open",
            "%x(",
            "%x{",
            "io.popen",
            "os.execute",
            "pty.spawn",
            "b64decode",
            "base64",
            "atob(",
            "fromhex",
            "fromcharcode",
            "__import__",
            "getattr(",
            "marshal",
            "ctypes",
            "os.exec",
            "do shell script",
            "invoke-expression",
            "runtime.getruntime",
            "process.binding",
            "kernel.open",
            "vm.run",
        ],
    ),
    (
        Reason::Sends,
        &[
            "requests.post",
            "requests.put",
            "requests.patch",
            "requests.delete",
            "httpx.post",
            "urlopen(",
            "smtplib",
            "socket.",
            "net::http.post",
            "ftplib",
            "paramiko",
            "tcpsocket",
            "net.connect",
            "http.request(",
            "https.request(",
            "axios.post",
            "method:'post",
            "method: 'post",
            "method:\"post",
            "method: \"post",
            "fsockopen",
            "curl_exec",
            "io::socket",
        ],
    ),
    (
        Reason::Fetches,
        &[
            "requests.get",
            "httpx.get",
            "urllib",
            "fetch(",
            "axios",
            "net::http",
            "http.get(",
            "https.get(",
            "aiohttp",
            "open-uri",
            "file_get_contents('http",
            "lwp::",
        ],
    ),
];

/// Places in code that are worth saying.
const PLACES: &[(Reason, &[&str])] = &[
    (
        Reason::Sayso,
        &["state/sayso", "admin.token", "person.token"],
    ),
    (
        Reason::Login,
        &["authorized_keys", "/etc/passwd", "/etc/sudoers"],
    ),
    (
        Reason::Automatic,
        &[
            ".bashrc",
            ".zshrc",
            ".profile",
            "/etc/cron",
            ".git/hooks",
            "launchagents",
        ],
    ),
    (
        Reason::Credential,
        &[
            ".ssh/",
            ".aws/",
            "/etc/shadow",
            ".netrc",
            "id_rsa",
            "id_ed25519",
            ".kube/config",
            "'.env'",
            "\".env\"",
            "aws_secret",
            "github_token",
            ".npmrc",
            "169.254.169.254",
        ],
    ),
    (Reason::Agents, &[".claude/settings"]),
];

/// Words by which code changes files.
const WRITES: &[&str] = &[
    "'w'",
    "\"w\"",
    "'a'",
    "\"a\"",
    "'wb'",
    "\"wb\"",
    "write_text",
    "write_bytes",
    "writefile",
    "appendfile",
    "file.write",
    "fopen",
    "createwritestream",
    "os.rename",
    "shutil.copy",
    "os.chmod",
    "os.makedirs",
    "mkdir",
    "file_put_contents",
];

/// A program that runs code from its words, its input or a file.
pub(super) fn interpret(judge: &mut Judge<'_>, name: &str, call: JudgedCall<'_>) {
    match name {
        "sed" | "gsed" => return filters::sed(judge, call),
        "awk" | "gawk" | "mawk" | "nawk" => return filters::awk(judge, call),
        "vi" | "vim" | "nvim" | "view" | "ex" | "ed" | "nano" | "emacs" => {
            return edits(judge, call);
        }
        "gdb" | "lldb" => return judge.put(Reason::ProjectCode, None, &call.command.span),
        "bc" => return judge.put(Reason::Shows, None, &call.command.span),
        _ => {}
    }
    if let [word] = call.words
        && matches!(
            word.text.as_str(),
            "--version" | "-V" | "-v" | "-version" | "--help"
        )
        && call.command.from.is_none()
    {
        return judge.put(Reason::Shows, None, &call.command.span);
    }
    let inline: &[&str] = match name {
        "php" => &["-r", "--run", "-B", "-R"],
        "node" | "nodejs" | "tsx" | "bun" | "deno" => {
            &["-e", "--eval", "-p", "--print", "-pe", "eval"]
        }
        "perl" => &[
            "-e", "-E", "-ne", "-pe", "-lne", "-pi", "-i", "-n", "-p", "-lane", "-0pe", "-0777",
            "-pie",
        ],
        "ruby" => &["-e", "-ne", "-pe"],
        "pwsh" | "powershell" => &["-c", "-Command", "-EncodedCommand", "-e", "-enc"],
        name if name.starts_with("py") || name.starts_with("ipython") => &["-c"],
        _ => &["-c", "-e", "--eval", "--execute", "-E", "--command"],
    };
    if matches!(name, "pwsh" | "powershell")
        && call.any(|word| word.text.to_ascii_lowercase().starts_with("-enc"))
    {
        judge.put(Reason::Unreadable, Some("encoded code"), &call.command.span);
    }
    let given = call.words.iter().position(|word| {
        inline.contains(&word.text.as_str())
            || name == "perl" && word.text.starts_with('-') && word.text.ends_with('e')
    });
    if let Some(at) = given {
        let codes = call.words.get(at + 1..).unwrap_or_default();
        judge.put(Reason::WrittenCode, None, &call.command.span);
        if let Some(code) = codes.first() {
            let what = code
                .unknown
                .as_deref()
                .filter(|_| code.text.trim().is_empty());
            if let Some(what) = what {
                return judge.put(Reason::Unreadable, Some(what), &code.span);
            }
            look(judge, &code.text, &code.span);
        }
        if name == "perl"
            && call.any(|word| word.text.starts_with("-i") || word.text.starts_with("-pi"))
        {
            judge.put(Reason::WritesInside, None, &call.command.span);
            codes
                .iter()
                .skip(1)
                .for_each(|word| judge.writes_file(word));
        }
        return;
    }
    if call.any(|word| word.text == "--test") {
        return judge.put(Reason::ProjectCode, None, &call.command.span);
    }
    if let Some(module) = options::value(call.words, &["-m"])
        .filter(|_| name.starts_with("py") || name.starts_with("ipython"))
    {
        return python_module(judge, call, &module);
    }
    let words = peel::behind_options(
        call.words,
        &[
            "-W",
            "-X",
            "-I",
            "-r",
            "--require",
            "--import",
            "--loader",
            "-d",
            "-C",
        ],
    );
    match words.first().filter(|word| word.text != "-") {
        Some(script) => runs_script(judge, call, script, words.get(1..).unwrap_or_default()),
        None => fed(judge, call, false),
    }
}

/// An editor: the files it is given are changed, and a command with `!` starts a program.
fn edits(judge: &mut Judge<'_>, call: JudgedCall<'_>) {
    let span = call.command.span.clone();
    for word in call.words {
        let text = word.text.as_str();
        if !text.starts_with(['-', '+', ':']) {
            judge.writes_file(word);
        }
        if text.starts_with('+') && text.contains('!') {
            judge.put(Reason::Hijacks, None, &span);
        }
    }
    if call.command.input.is_some() || call.command.from.is_some() {
        judge.put(Reason::WrittenCode, None, &span);
    }
    judge.put(Reason::WritesInside, None, &span);
}

/// A script in a file, and what the scripts of well known frameworks do.
fn runs_script(judge: &mut Judge<'_>, call: JudgedCall<'_>, script: &Word, rest: &[Word]) {
    judge.runs_file(call, script);
    let acts = |names: &[&str]| rest.iter().any(|word| names.contains(&word.text.as_str()));
    if script.text.ends_with("manage.py") && acts(&["flush", "reset_db", "sqlflush"])
        || script.text.ends_with("artisan")
            && rest.iter().any(|word| {
                [
                    "migrate:fresh",
                    "migrate:reset",
                    "migrate:refresh",
                    "migrate:rollback",
                    "db:wipe",
                ]
                .contains(&word.text.as_str())
            })
        || script.text.ends_with("console") && rest.iter().any(|word| word.text.contains(":drop"))
    {
        judge.put(Reason::Data, None, &call.command.span);
    }
}

fn python_module(judge: &mut Judge<'_>, call: JudgedCall<'_>, module: &Word) {
    let span = call.command.span.clone();
    let has = |word: &str| call.any(|one| one.text == word);
    match module.text.as_str() {
        "pip" | "ensurepip" | "pipx" | "conda" if has("list") || has("show") || has("freeze") => {
            judge.put(Reason::Reads, None, &span);
        }
        "pip" | "ensurepip" | "pipx" => net::packages(judge, "pip", call),
        "venv" | "virtualenv" | "compileall" | "py_compile" => {
            judge.put(Reason::WritesInside, None, &span);
        }
        "json.tool" | "this" | "calendar" | "tokenize" | "ast" | "dis" => {
            judge.put(Reason::Reads, None, &span);
        }
        "twine" => judge.put(Reason::Publishes, None, &span),
        _ => judge.put(Reason::ProjectCode, None, &span),
    }
}

/// Looks at code.
pub(super) fn look(judge: &mut Judge<'_>, code: &str, span: &std::ops::Range<usize>) {
    let lower = code.to_ascii_lowercase();
    for (reason, words) in WORDS.iter().chain(PLACES) {
        if let Some(word) = words.iter().find(|word| lower.contains(**word)) {
            let name = (*reason == Reason::Unreadable).then_some(match *word {
                "`" => "code in backquotes",
                "b64decode" | "base64" | "atob(" | "fromhex" | "fromcharcode" | "marshal" => {
                    "hidden code"
                }
                "eval(" | "exec(" | "__import__" | "getattr(" => "code that runs code",
                _ => "code that starts programs",
            });
            judge.put(*reason, name, span);
        }
    }
    if WRITES.iter().any(|word| lower.contains(word)) {
        judge.put(Reason::WritesInside, None, span);
        let leads_away = lower.contains("'/")
            || lower.contains("\"/")
            || lower.contains("~/")
            || lower.contains("'..")
            || lower.contains("\"..");
        if leads_away && !lower.contains("'/tmp") && !lower.contains("\"/tmp") {
            judge.put(Reason::WritesOutside, None, span);
        }
    }
}

/// A shell or an interpreter that runs what it reads.
pub(super) fn fed(judge: &mut Judge<'_>, call: JudgedCall<'_>, is_shell: bool) {
    let span = call.command.span.clone();
    if let Some(input) = &call.command.input {
        return run_text(judge, input, &span, is_shell);
    }
    if let Some(redirect) = call
        .command
        .redirects
        .iter()
        .find(|redirect| !redirect.writes)
    {
        return judge.runs_file(call, &redirect.target);
    }
    let mut from = call.command.from;
    let mut chain = Vec::new();
    while let Some(command) = from.and_then(|index| call.script.commands.get(index)) {
        if chain.len() >= CHAIN_MAX {
            return judge.put(
                Reason::Unreadable,
                Some("a pipe into an interpreter"),
                &span,
            );
        }
        chain.push(command);
        from = command.from;
    }
    if chain.is_empty() {
        return judge.put(Reason::WrittenCode, None, &span);
    }
    if chain.iter().any(|command| net::fetches(command)) {
        return judge.put(Reason::NetworkCode, None, &span);
    }
    if let [only] = chain.as_slice()
        && let Some((program, words)) = only.words.split_first()
    {
        let known = words.iter().all(|word| word.unknown.is_none());
        match program.text.as_str() {
            "echo" | "printf" if known => {
                let texts: Vec<&str> = words
                    .iter()
                    .map(|word| word.text.as_str())
                    .filter(|text| !text.starts_with('-'))
                    .collect();
                let text = texts.join(" ").replace("\\n", "\n");
                if text.contains("\\x") || text.contains("\\0") || text.contains("\\u") {
                    return judge.put(
                        Reason::Unreadable,
                        Some("letters written as numbers"),
                        &span,
                    );
                }
                return run_text(judge, &text, &span, is_shell);
            }
            "cat" => {
                if let Some(input) = &only.input {
                    return run_text(judge, input, &span, is_shell);
                }
            }
            _ => {}
        }
    }
    judge.put(
        Reason::Unreadable,
        Some("a pipe into an interpreter"),
        &span,
    );
}

fn run_text(judge: &mut Judge<'_>, text: &str, span: &std::ops::Range<usize>, is_shell: bool) {
    if is_shell {
        judge.within(text, span);
    } else {
        judge.put(Reason::WrittenCode, None, span);
        look(judge, text, span);
    }
}
