//! Backups that a server makes while people play, and a restore from one of them into another folder.

use std::{fs, path::Path, process::Command, time::Duration};

use fivefold_shared::clock::HOUR_MS;
use fivefold_tests::{PATIENCE, Server, private, program};
use tokio::time::{sleep, timeout};

use crate::{FIVE, Pair, freestyle};

/// The names of the files in a folder, in order, when there are so many complete backups of which the last one has
/// this name or a later one.
async fn backups(folder: &Path, count: usize, last: &str) -> Vec<String> {
    let made = async {
        loop {
            let files = fs::read_dir(folder).map(|files| {
                files
                    .map(|file| file.expect("a file").file_name().into_string().expect("plain"))
                    .collect()
            });
            let mut names: Vec<String> = files.unwrap_or_default();
            names.retain(|name| name != "backups.lock");
            names.sort_unstable();
            let is_complete = names.iter().all(|name| name.ends_with(".sqlite3"));
            if is_complete && names.len() == count && names[count - 1].as_str() > last {
                return names;
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, made).await.expect("the backup is made")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_goes_on_from_a_backup_of_the_last_hour() {
    let [data, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let folder = data.path().join("backups");
    let settings = [("backup-every", "1"), ("backup-keep", "2")];
    let server = Server::start_at_set_time(data.path(), &settings);
    let first = backups(&folder, 1, "").await;
    let mut pair = Pair::on(server, private(freestyle())).await;
    pair.play(&FIVE[..4]).await;
    let hour = Duration::from_millis(HOUR_MS);
    pair.server.pass(hour);
    let two = backups(&folder, 2, &first[0]).await;
    assert_eq!(two[0], first[0]);
    pair.play(&FIVE[4..6]).await;
    pair.server.pass(hour);
    // The oldest one is deleted.
    let last = backups(&folder, 2, &two[1]).await;
    assert_eq!(last[0], two[1]);

    // A server uses the folder.
    let restore = |backup: &str, data: &Path| {
        let restored = Command::new(program("fivefold-server"))
            .args(["restore", "--data"])
            .arg(data)
            .arg(folder.join(backup))
            .env_remove("FIVEFOLD_DATA")
            .output()
            .expect("the program runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (restored.status.success(), text(&restored.stdout), text(&restored.stderr))
    };
    let (done, _, stderr) = restore(&last[0], data.path());
    assert!(!done && stderr.contains("is in use by another server"), "{stderr}");

    // The one before the last two moves.
    let (done, stdout, stderr) = restore(&last[0], other.path());
    assert!(done, "{stderr}");
    assert!(stdout.contains("1 rooms") && stdout.contains("fivefold-server push"), "{stdout}");
    let Pair { server, room, bob, .. } = pair;
    drop(server);
    let server = Server::start_in(other.path());
    let mut bob = bob.lost().moved_to(&server).back().await;
    bob.join(&room).await;
    let moves = bob.seen(&room).position().ply();
    assert_eq!(moves, 4);
}
