//! Tests how many threads search, as the system counts them.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

const PATIENCE: Duration = Duration::from_secs(60);
/// How often the number of threads must be the same to be believed.
const LOOKS: usize = 50;

/// A running program, killed when this is dropped.
struct Program(Child);

impl Program {
    fn start(arguments: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fivefold"));
        command.args(arguments.split(' ')).stdin(Stdio::piped()).stdout(Stdio::piped());
        Self(command.spawn().unwrap())
    }

    fn say(&mut self, lines: &str) {
        self.0.stdin.as_mut().unwrap().write_all(lines.as_bytes()).unwrap();
    }

    /// The next line of its output. Reads without a buffer, which could swallow later lines.
    fn line(&mut self) -> String {
        let mut line = String::new();
        BufReader::with_capacity(1, self.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn threads(&self) -> usize {
        fs::read_dir(format!("/proc/{}/task", self.0.id())).unwrap().count()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // The program may have exited already.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn analyse_thinks_with_as_many_threads_as_it_is_told() {
    for (flags, threads) in [("", 1), (" --threads 3", 3)] {
        let mut program = Program::start(&format!("analyse h8 i9 g9 --json --time 600{flags}"));
        let line = program.line();
        assert!(line.starts_with(r#"{"type":"analysis""#), "{line}");
        // One more thread waits for Ctrl-C.
        assert_eq!(program.threads(), threads + 1, "{flags}");
    }
}

/// Stones outside the book, with nothing decided soon.
const STONES: &str = "7,7,1\n8,8,2\n2,2,1\n12,12,2\n2,12,1\n12,2,2\n";

#[test]
fn the_brain_thinks_with_as_many_threads_as_its_manager_says() {
    for (info, threads) in [("", 1), ("INFO thread_num 3\n", 3), ("INFO thread_num 0\n", 1)] {
        let mut program = Program::start("brain --seed 1");
        program.say(&format!("START 15\nINFO timeout_turn 600000\n{info}BOARD\n{STONES}DONE\n"));
        assert_eq!(program.line(), "OK");
        // One more thread reads. The number may waver before it stays.
        let begun = Instant::now();
        let mut seen = Vec::new();
        while seen != [threads + 1; LOOKS] {
            assert!(begun.elapsed() < PATIENCE, "{info}: {seen:?} threads");
            thread::yield_now();
            seen = (0..LOOKS).map(|_| program.threads()).collect();
        }
        program.say("YXSTOP\nEND\n");
        let answer = program.line();
        assert!(answer.contains(','), "{answer}");
    }
}
