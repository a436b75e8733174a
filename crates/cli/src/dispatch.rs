//! From the command line to one command and its exit code.

use std::future::Future;

use clap::{ArgMatches, CommandFactory, FromArgMatches};
use tokio::runtime::Builder;

use crate::commands;
use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::flags::{Cli, CliCommand, ServeFlags};
use crate::output::Output;
use crate::settings::Environment;

/// Threads that read and write aside; more of them would only wait for the same disk.
const ASIDE_MAX: usize = 16;

/// Runs the command of this process.
pub(crate) fn run() -> Exit {
    let environment = Environment::of_process();
    let mut out = Output::of_process(environment.get("NO_COLOR").is_some());
    let words = commands::claude::as_called(std::env::args_os().collect());
    let parsed = Cli::command()
        .try_get_matches_from(words)
        .and_then(|matches| {
            let cli = Cli::from_arg_matches(&matches)?;
            Ok((cli, matches))
        });
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return told(&error),
    };
    #[cfg(feature = "faults")]
    if let Err(failure) = crate::faults::arm(&environment) {
        out.say(failure.lines().trim_end_matches('\n'));
        return failure.exit;
    }
    match follow(&cli, &matches, environment, &mut out) {
        Ok(exit) => exit,
        Err(failure) => {
            let lines = failure.lines();
            if !lines.is_empty() {
                out.say(lines.trim_end_matches('\n'));
            }
            failure.exit
        }
    }
}

/// What clap has to say: help and version are no errors, and a closed pipe is none either.
fn told(error: &clap::Error) -> Exit {
    drop(error.print());
    if error.use_stderr() {
        Exit::Usage
    } else {
        Exit::Done
    }
}

fn follow(cli: &Cli, matches: &ArgMatches, environment: Environment, out: &mut Output) -> Ran {
    match &cli.command {
        Some(CliCommand::Completions(flags)) => return commands::completions::run(flags, out),
        Some(CliCommand::Man) => return commands::completions::man(out),
        Some(_) | None => {}
    }
    let none = ServeFlags::default();
    let serve = match &cli.command {
        Some(CliCommand::Serve(flags)) => flags,
        Some(_) if cli.serve.listen.is_some() => {
            return Err(Failure::usage("--listen is only allowed with `serve`"));
        }
        Some(_) if cli.serve.node.is_some() => {
            return Err(Failure::usage("--node is only allowed with `serve`"));
        }
        Some(_) | None => &none,
    };
    let flags = [
        (
            "--listen",
            serve.listen.as_ref().or(cli.serve.listen.as_ref()),
        ),
        ("--node", serve.node.as_ref().or(cli.serve.node.as_ref())),
        ("--state", cli.state.as_ref()),
        ("--config", cli.config.as_ref()),
        ("--store", cli.store.as_ref()),
        ("--key-file", cli.key_file.as_ref()),
    ];
    let flags = flags
        .into_iter()
        .filter_map(|(flag, text)| Some((flag, text.cloned()?)));
    let place = CommandContext::gather(environment, &flags.collect());
    if let Some(CliCommand::Hook(flags)) = &cli.command {
        return Ok(commands::hook::run(flags, place, out));
    }
    let place = place?;
    dispatch(cli, matches, &place, out).map_err(|failure| match failure.exit {
        Exit::Unreachable if failure.hint.is_none() => failure.hint(place.unreachable_hint()),
        _ => failure,
    })
}

fn dispatch(cli: &Cli, matches: &ArgMatches, place: &CommandContext, out: &mut Output) -> Ran {
    let Some(command) = &cli.command else {
        return serving(commands::serve::run(false, place, out));
    };
    match command {
        CliCommand::Ask(flags) => block_on(commands::ask::run(flags, place, out)),
        CliCommand::Approve(flags) => block_on(commands::approve::run(flags, place, out)),
        CliCommand::Inbox(flags) => block_on(commands::inbox::run(flags, place, out)),
        CliCommand::Answer(flags) => {
            let order = matches.subcommand_matches("answer").unwrap_or(matches);
            block_on(commands::answer::run(flags, order, place, out))
        }
        CliCommand::Say(flags) => block_on(commands::say::run(flags, place, out)),
        CliCommand::History(flags) => block_on(commands::history::run(flags, place, out)),
        CliCommand::Show(flags) => block_on(commands::show::run(flags, place, out)),
        CliCommand::Rules(flags) => block_on(commands::rules::run(flags, place, out)),
        CliCommand::Token(flags) => block_on(commands::token::run(flags, place, out)),
        CliCommand::Forget(flags) => block_on(commands::forget::run(flags, place, out)),
        CliCommand::Claude(flags) => commands::claude::run(flags, place, out),
        CliCommand::Mcp(flags) => block_on(commands::mcp::run(flags, place)),
        CliCommand::Bridge(flags) => block_on(commands::bridge::run(flags, place, out)),
        CliCommand::Install(flags) => commands::install::run(flags, place, out),
        CliCommand::Doctor => block_on(commands::doctor::run(place, out)),
        CliCommand::Nodes(flags) => block_on(commands::nodes::run(flags, place, out)),
        CliCommand::Key(flags) => commands::key::run(flags, out),
        CliCommand::Verify => commands::verify::run(place, out),
        CliCommand::Migrate(flags) => commands::migrate::run(flags, place, out),
        CliCommand::Recover(flags) => commands::recover::run(flags, place, out),
        CliCommand::Restore(flags) => commands::restore::run(flags, place, out),
        CliCommand::Rebuild => commands::rebuild::run(place, out),
        CliCommand::Compact => block_on(commands::compact::run(place, out)),
        CliCommand::Completions(flags) => commands::completions::run(flags, out),
        CliCommand::Man => commands::completions::man(out),
        // It runs without settings too, and never fails: see `follow`.
        CliCommand::Hook(flags) => Ok(commands::hook::run(flags, Ok(place.clone()), out)),
        CliCommand::Serve(flags) => serving(commands::serve::run(flags.forget_secrets, place, out)),
        CliCommand::Demo => serving(commands::demo::run(place, out)),
        CliCommand::Open(flags) => block_on(commands::open::run(flags, place, out)),
        CliCommand::Pair(flags) => block_on(commands::pair::run(flags, place, out)),
        CliCommand::Backup(flags) => block_on(commands::backup::run(flags, place, out)),
    }
}

/// Runs a command that only talks to a server: one thread is plenty.
pub(crate) fn block_on(command: impl Future<Output = Ran>) -> Ran {
    on(&mut Builder::new_current_thread(), command)
}

/// The same for something that is no whole command.
pub(crate) fn block_on_any<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    on(&mut Builder::new_current_thread(), async { Ok(work.await) })
}

/// Does what waits for a database on a thread that may wait.
pub(crate) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Failure::unexpected(error.to_string())))
}

/// Runs a command that is a server: one thread serves everybody, so that what one connection hears
/// is told to another without a switch of thread; a few others do what takes a while.
fn serving(command: impl Future<Output = Ran>) -> Ran {
    on(
        Builder::new_current_thread().max_blocking_threads(ASIDE_MAX),
        command,
    )
}

fn on<T>(
    builder: &mut Builder,
    command: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let runtime = builder
        .enable_all()
        .build()
        .map_err(|error| Failure::unexpected(format!("can't start the event loop: {error}")))?;
    runtime.block_on(command)
}
