//! `config`: checks the settings, and shows which hold. It opens no database and connects to nothing.

use std::fmt::Write;

use crate::config::{Faults, SETTINGS, Settings, Sources};

/// Reads everything that the server reads when it starts, and says that it can be used.
///
/// # Errors
/// If something cannot be used.
pub fn check(sources: Sources, file: Option<&str>) -> Result<String, Faults> {
    let sources = match file {
        Some(file) => sources.with_file(file),
        None => sources,
    };
    let given = sources.checked_for_start()?.given_count();
    Ok(match given {
        0 => "All settings have their defaults.\n".to_owned(),
        1 => "The settings are valid: 1 is set, the others have their defaults.\n".to_owned(),
        _ => {
            format!("The settings are valid: {given} are set, the others have their defaults.\n")
        }
    })
}

/// Each setting with its value and where it comes from, in the form of a settings file. Defaults are comments, and so
/// is a secret, unless it stands in a file of its own.
pub fn show(settings: &Settings) -> String {
    let mut text = String::new();
    for setting in SETTINGS {
        // Writing to a string cannot fail.
        writeln!(text, "{}", setting.line(settings)).ok();
    }
    text
}
