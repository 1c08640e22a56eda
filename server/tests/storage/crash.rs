//! A process that appends, killed at any instant, and a disk that is full.

use std::{
    env,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

use fivefold_shared::{protocol::Name, seat::Seat};
use fivefold_storage::{
    AccountChanged, AccountKeys, Append, Claimed, DataFolder, Epoch, GameQuery, IdentityHash,
    KnownMember, NodeId, Sqlite, Storage, backup, check, restore,
};
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};

use crate::{
    accounts,
    rooms::{append, code, game_id, log, member, rated, resigned, won_by},
};

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
    if !storage.unattended(0, 1).unwrap().is_empty() {
        for (room, known) in (0..ROOMS).zip(&mut epochs) {
            let claimed = storage.claim(&[code(room)], NodeId::ALONE).unwrap();
            let [Claimed::Mine { epoch, log, .. }] = &claimed[..] else { panic!("{claimed:?}") };
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
    output: BufReader<ChildStdout>,
}

impl Writer {
    fn start(folder: &Path) -> Self {
        Self::start_as("crash::writer", folder)
    }

    /// Starts a process that runs this ignored test.
    fn start_as(test: &str, folder: &Path) -> Self {
        // A file that grows too large is to be an error, and not the end of the process.
        let mut child = Command::new("sh")
            .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""])
            .arg(env::current_exe().unwrap())
            .args(["--exact", test, "--ignored", "--nocapture", "--test-threads=1"])
            .env(FOLDER, folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, output }
    }

    /// The next thing it says: the number stored last, or nothing when that was refused.
    fn next(&mut self) -> Option<u64> {
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the writer has ended");
            assert_ne!(line, "full\n", "the writer has had enough");
            if let Some(seq) = line.strip_prefix("stored ") {
                return Some(seq.trim().parse().unwrap());
            }
            if line.starts_with("refused ") {
                return None;
            }
        }
    }

    /// Kills it, and returns the last number that it had printed.
    fn kill(mut self) -> u64 {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let lines = self.output.lines().map(Result::unwrap);
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

/// Checks that every room's log is sound, and holds every acknowledged entry and at most one more:
/// it may have been committed without an acknowledgement. Returns the length of the logs.
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
    writer.limit_files(Some(512 * 1024));
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

/// Not a test of its own, like [`writer`]. Stores guests with a game, and makes an account of each. It
/// says `stored NUMBER` when both are acknowledged.
#[test]
#[ignore = "run by the other tests here"]
fn upgrader() {
    let Ok(folder) = env::var(FOLDER) else { return };
    let mut storage = Sqlite::open(DataFolder::take(Path::new(&folder)).unwrap()).unwrap();
    let first = (1..).find(|number| !is_stored(&storage, *number)).unwrap();
    for number in first..ENTRIES_MAX {
        let played = Append {
            members: vec![guest(number)],
            ..append(number, resigned("public", number, number + 10_000), number)
        };
        assert_eq!(storage.append(&[played]).unwrap(), [Ok(vec![])]);
        let up = accounts::sign_up(number, Some(guest(number).hash), &format!("Ann{number}"));
        assert_eq!(storage.change_account(&up).unwrap(), AccountChanged::Done);
        println!("stored {number}");
    }
}

fn guest(number: u64) -> KnownMember {
    let mut hash = [9; 32];
    hash[..8].copy_from_slice(&number.to_be_bytes());
    let name = Name::new("Guest").unwrap();
    KnownMember { id: member(number), hash: IdentityHash(hash), name, seen_at: 1 }
}

fn is_stored(storage: &Sqlite, number: u64) -> bool {
    let known = guest(number);
    storage.reader().unwrap().member(&known.id, known.hash).unwrap().is_some()
}

#[test]
fn a_kill_while_somebody_signs_up_leaves_the_guest_or_the_account_with_all_games() {
    let folder = tempfile::tempdir().unwrap();
    let (mut acknowledged, mut guests) = (Vec::new(), 0);
    for kill in 0..10 {
        let mut upgrader = Writer::start_as("crash::upgrader", folder.path());
        for _ in 0..1 + kill {
            acknowledged.extend(upgrader.next());
        }
        let last = upgrader.kill();
        acknowledged.extend((last > 0).then_some(last));
        let findings = check(folder.path()).unwrap();
        assert!(findings.is_sound(), "{findings}");
        let storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
        let mut reader = storage.reader().unwrap();
        for number in (1..).take_while(|number| is_stored(&storage, *number)) {
            let known = guest(number);
            let stored = reader.member(&known.id, known.hash).unwrap().unwrap();
            let account = reader.account_named(&format!("Ann{number}")).unwrap();
            let AccountKeys { password, codes_left, sessions, .. } =
                reader.account_keys(&known.id).unwrap();
            match account {
                Some(account) => {
                    assert_eq!((account.member, account.hash), (known.id.clone(), stored.hash));
                    assert_ne!(stored.hash, known.hash, "the identity has ended");
                    let keys = (password.is_some(), codes_left, sessions.len());
                    assert_eq!(keys, (true, 8, 1), "member {number}");
                }
                None => {
                    assert_eq!(stored, known, "still the guest");
                    assert_eq!((password, codes_left, sessions.len()), (None, 0, 0));
                    assert!(!acknowledged.contains(&number), "member {number} has an account");
                    guests += 1;
                }
            }
            let query = GameQuery {
                member: Some(known.id),
                unlisted: true,
                max: 9,
                ..GameQuery::default()
            };
            assert_eq!(reader.games(&query).unwrap().games.len(), 1, "member {number}");
        }
    }
    assert!(acknowledged.len() >= 55, "{} accounts, and {guests} guests", acknowledged.len());
}

/// Not a test of its own, like [`writer`]. Stores rated games of two members. It says `stored NUMBER`
/// when a game is acknowledged with its changes.
#[test]
#[ignore = "run by the other tests here"]
fn rater() {
    let Ok(folder) = env::var(FOLDER) else { return };
    let mut storage = Sqlite::open(DataFolder::take(Path::new(&folder)).unwrap()).unwrap();
    let mut reader = storage.reader().unwrap();
    let is_new = |number: &u64| reader.game(&game_id(*number)).unwrap().is_none();
    let first = (1..).find(is_new).unwrap();
    for number in first..ENTRIES_MAX {
        let winner = if number % 2 == 0 { Seat::First } else { Seat::Second };
        let played = rated(number, [7, 8], won_by(winner), number);
        let answers = storage.append(&[played]).unwrap();
        assert_eq!(answers[0].as_ref().unwrap().len(), 2);
        println!("stored {number}");
    }
}

#[test]
fn a_kill_while_games_end_leaves_each_counted_once_or_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged = 0;
    for kill in 0..10 {
        let mut rater = Writer::start_as("crash::rater", folder.path());
        for _ in 0..5 + kill {
            acknowledged = rater.next().unwrap();
        }
        acknowledged = rater.kill().max(acknowledged);
        let findings = check(folder.path()).unwrap();
        assert!(findings.is_sound(), "{findings}");
        let storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
        let ratings = storage.reader().unwrap().ratings(&member(7)).unwrap();
        let [rating] = ratings[..] else { panic!("{ratings:?}") };
        // The last game may have been stored, and not acknowledged.
        assert_eq!((rating.games, rating.changes), (findings.games, findings.games));
        assert!(acknowledged <= rating.games && rating.games <= acknowledged + 1, "{rating:?}");
    }
    assert!(acknowledged > 50, "{acknowledged} games");
}

/// Not a test of its own, like [`writer`]. Restores one of two backups and uses it, again and again. It says `stored
/// NUMBER` after each step.
#[test]
#[ignore = "run by the other tests here"]
fn restorer() {
    let Ok(folder) = env::var(FOLDER) else { return };
    let folder = Path::new(&folder);
    for number in 0..200 {
        restore(&folder.join("data"), &folder.join(["few", "many"][number % 2])).unwrap();
        println!("stored {number}");
        let data = DataFolder::take(&folder.join("data")).unwrap();
        let mut storage = Sqlite::open(data).unwrap();
        assert_eq!(storage.append(&[append(500, log(20), 0)]).unwrap(), [Ok(vec![])]);
        println!("stored {number}");
    }
    println!("full");
}

#[test]
fn a_kill_while_a_backup_is_restored_leaves_one_of_both_databases() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    for (name, rooms) in [("few", 0..3), ("many", 100..300)] {
        let source = tempfile::tempdir().unwrap();
        let mut storage = Sqlite::open(DataFolder::take(source.path()).unwrap()).unwrap();
        let rooms: Vec<_> = rooms.map(|room| append(room, log(20), 0)).collect();
        assert!(storage.append(&rooms).unwrap().iter().all(Result::is_ok));
        backup(source.path(), &folder.path().join(name)).unwrap();
    }
    for kill in 0..10 {
        let mut restorer = Writer::start_as("crash::restorer", folder.path());
        for _ in 0..1 + kill {
            restorer.next();
        }
        restorer.kill();
        let findings = check(&data).unwrap();
        assert!(findings.is_sound(), "{findings}");
        // With the room that was made after the restore, or without it.
        assert!([3, 4, 200, 201].contains(&findings.rooms), "{findings}");
        let mut storage = Sqlite::open(DataFolder::take(&data).unwrap()).unwrap();
        let of_few = storage.read(&code(0)).unwrap().len();
        let of_many = storage.read(&code(100)).unwrap().len();
        assert_eq!((of_few, of_many), if findings.rooms < 5 { (20, 0) } else { (0, 20) });
    }
}

#[test]
fn a_limit_on_the_size_of_files_is_a_full_disk_and_not_the_end_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let mut storage = Sqlite::open(DataFolder::take(folder.path()).unwrap()).unwrap();
    for room in 0..20 {
        storage.append(&[append(room, log(200), 0)]).unwrap();
    }
    drop(storage);
    let copy = folder.path().join("copy");
    let [data, copy] = [folder.path(), &copy].map(|path| path.to_str().unwrap());
    for arguments in
        [&["backup", "--data", data, copy][..], &["--listen", "127.0.0.1:0", "--data", data]]
    {
        let limited = Command::new("sh")
            .args(["-c", "ulimit -f 16; exec \"$0\" \"$@\""])
            .arg(env!("CARGO_BIN_EXE_fivefold-server"))
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&limited.stderr);
        assert_eq!(limited.status.code(), Some(1), "{:?}: {errors}", limited.status);
        assert!(errors.contains("fivefold.sqlite3: the storage failed"), "{errors}");
    }
    assert!(check(folder.path()).unwrap().is_sound());
}
