//! The judgement on a day: what the members received and were promised, compared with the disk.

use std::collections::HashSet;

use fivefold_shared::{
    protocol::{Event, RoomRequest},
    room::{Cause, Entry, RoomState},
};
use fivefold_storage::{GameQuery, Storage};

use crate::{
    disk::Disk,
    findings::{ANOTHER_EVENT, REFUSED_AND_DONE, TWO_GAMES},
    member::{Made, Member},
};

/// Compares what the members received with the disk. Returns how many games have ended.
pub(crate) fn judge(disk: &Disk, members: &[Member], tables: usize) -> u64 {
    assert_eq!(disk.two_games(), None, "{TWO_GAMES}");
    let mut logs = disk.logs();
    logs.retain(|(_, log)| !fold(log).paired);
    assert_eq!(logs.len(), tables, "each table has made one room");
    let mut games = 0;
    for (code, log) in &logs {
        assert!(log.is_sorted_by_key(|entry| entry.event.at), "time goes back");
        let state = fold(log);
        let causes = causes_of_moves(log);
        let unique: HashSet<&Cause> = causes.iter().collect();
        assert_eq!(unique.len(), causes.len(), "a move is stored twice");
        games +=
            log.iter().filter(|entry| matches!(entry.event.event, Event::Ended { .. })).count();

        let here = |member: &&Member| member.table.code.lock().unwrap().as_ref() == Some(code);
        for member in members.iter().filter(here) {
            for made in &member.made {
                assert!(is_kept(member, made, log), "member {}: {made:?}", member.number);
            }
            for command in &member.refused {
                let is_stored = causes.iter().any(|cause| {
                    Some(&cause.member) == member.me.as_ref() && cause.command == *command
                });
                assert!(!is_stored, "member {}: {command}: {REFUSED_AND_DONE}", member.number);
            }
            for (seq, received) in &member.received {
                let index = usize::try_from(*seq).unwrap() - 1;
                let logged = &log[index].event;
                assert_eq!(received, logged, "member {}: {ANOTHER_EVENT}", member.number);
            }
            let seen = member.room.as_ref().expect("the member has entered");
            let told = usize::try_from(seen.seq).unwrap();
            assert_eq!(seen.snapshot(), fold(&log[..told]).snapshot(), "member {}", member.number);
            // Only a flag may fall after the last visit.
            assert!(!log[told..].iter().any(is_move), "member {} missed a move", member.number);
        }
        assert_eq!(state.seq, log.len() as u64);
    }
    let all = GameQuery { max: usize::MAX, ..GameQuery::default() };
    let kept = disk.storage().reader().unwrap().games(&all).unwrap().games.len();
    assert_eq!(kept, games, "each game that has ended is kept");
    games as u64
}

fn fold(log: &[Entry]) -> RoomState {
    RoomState::from_log(log.iter().map(|entry| &entry.event)).expect("the log of a room")
}

fn is_move(entry: &Entry) -> bool {
    matches!(
        entry.event.event,
        Event::Played { .. }
            | Event::Stayed { .. }
            | Event::Swapped { .. }
            | Event::Declared { .. }
            | Event::Offered { .. }
    )
}

/// The commands that made moves and acts, one for each. An act of an opening consists of several
/// events, and a question or the end of the opening follows.
fn causes_of_moves(log: &[Entry]) -> Vec<Cause> {
    let (mut causes, mut act) = (Vec::new(), None);
    let mut opening_runs = false;
    for entry in log {
        match entry.event.event {
            Event::Started { .. } | Event::Ended { .. } => (opening_runs, act) = (false, None),
            Event::Asked { .. } => {
                causes.extend(act.take());
                opening_runs = true;
            }
            Event::OpeningOver {} => {
                causes.extend(act.take());
                opening_runs = false;
            }
            _ if is_move(entry) => {
                let cause = entry.cause.clone().expect("a player's");
                if opening_runs {
                    assert!(act.as_ref().is_none_or(|act| *act == cause), "one command, one act");
                    act = Some(cause);
                } else {
                    causes.push(cause);
                }
            }
            _ => {}
        }
    }
    causes
}

/// Whether an acknowledged move is in the log, no later than the server acknowledged it.
fn is_kept(member: &Member, made: &Made, log: &[Entry]) -> bool {
    let member = member.me.clone().expect("the server has welcomed the member");
    let cause = Cause { member, command: made.command.clone() };
    log.iter().any(|entry| {
        entry.cause.as_ref() == Some(&cause)
            && entry.event.seq <= made.seq
            && match (&made.request, &entry.event.event) {
                (RoomRequest::Play { ply, point }, Event::Played { ply: at, point: on, .. }) => {
                    (ply, point) == (at, on)
                }
                (RoomRequest::Choose { .. }, _) => is_move(entry),
                _ => false,
            }
    })
}
