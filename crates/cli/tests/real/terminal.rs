//! A terminal of our own, with the program in it and somebody who reads the screen and presses keys.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::world::LONG;
use crate::stage::{begin, waited};

const ROWS: NonZero<u16> = NonZero::new(60).unwrap();
const COLUMNS: NonZero<u16> = NonZero::new(120).unwrap();

/// A terminal that a program runs in.
pub(super) struct Terminal {
    pub(super) child: Child,
    keys: File,
    screen: Arc<Mutex<vt100::Parser>>,
}

impl Terminal {
    /// Starts this command in a terminal, as the leader of its session.
    #[expect(
        clippy::disallowed_methods,
        reason = "a program gets its terminal from the one who starts it"
    )]
    pub(super) fn start(command: &Command) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let size = Winsize {
            ws_row: ROWS.get(),
            ws_col: COLUMNS.get(),
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&ours, size).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
        let theirs = || -> OwnedFd {
            let file = OpenOptions::new().read(true).write(true).open(&name);
            file.unwrap().into()
        };
        let mut within = Command::new("setsid");
        within
            .arg("--ctty")
            .arg(command.get_program())
            .args(command.get_args())
            .env_clear()
            .current_dir(
                command
                    .get_current_dir()
                    .map_or_else(PathBuf::new, PathBuf::from),
            )
            .stdin(theirs())
            .stdout(theirs())
            .stderr(theirs());
        for (key, value) in command.get_envs() {
            within.envs(value.map(|value| (key, value)));
        }
        within.env("TERM", "xterm-256color");
        let child = within.spawn().unwrap();
        // What is left of their end here would keep the screen open after them.
        drop(within);
        let screen = Arc::new(Mutex::new(vt100::Parser::new(ROWS, COLUMNS, 0)));
        let keys = File::from(ours);
        let (mut seen, drawn) = (keys.try_clone().unwrap(), Arc::clone(&screen));
        std::thread::spawn(move || {
            let mut piece = vec![0; 64 * 1024];
            while let Ok(count @ 1..) = seen.read(&mut piece) {
                drawn.lock().unwrap().process(&piece[..count]);
            }
        });
        Self {
            child,
            keys,
            screen,
        }
    }

    pub(super) fn screen(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// Waits until this is on the screen.
    pub(super) fn shows(&self, text: &str) {
        self.until(&format!("{text:?} on the screen"), |screen| {
            screen.contains(text)
        });
    }

    /// Waits until this is no longer on the screen.
    pub(super) fn hides(&self, text: &str) {
        self.until(&format!("a screen without {text:?}"), |screen| {
            !screen.contains(text)
        });
    }

    fn until(&self, wanted: &str, holds: impl Fn(&str) -> bool) {
        let begun = begin();
        while !holds(&self.screen()) {
            assert!(waited(begun) < LONG, "no {wanted}:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Presses keys.
    pub(super) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }
}
