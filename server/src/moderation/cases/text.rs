//! The operator's queue and the file of one person as lines of text, with times in UTC.

use std::fmt::Write;

use fivefold_shared::protocol::Name;
use fivefold_storage::{ReportState, SanctionKind};

use super::{
    Case, CaseFile, ShownReport, ShownSanction,
    words::{number, span, time},
};

/// The queue, as it is at a time.
pub fn queue_text(cases: &[Case], now: u64) -> String {
    if cases.is_empty() {
        return "Nobody waits for a decision.\n".to_owned();
    }
    cases.iter().fold(String::new(), |mut text, case| {
        // Writing to a string cannot fail.
        writeln!(text, "{}", case_text(case, now)).ok();
        text
    })
}

fn case_text(case: &Case, now: u64) -> String {
    let Case { member, name, reports, guests, kinds, appeals, hints, since } = case;
    let mut parts = Vec::new();
    if *reports > 0 {
        let mut about: Vec<_> = kinds.iter().map(|kind| kind.as_str().to_owned()).collect();
        if *guests > 0 {
            about.push(format!("{guests} by {}", if *guests == 1 { "a guest" } else { "guests" }));
        }
        parts.push(format!("{} ({})", number(*reports, "report", "reports"), about.join(", ")));
    }
    if *appeals > 0 {
        parts.push(number(*appeals, "appeal", "appeals"));
    }
    parts.extend(hints.iter().map(|hint| format!("hint: {hint}")));
    let waits = span(now.saturating_sub(*since));
    let since = time(*since);
    let since = if reports + appeals > 0 {
        format!("waits since {since} ({waits})")
    } else {
        format!("last game {since}")
    };
    format!("{member}  {name}: {}; {since}", parts.join(", "))
}

/// All that is known about a person, as it is at a time.
pub fn file_text(file: &CaseFile, now: u64) -> String {
    let name = file.name.as_ref().map_or("unknown", Name::as_str);
    let kind = match (file.account_since, file.deleted_at) {
        (Some(_), Some(deleted)) => format!("account, deleted {}", time(deleted)),
        (Some(since), None) => format!("account since {}", time(since)),
        (None, _) => "guest".to_owned(),
    };
    let blocked = number(file.blocked_by, "person", "people");
    let mut text = format!("{}  {name} ({kind}), blocked by {blocked}\n", file.member);
    text.push_str(&in_force(&file.sanctions));
    file.reports.iter().for_each(|report| text.push_str(&report_text(report, now)));
    file.sanctions.iter().for_each(|sanction| text.push_str(&sanction_text(sanction, now)));
    // Writing to a string cannot fail.
    write!(text, "{}{}", file.signals, file.hints).ok();
    text
}

/// The line about the sanctions that hold.
pub fn in_force(sanctions: &[ShownSanction]) -> String {
    let held = sanctions.iter().filter(|sanction| sanction.active);
    let held: Vec<_> =
        held.map(|one| format!("{} (id {})", decision_text(one.kind, one.until), one.id)).collect();
    if held.is_empty() {
        "In force now: nothing.\n".to_owned()
    } else {
        format!("In force now: {}.\n", held.join("; "))
    }
}

/// A decision in words, with its end.
pub fn decision_text(kind: SanctionKind, until: Option<u64>) -> String {
    let what = match kind {
        SanctionKind::Note => return "note".to_owned(),
        SanctionKind::Warn => return "warning".to_owned(),
        SanctionKind::Mute => "no chat",
        SanctionKind::Unrated => "no rated games",
        SanctionKind::Close => "account closed",
    };
    match until {
        Some(until) => format!("{what} until {}", time(until)),
        None => format!("{what} without an end"),
    }
}

/// Who did something; older servers did not store it.
fn by(operator: Option<&String>) -> String {
    operator.map_or_else(String::new, |operator| format!(" by {operator}"))
}

fn report_text(report: &ShownReport, now: u64) -> String {
    let ShownReport { reporter, kind, game, line, text, at, state, closed_at, closed_by } = report;
    let state = match (state, closed_at) {
        (ReportState::Open, _) => format!("open for {}", span(now.saturating_sub(*at))),
        (ReportState::Acted | ReportState::Dismissed, Some(closed)) => {
            format!("{} {}{}", state.as_str(), time(*closed), by(closed_by.as_ref()))
        }
        (ReportState::Acted | ReportState::Dismissed, None) => state.as_str().to_owned(),
    };
    let kind = kind.as_str();
    let mut lines = format!("report {} by {reporter}: {kind}, {state}: {text}\n", time(*at));
    // Writing to a string cannot fail.
    if let Some(game) = game {
        writeln!(lines, "    game /game/{game}").ok();
    }
    if let Some(line) = line {
        let from = if line.verified { "wrote" } else { "as the reporter quotes it, wrote" };
        writeln!(lines, "    {from} in room {}: {}", line.room, line.text).ok();
    }
    lines
}

fn sanction_text(sanction: &ShownSanction, now: u64) -> String {
    let ShownSanction { id, kind, from, until, reason, operator, .. } = sanction;
    let state = match (sanction.undone_at, sanction.active, kind) {
        (Some(undone), _, _) => {
            format!("taken back {}{}", time(undone), by(sanction.undone_by.as_ref()))
        }
        (None, _, SanctionKind::Note) => "for operators".to_owned(),
        (None, true, SanctionKind::Warn) => "not read yet".to_owned(),
        (None, true, SanctionKind::Mute | SanctionKind::Unrated | SanctionKind::Close) => {
            "in force".to_owned()
        }
        (None, false, _) => match sanction.seen_at {
            Some(seen) => format!("read {}", time(seen)),
            None => "over".to_owned(),
        },
    };
    let what = decision_text(*kind, *until);
    let mut lines = format!("{id}  {} by {operator}: {what}, {state}: {reason}\n", time(*from));
    if let Some(appeal) = &sanction.appeal {
        let made = sanction.appealed_at.map(|at| format!(" {}", time(at))).unwrap_or_default();
        let state = match sanction.answered_at {
            Some(at) => format!("answered {}{}", time(at), by(sanction.answered_by.as_ref())),
            None => {
                let since = sanction.appealed_at.unwrap_or(*from);
                format!("waits for {}", span(now.saturating_sub(since)))
            }
        };
        // Writing to a string cannot fail.
        writeln!(lines, "    appeal{made}, {state}: {appeal}").ok();
    }
    lines
}
