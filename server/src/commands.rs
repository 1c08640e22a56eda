//! The operator's commands. Most work on the database beside a running server: `recover`, `account`, `moderate`,
//! `operator`, `push` and others. `config` reads the settings, and `health` asks the server itself.

pub mod accounts;
pub mod config;
pub mod health;
pub mod moderation;
pub mod pushes;

use crate::{
    config::{AccountTask, Closed, Moderate, Task},
    process::audit::Audited,
};

/// Logs what an operator has done on the command line, beside the database.
pub fn log_command(task: &Task) {
    let Some(what) = change(task) else { return };
    let user = ["SUDO_USER", "USER"].into_iter().find_map(|name| std::env::var(name).ok());
    let signed = if let Task::Moderate { operator: Some(name), .. } = task {
        name.as_str()
    } else {
        "command line"
    };
    let user = user.map_or_else(|| signed.to_owned(), |user| format!("{signed}, {user}"));
    let (account, what) = (Some(user.as_str()), Some(what.as_str()));
    let result = "done".to_owned();
    Audited { act: "operator", result, account, what, why: None, address: None }.log();
}

/// What a command changes; nothing if it only reads.
fn change(task: &Task) -> Option<String> {
    match task {
        Task::Recover { name } => Some(format!("recover {name}")),
        Task::Account { task: AccountTask::Export { who } } => {
            Some(format!("account export {who}"))
        }
        Task::Account { task: AccountTask::Delete { who } } => {
            Some(format!("account delete {who}"))
        }
        Task::Operator { name, remove: false } => Some(format!("operator {name}")),
        Task::Operator { name, remove: true } => Some(format!("operator {name} --remove")),
        Task::Undo { game } => Some(format!("undo {game}")),
        Task::Push => Some("push".to_owned()),
        Task::Restore { file } => Some(format!("restore {}", file.display())),
        Task::Check { repair: true } => Some("check --repair".to_owned()),
        Task::Moderate { task: None | Some(Moderate::List | Moderate::Show { .. }), .. }
        | Task::Check { repair: false }
        | Task::Backup { .. }
        | Task::Migrate { .. } => None,
        Task::Moderate { task: Some(task), .. } => Some(format!("moderate {}", moderate(task))),
    }
}

/// An act and whom it concerns. What operators write about people stays out of the log.
fn moderate(task: &Moderate) -> String {
    match task {
        Moderate::List => "list".to_owned(),
        Moderate::Show { who } => format!("show {who}"),
        Moderate::Note { who, .. } => format!("note {who}"),
        Moderate::Warn { who, .. } => format!("warn {who}"),
        Moderate::Mute { who, days, .. } => format!("mute {who}{}", for_days(*days)),
        Moderate::Unrated { who, days, .. } => format!("unrated {who}{}", for_days(*days)),
        Moderate::Close { who, days, .. } => format!("close {who}{}", for_days(*days)),
        Moderate::Reports { who, outcome } => format!("reports {who} {}", closed(*outcome)),
        Moderate::GuestReports { outcome } => format!("guest-reports {}", closed(*outcome)),
        Moderate::Undo { sanction } => format!("undo {sanction}"),
        Moderate::Answer { sanction } => format!("answer {sanction}"),
    }
}

fn for_days(days: Option<u32>) -> String {
    days.map_or_else(String::new, |days| format!(" --days {days}"))
}

const fn closed(outcome: Closed) -> &'static str {
    match outcome {
        Closed::Acted => "acted",
        Closed::Dismissed => "dismissed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_the_act_and_the_person_and_not_what_was_written() {
        let of = |task| change(&Task::Moderate { task: Some(task), operator: None }).unwrap();
        let reason = "insults".to_owned();
        let mute = Moderate::Mute { who: "Rude".to_owned(), reason, days: Some(7) };
        assert_eq!(of(mute), "moderate mute Rude --days 7");
        let reports = Moderate::Reports { who: "Rude".to_owned(), outcome: Closed::Acted };
        assert_eq!(of(reports), "moderate reports Rude acted");
    }
}
