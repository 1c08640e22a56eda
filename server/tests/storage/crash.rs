//! A process that appends, killed at any instant, and a disk that is full.

use std::{
    env,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

use fivefold_server::{
    NodeId,
    storage::{Append, Claimed, DataFolder, Epoch, Sqlite, Storage, check},
};
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};

use crate::rooms::{append, code, log};

const FOLDER: &str = "FIVEFOLD_TEST_FOLDER";
const ROOMS: u64 = 5;
/// Longest log that is written: as many moves as a large board takes in the tests' games.
const ENTRIES_MAX: u64 = 900;

/// Not a test of its own: what the other tests kill. Appends to some rooms in turn, an entry each
/// in one commit, and says `stored SEQ` or `refused` each time.
#[test]
#[ignore = "run by the other tests here"]
fn writer() {
    let Ok(folder) = env::var(FOLDER) else { return };
    let mut storage = Sqlite::open(DataFolder::take(Path::new(&folder)).unwrap()).unwrap();
    let mut epochs = vec![Epoch::FIRST; usize::try_from(ROOMS).unwrap()];
    let mut seq = 0;
    if !storage.orphans(1).unwrap().is_empty() {
        for (room, known) in (0..ROOMS).zip(&mut epochs) {
            let claimed = storage.claim(&[code(room)], NodeId::ALONE).unwrap();
            let [Claimed::Mine { epoch, log }] = &claimed[..] else { panic!("{claimed:?}") };
            (*known, seq) = (*epoch, log.len() as u64);
        }
    }
    let whole = log(ENTRIES_MAX);
    while let Some(entry) = whole.get(usize::try_from(seq).unwrap()) {
        let batch: Vec<_> = (0..ROOMS)
            .zip(&epochs)
            .map(|(room, &epoch)| Append { epoch, ..append(room, vec![entry.clone()], 0) })
            .collect();
        match storage.append(&batch) {
            Ok(answers) => {
                assert!(answers.iter().all(Result::is_ok), "{answers:?}");
                seq += 1;
                println!("stored {seq}");
            }
            Err(error) => println!("refused {error}"),
        }
    }
    println!("full");
}

struct Writer {
    child: Child,
    said: BufReader<ChildStdout>,
}

impl Writer {
    fn start(folder: &Path) -> Self {
        // A file that grows too large is to be an error, and not the end of the process.
        let mut child = Command::new("sh")
            .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""])
            .arg(env::current_exe().unwrap())
            .args(["--exact", "crash::writer", "--ignored", "--nocapture", "--test-threads=1"])
            .env(FOLDER, folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(child.stdout.take().unwrap());
        Self { child, said }
    }

    /// The next thing it says: the number stored last, or nothing when that was refused.
    fn next(&mut self) -> Option<u64> {
        loop {
            let mut line = String::new();
            assert_ne!(self.said.read_line(&mut line).unwrap(), 0, "the writer has ended");
            assert_ne!(line, "full\n", "the writer has had enough");
            if let Some(seq) = line.strip_prefix("stored ") {
                return Some(seq.trim().parse().unwrap());
            }
            if line.starts_with("refused ") {
                return None;
            }
        }
    }

    /// Kills it, and then the last number that it had said.
    fn kill(mut self) -> u64 {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let lines = self.said.lines().map(Result::unwrap);
        let stored = lines.filter_map(|line| line.strip_prefix("stored ")?.parse().ok());
        stored.last().unwrap_or(0)
    }

    fn limit_files(&self, bytes: Option<u64>) {
        let pid = Pid::from_raw(self.child.id().try_into().unwrap()).unwrap();
        let maximum = getrlimit(Resource::Fsize).maximum;
        let limit = Rlimit { current: bytes.or(maximum), maximum };
        prlimit(Some(pid), Resource::Fsize, limit).unwrap();
    }
}

/// Every room's log is sound, and holds what was acknowledged and at most one entry more: what
/// was committed and not said any more. How long it is.
fn check_logs(folder: &Path, acknowledged: u64) -> u64 {
    let findings = check(folder).unwrap();
    assert!(findings.is_sound(), "{findings}");
    let mut storage = Sqlite::open(DataFolder::take(folder).unwrap()).unwrap();
    let length = storage.read(&code(0)).unwrap().len() as u64;
    assert!((acknowledged..=acknowledged + 1).contains(&length), "{length} of {acknowledged}");
    for room in 0..ROOMS {
        assert_eq!(storage.read(&code(room)).unwrap(), log(length), "room {room}");
    }
    length
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let mut length = 0;
    for kill in 0..12 {
        let mut writer = Writer::start(folder.path());
        let mut last = length;
        for _ in 0..1 + kill * 2 {
            last = writer.next().expect("the disk is not full");
        }
        length = check_logs(folder.path(), writer.kill().max(last));
    }
    assert!(length >= 144, "every round stores what it awaits: {length}");
}

#[test]
fn a_full_disk_refuses_until_there_is_space() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Writer::start(folder.path());
    while writer.next() != Some(5) {}
    writer.limit_files(Some(256 * 1024));
    let mut last = 0;
    while let Some(seq) = writer.next() {
        last = seq;
    }
    for _ in 0..10 {
        assert_eq!(writer.next(), None, "the disk is still full");
    }
    writer.limit_files(None);
    let next = loop {
        if let Some(seq) = writer.next() {
            break seq;
        }
    };
    assert_eq!(next, last + 1);
    check_logs(folder.path(), writer.kill().max(next));
}
