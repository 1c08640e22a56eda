//! Tests in a pseudo-terminal: the client fits its size at any time, and gives it back, however the
//! client is ended.

use std::{
    fs::{self, File, OpenOptions},
    io::{Read, Write},
    os::fd::OwnedFd,
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::Instant,
};

use fivefold_tests::{Client, PATIENCE, Server, program};
use rustix::{
    process::{Pid, Signal, kill_process},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize},
};
use serde_json::json;
use tempfile::TempDir;

use crate::terminal_screen::Screen;

/// What the terminal gets when the screen takes it, and when it gives it back.
const TAKES: [&str; 4] = ["\x1b[?1049h", "\x1b[?1000h", "\x1b[?2004h", "\x1b[?25l"];
const GIVES_BACK: [&str; 4] = ["\x1b[?1049l", "\x1b[?1000l", "\x1b[?2004l", "\x1b[?25h"];

/// A client in a pseudo-terminal of its own, killed when this is dropped.
pub(crate) struct Terminal {
    child: Child,
    /// The end that the client has, to ask for the terminal's modes.
    side: File,
    keyboard: File,
    output: Receiver<Vec<u8>>,
    shown: String,
    screen: Screen,
    /// The client's settings, and its current folder. Removed with the client.
    settings: TempDir,
}

impl Terminal {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)
            .expect("a pseudo-terminal");
        grantpt(&master).expect("it is ours");
        unlockpt(&master).expect("it is ours");
        let name = ptsname(&master, Vec::new()).expect("it has a name").into_string();
        let side = OpenOptions::new().read(true).write(true).open(name.expect("ASCII"));
        let side = side.expect("the other end");
        tcsetwinsize(&side, winsize(100, 40)).expect("it is a terminal");
        let end = || Stdio::from(OwnedFd::from(side.try_clone().expect("a copy")));
        let settings = tempfile::tempdir().expect("a folder for the settings");
        // The terminal becomes the client's own, so that a change of its size reaches the client.
        let child = Command::new("setsid")
            .arg("--ctty")
            .arg(program("fivefold"))
            .args(arguments)
            .current_dir(settings.path())
            .env("FIVEFOLD_CONFIG_DIR", settings.path())
            .env("TERM", "xterm-256color")
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .expect("the client starts");
        let (sender, output) = mpsc::channel();
        let mut master = File::from(master);
        let keyboard = master.try_clone().expect("a copy");
        // The thread ends when every copy of the other end is closed.
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count) = master.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            side,
            keyboard,
            output,
            shown: String::new(),
            screen: Screen::new(),
            settings,
        }
    }

    /// Waits until the terminal got all of these.
    pub(crate) fn until(&mut self, parts: &[&str]) {
        let until = Instant::now() + PATIENCE;
        while !parts.iter().all(|part| self.shown.contains(part)) {
            let bytes = self.output.recv_timeout(until.saturating_duration_since(Instant::now()));
            let bytes = bytes.unwrap_or_else(|_| panic!("{parts:?} in {:?}", self.shown));
            self.took(&bytes);
        }
    }

    /// Waits until all of these are on the screen.
    pub(crate) fn sees(&mut self, parts: &[&str]) {
        // The client writes now and then, whatever happens.
        let until = Instant::now() + PATIENCE;
        loop {
            let text = self.screen.text();
            if parts.iter().all(|part| text.contains(part)) {
                return;
            }
            let bytes = self.output.recv_timeout(until.saturating_duration_since(Instant::now()));
            self.took(&bytes.unwrap_or_else(|_| panic!("{parts:?} in\n{}", text.trim_end())));
        }
    }

    /// What the terminal got since [`forget`](Self::forget).
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    fn took(&mut self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        self.screen.take(&text);
        self.shown += &text;
    }

    /// Whether typed lines are shown and edited, and keys send signals.
    fn is_cooked(&self) -> bool {
        let modes = tcgetattr(&self.side).expect("it is a terminal").local_modes;
        modes.contains(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG)
    }

    /// The text of a file that the client has saved.
    pub(crate) fn saved(&self, name: &str) -> String {
        fs::read_to_string(self.settings.path().join(name)).expect("it is saved")
    }

    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        tcsetwinsize(&self.side, winsize(columns, rows)).expect("it is a terminal");
    }

    /// Forgets what the terminal got before.
    pub(crate) fn forget(&mut self) {
        while let Ok(bytes) = self.output.try_recv() {
            self.took(&bytes);
        }
        self.shown.clear();
    }

    pub(crate) fn type_keys(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("it is a terminal");
    }

    fn send(&self, signal: Signal) {
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        kill_process(id.expect("a process has a number"), signal).expect("it runs");
    }
}

const fn winsize(columns: u16, rows: u16) -> Winsize {
    Winsize { ws_col: columns, ws_row: rows, ws_xpixel: 0, ws_ypixel: 0 }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // The process may have exited already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn a_screen_that_is_ended_by_a_signal_gives_the_terminal_back() {
    for signal in [
        Signal::QUIT,
        Signal::TERM,
        Signal::HUP,
        Signal::INT,
        Signal::ALARM,
        Signal::USR1,
        Signal::USR2,
    ] {
        let mut terminal = Terminal::start(&["local"]);
        assert!(terminal.is_cooked());
        terminal.until(&TAKES);
        assert!(!terminal.is_cooked());
        terminal.shown.clear();
        terminal.send(signal);
        let status = terminal.child.wait().expect("it can be waited for");
        terminal.until(&GIVES_BACK);
        assert!(terminal.is_cooked(), "{signal:?}");
        assert_eq!(status.code(), Some(130), "{signal:?}: {status}");
    }
}

#[test]
fn a_password_that_is_not_typed_to_its_end_leaves_the_terminal_as_it_was() {
    let login = ["login", "Ann", "--server", "http://127.0.0.1:9"];
    for signal in [Signal::TERM, Signal::QUIT, Signal::HUP] {
        let mut terminal = Terminal::start(&login);
        terminal.until(&["Password: "]);
        while terminal.is_cooked() {
            thread::yield_now();
        }
        terminal.send(signal);
        let status = terminal.child.wait().expect("it can be waited for");
        terminal.until(&["interrupted"]);
        assert!(terminal.is_cooked(), "{signal:?}");
        assert_eq!(status.code(), Some(1), "{signal:?}: {status}");
    }
    let mut terminal = Terminal::start(&login);
    terminal.until(&["Password: "]);
    while terminal.is_cooked() {
        thread::yield_now();
    }
    // The whole password comes through, and is not shown.
    terminal.type_keys("not a short one\r");
    terminal.until(&["cannot reach"]);
    assert!(terminal.is_cooked() && !terminal.shown.contains("short"), "{}", terminal.shown);
}

#[test]
fn five_hundred_changes_of_size_leave_a_running_game_running() {
    let server = Server::start();
    let bob = ["play", "--as", "white", "--time", "10+5", "--name", "Bob", "--json"];
    let mut bob = Client::start(bob.iter().chain(&["--server", &server.url()]));
    let link = bob.event("joined")["link"].as_str().expect("a link").to_owned();
    let mut ann = Terminal::start(&["join", &link, "--name", "Ann"]);
    ann.sees(&["Your turn: move 1"]);
    // From the smallest terminal to a large one, in an order that is the same in each run.
    let mut chance = 1_u64;
    let mut one_to = |most: u64| {
        chance =
            chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u16::try_from(1 + (chance >> 33) % most).expect("a small number")
    };
    for change in 1..=500_u32 {
        // A key makes the client draw before it has learned of the change.
        ann.type_keys("l");
        ann.resize(one_to(200), one_to(60));
        ann.type_keys("h");
        if change % 4 == 0 {
            ann.forget();
            ann.resize(if change % 8 == 0 { 80 } else { 90 }, 24);
            ann.until(&["\x1b[2J"]);
            ann.sees(&["Your turn: move 1"]);
        }
    }
    ann.type_keys(":h8\r");
    ann.sees(&["White to move: move 2"]);
    assert_eq!(bob.event("played")["point"], json!([7, 7]));
    bob.say("h9");
    ann.sees(&["Your turn: move 3"]);
}
