//! What the settings must fulfil together, and variables that are none: most likely typing errors, with which
//! a server would start with other settings than its operator believes.

use std::{collections::BTreeSet, env, ffi::OsString};

use anyhow::bail;
use clap::CommandFactory;

use super::Args;

/// The variables of the client, which operators may have set, too.
pub const VARIABLES_OF_THE_CLIENT: [&str; 4] =
    ["FIVEFOLD_CA", "FIVEFOLD_CONFIG_DIR", "FIVEFOLD_SERVER", "FIVEFOLD_TOKEN"];

/// How the variables of both programs begin.
const PREFIX: &str = "FIVEFOLD_";

impl Args {
    /// Checks the settings as a whole, and the variables of this process.
    ///
    /// # Errors
    /// If there is a variable that no program knows, or settings contradict each other or make no sense.
    pub fn check(&self) -> anyhow::Result<()> {
        check_variables(env::vars_os().filter_map(|(name, _)| name.into_string().ok()))?;
        let given: Vec<_> = env::args_os().collect();
        let data = ("--data", self.data.is_some());
        let database = ("--database", self.database.is_some());
        let in_memory = ("--in-memory", self.in_memory);
        for pair in [[data, database], [in_memory, data], [in_memory, database]] {
            if pair.iter().all(|(_, is_given)| *is_given) {
                let [one, other] = pair.map(|(flag, _)| source(flag, &given));
                bail!(
                    "{one} and {other} are both given, but only one can hold the data: leave one out"
                );
            }
        }
        let needs_database = [
            ("--bus", self.bus.is_some()),
            ("--database-replica", self.database_replica.is_some()),
        ];
        for (flag, is_given) in needs_database {
            if is_given && self.database.is_none() {
                bail!("{} needs --database, too", source(flag, &given));
            }
        }
        for (flag, number) in self.counts() {
            if number == 0 {
                bail!("{} is 0: nobody could play; give at least 1", source(flag, &given));
            }
        }
        Ok(())
    }

    /// The settings of which zero shuts everybody out.
    fn counts(&self) -> [(&'static str, usize); 12] {
        let rate = |rate: u32| usize::try_from(rate).unwrap_or(usize::MAX);
        [
            ("--sessions", self.sessions),
            ("--sessions-per-address", self.sessions_per_address),
            ("--connection-rate", rate(self.connection_rate)),
            ("--rooms", self.rooms),
            ("--rooms-per-identity", self.rooms_per_identity),
            ("--rooms-per-address", self.rooms_per_address),
            ("--room-rate", rate(self.room_rate)),
            ("--command-rate", rate(self.command_rate)),
            ("--address-command-rate", self.address_command_rate.map_or(1, rate)),
            ("--http-rate", rate(self.http_rate)),
            ("--unknown-codes", rate(self.unknown_codes)),
            ("--claim-after", usize::try_from(self.claim_after).unwrap_or(usize::MAX)),
        ]
    }
}

/// What gave a setting: the flag or the variable.
fn source(flag: &str, given: &[OsString]) -> String {
    let variable = format!("{PREFIX}{}", flag[2..].to_uppercase().replace('-', "_"));
    let is_flag = |word: &OsString| {
        let word = word.to_string_lossy();
        word == flag || word.strip_prefix(flag).is_some_and(|rest| rest.starts_with('='))
    };
    if !given.iter().any(is_flag) && env::var_os(&variable).is_some() {
        return format!("the variable {variable}");
    }
    flag.to_owned()
}

/// Refuses a variable that looks like a setting and is none.
fn check_variables(names: impl Iterator<Item = String>) -> anyhow::Result<()> {
    let command = Args::command();
    let of_commands = command.get_subcommands().flat_map(clap::Command::get_arguments);
    let variables = command.get_arguments().chain(of_commands).filter_map(clap::Arg::get_env);
    let variables = variables.map(|name| name.to_string_lossy().into_owned());
    let known: BTreeSet<_> = variables.chain(VARIABLES_OF_THE_CLIENT.map(str::to_owned)).collect();
    for name in names.filter(|name| name.starts_with(PREFIX)) {
        if known.contains(&name) || is_of_a_service(&name) {
            continue;
        }
        let nearest = known.iter().min_by_key(|other| distance(&name, other));
        let nearest = nearest.map_or("", String::as_str);
        bail!(
            "there is no setting {name}: did you mean {nearest}? Correct the variable or unset it"
        );
    }
    Ok(())
}

/// Whether Kubernetes or Docker sets this variable beside a service whose name begins with `fivefold`.
fn is_of_a_service(name: &str) -> bool {
    let is_port =
        |(_, rest): (&str, &str)| rest.starts_with(|letter: char| letter.is_ascii_digit());
    name.ends_with("_SERVICE_HOST")
        || name.contains("_SERVICE_PORT")
        || name.ends_with("_PORT")
        || name.split_once("_PORT_").is_some_and(is_port)
}

/// How many letters to add, leave out or change between two words.
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (column, other) in other.bytes().enumerate() {
            let changed = diagonal + usize::from(letter != other);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_is_no_setting_is_named_with_the_nearest_one() {
        let cases = [
            ("FIVEFOLD_DATABSE", Some("FIVEFOLD_DATABASE")),
            ("FIVEFOLD_LISTENS", Some("FIVEFOLD_LISTEN")),
            ("FIVEFOLD_TOKENS", Some("FIVEFOLD_TOKEN")),
            ("FIVEFOLD_DATABASE", None),
            ("FIVEFOLD_CONFIG_DIR", None),
            ("FIVEFOLDER", None),
            ("PATH", None),
            ("FIVEFOLD_PORT", None),
            ("FIVEFOLD_PORT_8080_TCP_ADDR", None),
            ("FIVEFOLD_SERVER_SERVICE_HOST", None),
        ];
        for (name, nearest) in cases {
            let checked = check_variables([name.to_owned()].into_iter());
            let expected = nearest.map(|nearest| format!("{name}: did you mean {nearest}?"));
            match (checked, expected) {
                (Ok(()), None) => {}
                (Err(error), Some(text)) => {
                    assert!(error.to_string().contains(&text), "{error}");
                }
                (checked, _) => panic!("{name}: {checked:?}"),
            }
        }
    }

    #[test]
    fn the_distance_counts_letters() {
        let cases =
            [("", "", 0), ("ab", "ab", 0), ("ab", "", 2), ("abc", "acb", 2), ("x", "xyz", 2)];
        for (one, other, expected) in cases {
            assert_eq!((distance(one, other), distance(other, one)), (expected, expected));
        }
    }
}
