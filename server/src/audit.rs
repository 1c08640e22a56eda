//! The audit log: a line for each try to open an account, and for each act of an operator. They have the
//! target `audit`, so that operators can keep them apart, and programs such as fail2ban can read them.

use crate::config::{AccountTask, Moderate, Task};

/// One line of the audit log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Audited<'a> {
    /// What somebody has tried.
    pub(crate) act: &'a str,
    /// `done`, or why not.
    pub(crate) result: String,
    /// The name of the account, if there is one.
    pub(crate) account: Option<&'a str>,
    /// What an operator has done, and to whom.
    pub(crate) what: Option<&'a str>,
    /// As the setting shows it.
    pub(crate) address: Option<String>,
}

impl Audited<'_> {
    /// Writes the line. The address comes last, so that no name looks like one.
    pub(crate) fn log(&self) {
        tracing::info!(
            target: "audit",
            result = %self.result,
            account = self.account,
            what = self.what,
            address = self.address.as_deref().map(tracing::field::display),
            "{}",
            self.act,
        );
    }
}

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
    Audited { act: "operator", result: "done".to_owned(), account, what, address: None }.log();
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
        Task::Check { repair: true } => Some("check --repair".to_owned()),
        Task::Moderate { task: None | Some(Moderate::List | Moderate::Show { .. }), .. }
        | Task::Check { repair: false }
        | Task::Backup { .. }
        | Task::Migrate { .. } => None,
        Task::Moderate { task: Some(task), .. } => Some(format!("moderate {task:?}")),
    }
}
