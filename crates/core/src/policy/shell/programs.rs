//! Programs by name: what belongs to the shell itself, what runs other programs and what reaches the
//! network. Lists to be careful by, never lists to allow by.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Words of some shell's language behind which another command may begin, for the loose reading.
const SHELL_WORDS: &str = "! - . [[ alias autoload bg bind bindkey break builtin caller case command compctl \
    compgen complete compopt continue coproc declare dirs disable disown do done echotc \
    elif else emulate enable end esac eval exec exit export fc fg fi float for foreach \
    function functions getln getopts hash history if in integer jobs let limit local \
    logout mapfile nocorrect noglob private read readarray readonly rehash repeat return \
    sched select set setopt shift shopt source suspend then time times trap typeset \
    ulimit umask unalias unfunction unhash unlimit unset unsetopt until vared wait while \
    zcompile zformat zle zmodload zparseopts zstyle { }";

/// Whether a word is in a list; lists are texts with blanks between the words.
fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

/// The lists that every word of a text is held against.
static SHELL_WORD_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| SHELL_WORDS.split(' ').collect());
static CARRIER_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| CARRIERS.split(' ').collect());
static SHELL_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| SHELLS.split(' ').collect());

/// Whether behind this word of a shell's language another command may begin.
pub fn is_shell_word(name: &str) -> bool {
    SHELL_WORD_SET.contains(name)
}

/// Whether it moves the shell elsewhere: what follows means something else there.
pub fn moves(name: &str) -> bool {
    matches!(name, "cd" | "chdir" | "popd" | "pushd")
}

/// Programs that run what their words or their input say: shells, interpreters, wrappers, task
/// runners, editors and pagers.
const CARRIERS: &str = "aider ansible ansible-playbook ant apptainer asdf ash at ava awk bash batch bazel \
    bazelisk bc bpftrace bubblewrap buck buck2 bun bundle bunx busybox bwrap chpst chronic \
    chroot chrt claude clickhouse-client clisp cmake cmd codex composer concurrently conda \
    cpulimit crontab cscript csh cu cursor-agent cypress dart dash dbus-run-session dc deno \
    direnv doas docker docker-compose dotnet dtrace duckdb dumb-init ed elixir elvish emacs \
    emacsclient entr env erl escript ex expect expectk fab fakeroot firejail fish flock \
    forever gawk gcore gdb gemini ghci gnuplot goose gosu gprolog gradle gradlew groovy \
    grunt gtk-launch guile gulp hatch helm hyperfine iex ifne invoke ionice irb java jest \
    jimsh jshell julia just kotlin ksh ksh93 kubectl kubectx ld-linux-x86-64.so.2 ld.so \
    lerna less lksh lldb ltrace lua lua5 luajit lxc lxc-attach m4 machinectl make man \
    mariadb mawk meson micro minicom mise mix mksh mocha mongo mongosh mono more most \
    msbuild multipass mvn mysql nano nawk nice ninja nix nix-shell node nodejs nodemon nohup \
    nox npx nsenter nsjail nu numactl nvi nvim nvm nx ocaml octave oil oksh open opencode \
    osascript osh pants parallel pdksh pdm perf perl perl6 php picocom pipenv pipx \
    pixi pkexec playwright pm2 pnpx podman poetry posh powershell prolog proot pry psql pwsh \
    pyenv pypy pypy3 python python2 python3 qemu-system-x86_64 r racket rake raku rbash \
    rbenv redis-cli rr rscript ruby run-parts runghc runit runuser rush rvm rye sandbox-exec \
    sash sbcl scala scheme scons screen script sed setarch setpriv setsid sh socat sqlite \
    sqlite3 ssh stack stap start-stop-daemon stdbuf strace su su-exec sudo supervisord swift \
    swipl systemd-nspawn systemd-run tap task taskset tcl tclsh tcsh tee terraform timeout \
    tini tmux torsocks tox toybox ts-node tsx turbo unbuffer unshare update-alternatives uv \
    uvx vagrant valgrind vi view vim vimdiff vite vitest vmrun watch watchexec webpack wine \
    wish wscript xargs xcodebuild xcrun xdg-open xonsh xvfb-run yarn yash ysh zsh";

/// Shells, and what runs the lines it reads like one.
const SHELLS: &str = "ash bash busybox csh dash elvish fish ksh ksh93 mksh nu parallel pdksh rbash sh tcsh \
    xonsh yash zsh";

/// Whether what is piped into this program is run by it.
pub fn is_shell(name: &str) -> bool {
    SHELL_SET.contains(name)
}

/// Programs whose purpose is to reach another machine.
const REACHERS: &str = "aria2c aws az curl dig fetch ftp gcloud gh glab heroku host http https lftp lynx \
    mail nc ncat netcat nmap nslookup openssl ping rclone rsync scp sendmail sftp telnet \
    traceroute w3m wget";

/// Package programs, and those of their subcommands that only look or build here.
const INSTALLERS: &[(&str, &str)] = &[
    ("apk", "info list"),
    ("apt", "list policy show"),
    ("apt-get", ""),
    ("brew", "info list"),
    (
        "cargo",
        "bench build check clippy doc fmt metadata test tree --version -V",
    ),
    ("dnf", "info list"),
    ("dpkg", "-L -l -s"),
    ("gem", "list"),
    ("go", "build doc env fmt list test version vet"),
    ("npm", "--version -v ls outdated t test"),
    ("pacman", ""),
    ("pip", "--version freeze list show"),
    ("pip3", "--version freeze list show"),
    ("pnpm", "--version -v ls test"),
    ("rpm", ""),
    ("rustup", "show"),
    ("snap", "list"),
    ("yum", "info list"),
];

/// What git does with another repository.
const GIT_REACHES: &str = "clone fetch ls-remote pull push submodule";

/// Whether this is a program that runs other programs.
pub fn carries(program: &str) -> bool {
    let name = program.to_ascii_lowercase();
    // A version behind the name is the same program: python3.11, lua5.4.
    let bare = name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    CARRIER_SET.contains(name.as_str()) || bare.len() < name.len() && CARRIER_SET.contains(bare)
}

/// Whether a command runs whatever its words, its input or a file say, is named by a path, so that the
/// name says nothing about what runs, or may reach another machine.
pub fn needs_care(argv: &[String]) -> bool {
    let Some((program, words)) = argv.split_first() else {
        return false;
    };
    let name = program.to_ascii_lowercase();
    let name = name.as_str();
    // Before anything else: `sh -V` and its relatives ask no version, they run what is piped in.
    if program.contains('/') || carries(name) {
        return true;
    }
    // Nothing but its version is asked of it.
    if let [word] = words
        && matches!(word.as_str(), "--version" | "-V")
    {
        return false;
    }
    if let Some((_, mild)) = INSTALLERS.iter().find(|(installer, _)| *installer == name) {
        return !has(mild, words.first().map_or("", String::as_str));
    }
    match name {
        "git" => git_needs_care(words),
        "find" => words
            .iter()
            .any(|word| ["-exec", "-execdir", "-ok", "-okdir"].contains(&word.as_str())),
        _ => has(REACHERS, name),
    }
}

fn git_needs_care(words: &[String]) -> bool {
    let mut words = words.iter().map(String::as_str);
    words
        .find(|word| *word != "--no-pager")
        // `-c` and its kin make git run programs of the caller's choice.
        .is_some_and(|word| word.starts_with('-') || has(GIT_REACHES, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn every_list_has_each_word_once() {
        for list in [SHELL_WORDS, CARRIERS, SHELLS, REACHERS, GIT_REACHES] {
            let mut words: Vec<_> = list.split(' ').collect();
            let all = words.len();
            words.sort_unstable();
            words.dedup();
            assert_eq!((words.len(), words.contains(&"")), (all, false));
        }
    }

    #[test]
    fn what_needs_care_is_known() {
        for (text, expected) in [
            ("ls -la", false),
            ("git status", false),
            ("git --no-pager log", false),
            ("git -c core.pager=x status", true),
            ("git push", true),
            ("git reset --hard", false),
            ("git branch -D main", false),
            ("python3.11 x.py", true),
            ("python3 --version", true),
            ("sh -V", true),
            ("dash -V", true),
            ("zsh --version", true),
            ("tclsh8.6 -V", true),
            ("mksh -V", true),
            ("curl --version", false),
            ("./run", true),
            ("curl example.org", true),
            ("npm install", true),
            ("npm test", false),
            ("rm -rf x", false),
            ("find . -delete", false),
            ("find . -exec x", true),
            ("find . -name x", false),
        ] {
            assert_eq!(needs_care(&words(text)), expected, "{text}");
        }
    }
}
