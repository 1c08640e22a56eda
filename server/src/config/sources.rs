//! Where settings come from: flags, then variables, then the settings file, then defaults. A word that looks like a
//! setting and is none is most likely a typing error, with which a server would start with other settings than its
//! operator believes; so it is refused.

use std::{env, ffi::OsString, fs};

use anyhow::{Context, anyhow, bail};
use clap::{Arg, ArgAction, ArgMatches, CommandFactory, FromArgMatches};
use toml_span::{Value, value::ValueInner};

use super::{
    settings::{SETTINGS, Setting, Settings},
    task::{Task, Words},
};

/// The variables of the client, which operators may have set, too.
pub const VARIABLES_OF_THE_CLIENT: [&str; 4] =
    ["FIVEFOLD_CA", "FIVEFOLD_CONFIG_DIR", "FIVEFOLD_SERVER", "FIVEFOLD_TOKEN"];

/// How the variables of both programs begin.
const PREFIX: &str = "FIVEFOLD_";

/// The flags that commands take, too: where the data is.
const FOR_COMMANDS: [&str; 3] = ["config", "data", "database"];

/// A setting that is given: where, as people see it (`--data`, `the variable FIVEFOLD_DATA`,
/// `data (fivefold.toml:3)`), and its text.
type Given = (&'static Setting, String, String);

/// Reads the settings and the command of this process. Ends it if only help is wanted.
///
/// # Errors
/// If a setting is not known or not allowed, or settings contradict each other.
pub fn read() -> anyhow::Result<(Settings, Option<Task>)> {
    let words = command().get_matches();
    let task = Words::from_arg_matches(&words)?.task;
    // What the program says about itself needs no settings, which may be wrong.
    let settings = match task {
        Some(Task::Man | Task::Completions { .. }) => Settings::default(),
        _ => Settings::from_sources(&words, env::vars_os())?,
    };
    Ok((settings, task))
}

/// The command line: the flags, and the commands.
pub fn command() -> clap::Command {
    let flags = SETTINGS.iter().filter(|setting| setting.is_flag());
    let others = SETTINGS.iter().filter(|setting| !setting.is_flag());
    let others = others.map(|setting| {
        let (variable, value, help) = (setting.variable(), setting.value, help(setting));
        format!("\n  {variable}={value}\n          {help}\n")
    });
    let others: String = others.collect();
    Words::command().args(flags.map(flag)).after_long_help(format!(
        "Each flag is also a variable (FIVEFOLD_DATA for --data) and a key of the settings file (data). \
         These settings have only a variable and a key (drain for FIVEFOLD_DRAIN):\n{others}"
    ))
}

fn flag(setting: &'static Setting) -> Arg {
    let key = setting.key();
    let flag = Arg::new(key).long(key).help(help(setting)).global(FOR_COMMANDS.contains(&key));
    if setting.is_switch() {
        flag.action(ArgAction::SetTrue)
    } else {
        flag.value_name(setting.value)
    }
}

/// What a setting does, and what applies without it.
fn help(setting: &Setting) -> String {
    match setting.default().as_str() {
        "none" | "false" => setting.help().to_owned(),
        default => format!("{} [default: {default}]", setting.help()),
    }
}

impl Settings {
    /// Takes each setting from the first of its sources that has it.
    ///
    /// # Errors
    /// As [`read`].
    pub fn from_sources(
        words: &ArgMatches,
        variables: impl Iterator<Item = (OsString, OsString)>,
    ) -> anyhow::Result<Self> {
        let mut given = from_variables(variables)?;
        for setting in SETTINGS.iter().filter(|setting| setting.is_flag()) {
            let key = setting.key();
            let text = if setting.is_switch() {
                words.get_flag(key).then(|| "true".to_owned())
            } else {
                words.get_one::<String>(key).cloned()
            };
            given.extend(text.map(|text| (setting, format!("--{key}"), text)));
        }
        let file = given.iter().rfind(|(setting, ..)| setting.key() == "config");
        if let Some((_, _, file)) = file.cloned() {
            given.splice(..0, from_file(&file)?);
        }
        let mut settings = Self::default();
        for (setting, place, text) in given {
            if text.is_empty() {
                bail!("{place} is empty: give a value or leave it out");
            }
            (setting.set)(&mut settings, &text).map_err(|problem| anyhow!("{place}: {problem}"))?;
            settings.given.insert(setting.key(), place);
        }
        settings.check()?;
        Ok(settings)
    }
}

/// The variables that are settings.
fn from_variables(
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> anyhow::Result<Vec<Given>> {
    let mut given = Vec::new();
    for (name, text) in variables {
        let Some(name) = name.to_str().filter(|name| name.starts_with(PREFIX)) else { continue };
        if let Some(setting) = SETTINGS.iter().find(|setting| setting.variable() == name) {
            let place = format!("the variable {name}");
            let text = text.into_string().map_err(|_| anyhow!("{place} is not in UTF-8"))?;
            given.push((setting, place, text));
        } else if !VARIABLES_OF_THE_CLIENT.contains(&name) && !is_of_a_service(name) {
            let client = VARIABLES_OF_THE_CLIENT.map(str::to_owned);
            let nearest = nearest(name, SETTINGS.iter().map(Setting::variable).chain(client));
            bail!("{nearest} Correct the variable or unset it");
        }
    }
    Ok(given)
}

/// The settings in a file.
fn from_file(file: &str) -> anyhow::Result<Vec<Given>> {
    let content =
        fs::read_to_string(file).with_context(|| format!("cannot read the settings in {file}"))?;
    let place = |byte| {
        format!("{file}:{}", content.get(..byte).unwrap_or(&content).matches('\n').count() + 1)
    };
    // The message has at most one character of a value, which may be a secret.
    let table = toml_span::parse(&content)
        .map_err(|error| anyhow!("{}: {error}", place(error.span.start)))?;
    let mut given = Vec::new();
    for (key, value) in table.as_table().into_iter().flatten() {
        let place = place(key.span.start);
        let in_files = SETTINGS.iter().filter(|setting| setting.key() != "config");
        let Some(setting) = in_files.clone().find(|setting| setting.key() == key.name) else {
            let known = in_files.map(|setting| setting.key().to_owned());
            bail!("{place}: {}", nearest(&key.name, known));
        };
        let place = format!("{} ({place})", key.name);
        let text = text(value).with_context(|| {
            format!("{place}: give a text, a whole number, true, false or a list of texts")
        })?;
        // An empty list is what applies without one.
        if !text.is_empty() || value.as_array().is_none() {
            given.push((setting, place, text));
        }
    }
    Ok(given)
}

/// A value of the file as it would stand in a variable.
fn text(value: &Value<'_>) -> Option<String> {
    match value.as_ref() {
        ValueInner::String(text) => Some(text.to_string()),
        ValueInner::Integer(number) => Some(number.to_string()),
        ValueInner::Boolean(is_on) => Some(is_on.to_string()),
        ValueInner::Array(values) => {
            let texts: Option<Vec<_>> = values.iter().map(Value::as_str).collect();
            Some(texts?.join(","))
        }
        ValueInner::Float(_) | ValueInner::Table(_) => None,
    }
}

/// Says that a word is not known, and which known one is nearest.
fn nearest(word: &str, known: impl Iterator<Item = String>) -> String {
    let nearest = known.min_by_key(|known| distance(word, known)).unwrap_or_default();
    format!("there is no setting {word}: did you mean {nearest}?")
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
pub(super) fn distance(one: &str, other: &str) -> usize {
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
