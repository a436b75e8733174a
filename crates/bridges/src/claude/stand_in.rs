//! The stand-in itself: an app on one side, the CLI on the other, people beside.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal as Number, kill_process};
use sayso_core::ask::Matter;
use sayso_core::id::{ConversationName, Workspace};
use sayso_core::outcome::Outcome;
use sayso_dialects::Ended;
use sayso_dialects::claude_control::{
    AppSays, CliSays, CliTells, ControlAsk, read_app_line, read_cli_line, write_cancel,
    write_refusal, write_turn,
};
use tokio::process::Child;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};

use super::ask::AskEnd;
use super::control::CliControls;
use super::feed::{CliConversation, CliNews, PersonInput};
use super::open::{Finished, Open, Unanswered};
use super::pipes::{PipeLine, of_app, of_cli, to_app, to_cli};
use super::tools::AppTools;
use crate::error::BridgeError;
use crate::reader::is_read;
use crate::server_access::ServerAccess;
use crate::symlinks;
use crate::tie::ParentTie;
use crate::workspace::root_of;

/// How long the CLI may take to begin another turn after the last, before its input is closed.
const NEXT_TURN: Duration = Duration::from_millis(500);
/// How long a CLI that has ended may leave its output open.
const LAST_LINES: Duration = Duration::from_secs(2);

/// How often an app that says nothing more is looked after: the system does not tell of its end.
const LOOK_EVERY: Duration = Duration::from_millis(200);

const APP_GONE: &str = "The app has ended.";
const BY_APP: &str = "Answered in the app.";
const BY_CLI: &str = "Claude Code withdrew the question.";
const GONE: &str = "Claude Code has ended.";

/// Who stands in for the CLI.
#[derive(Debug)]
pub struct StandIn {
    /// How the server is reached.
    pub server: ServerAccess,
    /// The CLI itself.
    pub bin: PathBuf,
    /// What makes it end with us.
    pub tie: ParentTie,
    pub words: Vec<OsString>,
    /// Whether the app answers too.
    pub app_answers: bool,
    /// The name that marks the child in its environment.
    pub mark: &'static str,
}

/// What is going on between the two sides.
struct Between {
    app_answers: bool,
    open: Open,
    feed: CliConversation,
    session: Option<ConversationName>,
    cwd: Option<String>,
    to_app: mpsc::Sender<Vec<u8>>,
    /// Nothing once the input of the CLI is closed.
    to_cli: Option<mpsc::Sender<Vec<u8>>>,
    app_gone: bool,
    /// Whether a turn runs.
    works: bool,
    /// Asks whose outcome was written to the CLI, until it shows that it has it.
    told: Vec<String>,
    /// What the CLI was told to do.
    controls: CliControls,
    /// The tools of servers that live in the app.
    tools: AppTools,
    /// Words to the server that are under way.
    confirming: JoinSet<()>,
    server: ServerAccess,
    /// What the person at the terminal of the app is told.
    notes: Vec<String>,
}

impl StandIn {
    /// Stands in until the CLI ends; gives its exit code. What is to be said beside goes to `note`.
    pub async fn run(self, mut note: impl FnMut(&str)) -> Result<u8, BridgeError> {
        let mut child = self.start()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(BridgeError::Broken("the CLI has no pipes".to_owned()));
        };
        let pid = child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .and_then(Pid::from_raw);
        let (mut app, mut cli) = (of_app(), of_cli(stdout));
        let (out, writer) = to_app();
        let (open, mut finished) = Open::new(self.server.clone());
        let (feed, mut said) = CliConversation::new(self.server.clone());
        let mut between = Between {
            app_answers: self.app_answers,
            open,
            feed,
            session: None,
            cwd: None,
            to_app: out,
            to_cli: Some(to_cli(stdin)),
            app_gone: false,
            works: false,
            told: Vec::new(),
            controls: CliControls::default(),
            tools: AppTools::default(),
            confirming: JoinSet::new(),
            server: self.server,
            notes: Vec::new(),
        };
        let failed = || BridgeError::system("cannot listen for signals");
        let mut terminate = signal(SignalKind::terminate()).map_err(failed())?;
        let mut interrupt = signal(SignalKind::interrupt()).map_err(failed())?;
        let mut ended: Option<(ExitStatus, Instant)> = None;
        let mut close_at: Option<Instant> = None;
        let mut looks = interval(LOOK_EVERY);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let lines_max = ended.map(|(_, until)| until);
            tokio::select! {
                biased;
                line = cli.recv() => match line {
                    Some(line) => {
                        close_at = None;
                        between.cli_said(line).await;
                    }
                    None => break,
                },
                Some(done) = finished.recv() => between.finished(done).await,
                line = app.recv(), if !between.app_gone => match line {
                    Some(line) => between.app_said(line).await,
                    None => between.app_gone = true,
                },
                Some(said) = said.recv() => between.said(said).await,
                _ = terminate.recv() => pass_on(pid, Number::TERM),
                _ = interrupt.recv() => pass_on(pid, Number::INT),
                status = child.wait(), if ended.is_none() => {
                    let status = status.map_err(BridgeError::system("cannot wait for the CLI"))?;
                    ended = Some((status, Instant::now() + LAST_LINES));
                }
                _ = looks.tick(), if between.app_gone && between.to_cli.is_some() => {
                    if !is_read() {
                        // Nobody hears the CLI any more, so nobody may answer for the app either.
                        between.open.take_all_back(APP_GONE);
                        between.to_cli = None;
                        pass_on(pid, Number::TERM);
                    }
                }
                () = until(lines_max) => break,
                () = until(close_at) => {
                    between.to_cli = None;
                    close_at = None;
                }
            }
            for line in between.notes.drain(..) {
                note(&line);
            }
            if between.may_close() && close_at.is_none() {
                close_at = Some(Instant::now() + NEXT_TURN);
            }
        }
        between.to_cli = None;
        between.open.close(GONE).await;
        between.feed.close(LAST_LINES).await;
        while between.confirming.join_next().await.is_some() {}
        drop(between.to_app);
        let status = match ended {
            Some((status, _)) => status,
            None => child
                .wait()
                .await
                .map_err(BridgeError::system("cannot wait for the CLI"))?,
        };
        // Everything the CLI said is written before we end as it did.
        drop(tokio::task::spawn_blocking(move || writer.join()).await);
        Ok(code_of(status))
    }

    fn start(&self) -> Result<Child, BridgeError> {
        self.tie
            .command(&self.bin)
            .args(&self.words)
            .env(self.mark, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(BridgeError::system("cannot start the CLI"))
    }
}

async fn until(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

fn pass_on(pid: Option<Pid>, number: Number) {
    if let Some(pid) = pid {
        // A CLI that is gone needs no signal.
        kill_process(pid, number).ok();
    }
}

/// The code of a program, or what a shell says for a signal.
pub(crate) fn code_of(status: ExitStatus) -> u8 {
    let code = status
        .code()
        .or_else(|| status.signal().map(|number| 128 + number));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

impl Between {
    async fn cli_said(&mut self, line: PipeLine) {
        line.text()
            .into_iter()
            .for_each(|text| self.tools.cli_said(text));
        let says = line.text().map_or(CliSays::Other, read_cli_line);
        let mut passes = true;
        match says {
            CliSays::Asks(ask) => {
                // Only what the CLI would not have asked this app at all is kept from it.
                passes = self.app_answers || !is_tool(&ask);
                let ask = self.placed(*ask);
                self.open.ask(ask);
            }
            CliSays::AsksUnreadably { request_id, why } => {
                self.notes
                    .push(format!("a question could not be read: {why}"));
                if !self.app_answers {
                    // The app did not ask for it, and the CLI would wait for ever.
                    passes = false;
                    let why = format!("The question could not be asked: {why}");
                    self.write_line(write_refusal(&request_id, &why)).await;
                }
            }
            CliSays::StillAsks(asks) => {
                for ask in asks {
                    let ask = self.placed(ask);
                    self.open.ask(ask);
                }
            }
            CliSays::Cancels { request_id } => {
                let was_ours = self.open.take_back(&request_id, BY_CLI);
                passes = self.app_answers || !was_ours;
            }
            CliSays::Begins { session, cwd } => {
                self.works = true;
                self.feed.begin(&session);
                self.session = ConversationName::new(session).ok();
                self.cwd = cwd;
            }
            CliSays::Tells(tells) => {
                if tells
                    .iter()
                    .any(|one| matches!(one, CliTells::ToolEnds { .. }))
                {
                    self.heard();
                }
                for one in tells {
                    self.feed.tell(CliNews::Tells(one));
                }
            }
            CliSays::Ends(how) => {
                self.works = false;
                self.heard();
                self.feed.tell(CliNews::Ends(how));
            }
            CliSays::Replies { request_id, error } => {
                if let Some(news) = self.controls.replied(&request_id, error) {
                    // The app did not ask for it.
                    passes = false;
                    self.feed.tell(news);
                }
            }
            CliSays::Other => {}
        }
        if passes {
            // An app that no longer reads still gets its CLI's end.
            drop(self.to_app.send(line.bytes).await);
        }
    }

    async fn app_said(&mut self, line: PipeLine) {
        line.text()
            .into_iter()
            .for_each(|text| self.tools.app_said(text));
        match line.text().map_or(AppSays::Other, read_app_line) {
            AppSays::Answers {
                request_id,
                decided: true,
            } => {
                self.open.take_back(&request_id, BY_APP);
            }
            AppSays::Answers {
                request_id,
                decided: false,
            } => match self.open.unanswered(&request_id, line.bytes) {
                Ok(()) => return,
                Err(bytes) => return self.write(bytes).await,
            },
            AppSays::Turn => self.works = true,
            AppSays::Other => {}
        }
        self.write(line.bytes).await;
    }

    async fn said(&mut self, said: PersonInput) {
        match said {
            PersonInput::Turn(text) => {
                self.works = true;
                self.write_line(write_turn(&text)).await;
            }
            PersonInput::Control { id, what, by } => {
                let line = self.controls.told(id, &what, &by);
                self.write_line(line).await;
            }
        }
    }

    async fn finished(&mut self, done: Finished) {
        let Finished { ask, how } = done;
        let Some(Unanswered(unanswered)) = self.open.finish(&ask.request_id) else {
            return;
        };
        match how {
            AskEnd::Ended { id, ended } => {
                self.write_line(ask.write(&ended)).await;
                self.told.push(id);
                if unanswered.is_none() && (self.app_answers || !is_tool(&ask)) {
                    // The app still asks somebody; its CLI would take that back the same way.
                    let mut line = write_cancel(&ask.request_id);
                    line.push('\n');
                    drop(self.to_app.send(line.into_bytes()).await);
                }
            }
            AskEnd::TakenBack => {}
            AskEnd::Failed(error) => {
                self.notes
                    .push(format!("a question could not be asked: {error}"));
                if let Some(line) = unanswered {
                    self.write(line).await;
                } else if !self.app_answers && is_tool(&ask) {
                    let note = Some(format!("The question could not be asked: {error}"));
                    let ended = Ended {
                        outcome: Outcome::Withdrawn { note },
                        late: None,
                    };
                    self.write_line(ask.write(&ended)).await;
                }
            }
        }
    }

    /// The CLI has shown that it has what it was told.
    fn heard(&mut self) {
        let told = std::mem::take(&mut self.told);
        if let (false, Ok(client)) = (told.is_empty(), self.server.client()) {
            self.confirming.spawn(async move {
                for id in told {
                    // What cannot be confirmed is offered again, and costs nothing.
                    drop(timeout(LAST_LINES, client.confirm(&id)).await);
                }
            });
        }
    }

    /// Whether the input of the CLI can be closed: nobody will write to it any more.
    fn may_close(&self) -> bool {
        self.app_gone && !self.works && self.open.is_empty() && self.to_cli.is_some()
    }

    fn placed(&self, mut ask: ControlAsk) -> ControlAsk {
        ask.draft.conversation.clone_from(&self.session);
        let cwd = self.cwd.clone().or_else(here);
        if let Matter::Approval(action) = &mut ask.draft.matter {
            action.cwd.clone_from(&cwd);
            action.tool_schema = self.tools.schema_of(&action.tool);
        }
        ask.draft.workspace = cwd.and_then(|cwd| Workspace::new(cwd).ok()).map(root_of);
        symlinks::follow(&mut ask.draft);
        ask
    }

    async fn write_line(&mut self, mut line: String) {
        line.push('\n');
        self.write(line.into_bytes()).await;
    }

    async fn write(&mut self, bytes: Vec<u8>) {
        if let Some(to_cli) = &self.to_cli {
            // A CLI that no longer reads is noticed by its end.
            drop(to_cli.send(bytes).await);
        }
    }
}

fn is_tool(ask: &ControlAsk) -> bool {
    match ask.draft.matter {
        Matter::Questions(_) | Matter::Approval(_) => true,
        // Forms come to every app, with or without us.
        Matter::Form(_) => false,
    }
}

fn here() -> Option<String> {
    let here = std::env::current_dir().ok()?;
    Path::to_str(&here).map(str::to_owned)
}
