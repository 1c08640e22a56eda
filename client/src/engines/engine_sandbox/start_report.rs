//! The line in which the confined process reports how its start went.

/// The outcome of a start.
#[derive(Debug)]
pub(super) enum StartReport {
    Started {
        is_confined: bool,
    },
    /// The system allows no namespaces; nothing was started.
    Inseparable,
    Failed(String),
}

impl StartReport {
    pub(super) fn read(line: &str) -> Self {
        match line {
            "confined" => Self::Started { is_confined: true },
            "open" => Self::Started { is_confined: false },
            "inseparable" => Self::Inseparable,
            "" => Self::Failed("it ended before it was started".into()),
            why => Self::Failed(why.into()),
        }
    }

    pub(super) fn line(&self) -> String {
        match self {
            Self::Started { is_confined: true } => "confined\n".into(),
            Self::Started { is_confined: false } => "open\n".into(),
            Self::Inseparable => "inseparable\n".into(),
            Self::Failed(why) => format!("{}\n", why.replace('\n', " ")),
        }
    }
}
