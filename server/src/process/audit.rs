//! The audit log: a line for each try to open an account, and for each act of an operator. They have the
//! target `audit`, so that operators can keep them apart, and programs such as fail2ban can read them.

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
    /// What the operator tells people: an announcement, or why a room is closed.
    pub(crate) why: Option<&'a str>,
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
            why = self.why,
            address = self.address.as_deref().map(tracing::field::display),
            "{}",
            self.act,
        );
    }
}
