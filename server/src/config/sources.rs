//! Where settings come from: flags, then variables, then the settings file, then defaults. An unknown setting is most
//! likely a typing error, and the server would start with other settings than its operator believes. So it is refused.
//! All faults are found, not only the first.

use std::{collections::BTreeMap, env, ffi::OsString, fmt, fs};

use clap::{Arg, ArgAction, ArgMatches, CommandFactory, FromArgMatches};
use toml_span::{Value, value::ValueInner};

use super::{
    secret_files,
    settings::{Place, SETTINGS, Setting, SettingName, Settings},
    task::{Command, Words},
};

/// The variables of the client, which operators may have set, too.
pub const VARIABLES_OF_THE_CLIENT: [&str; 4] =
    ["FIVEFOLD_CA", "FIVEFOLD_CONFIG_DIR", "FIVEFOLD_SERVER", "FIVEFOLD_TOKEN"];

/// How the variables of both programs begin.
const PREFIX: &str = "FIVEFOLD_";

/// The flags that commands take, too: where the data is.
const FOR_COMMANDS: [&str; 3] = ["config", "data", "database"];

/// Everything that is wrong with the settings, one line each. Each line names the place, and none repeats a secret.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct Faults(pub Vec<String>);

/// What gives a setting.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Source {
    Flag,
    Variable,
    /// The settings file, its line and column: `fivefold.toml:3:1`.
    File(String),
}

/// A setting that is given, and its text, which may be a secret.
#[derive(Clone)]
struct Given {
    name: SettingName,
    source: Source,
    text: String,
}

/// Where this process gets its settings from. The settings file is read each time; flags and variables stay as they
/// were when the process began.
#[derive(Clone)]
pub struct Sources {
    given: Vec<Given>,
    faults: Vec<String>,
}

/// Secrets may be in it.
impl fmt::Debug for Sources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sources(..)")
    }
}

/// Reads the command line of this process. Ends it if only help is wanted.
///
/// # Errors
/// If its words are not known.
pub fn read() -> Result<(Sources, Option<Command>), clap::Error> {
    let words = command().get_matches();
    let task = Words::from_arg_matches(&words)?.command;
    Ok((Sources::new(&words, env::vars_os()), task))
}

/// The command line: the flags, and the commands.
pub fn command() -> clap::Command {
    let flags = SETTINGS.iter().filter(|setting| setting.is_flag());
    let others = SettingName::all().filter(|name| !name.is_flag());
    let others = others.map(|name| {
        let (variable, value, help) = (name.variable(), name.value(), help(name));
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
    let help = help(SettingName { setting, is_file: false });
    let flag = Arg::new(key).long(key).help(help).global(FOR_COMMANDS.contains(&key));
    if setting.is_switch() {
        flag.action(ArgAction::SetTrue)
    } else {
        flag.value_name(setting.value)
    }
}

/// What a setting does, and what applies without it.
fn help(name: SettingName) -> String {
    match name.default().as_str() {
        "none" | "false" => name.help(),
        default => format!("{} [default: {default}]", name.help()),
    }
}

impl Sources {
    /// Takes the flags and the variables.
    pub fn new(words: &ArgMatches, variables: impl Iterator<Item = (OsString, OsString)>) -> Self {
        let mut faults = Vec::new();
        let mut given = from_variables(variables, &mut faults);
        for setting in SETTINGS.iter().filter(|setting| setting.is_flag()) {
            let key = setting.key();
            let text = if setting.is_switch() {
                words.get_flag(key).then(|| "true".to_owned())
            } else {
                words.get_one::<String>(key).cloned()
            };
            let name = SettingName { setting, is_file: false };
            given.extend(text.map(|text| Given { name, source: Source::Flag, text }));
        }
        Self { given, faults }
    }

    /// The same with another settings file.
    #[must_use]
    pub fn with_file(mut self, file: &str) -> Self {
        self.given.retain(|given| given.name.setting.key() != "config");
        let config = SettingName::all().filter(|name| name.setting.key() == "config");
        self.given.extend(config.map(|name| {
            let (source, text) = (Source::Flag, file.to_owned());
            Given { name, source, text }
        }));
        self
    }

    /// Takes each setting from the first of its sources that has it.
    ///
    /// # Errors
    /// If a setting is not known or not allowed, or settings contradict each other.
    pub fn settings(&self) -> Result<Settings, Faults> {
        self.looked_at(|_| Vec::new())
    }

    /// As [`settings`](Self::settings), and reads the files that the settings name.
    ///
    /// # Errors
    /// If settings or files cannot be used.
    pub fn checked_settings(&self) -> Result<Settings, Faults> {
        self.looked_at(Settings::faults_of_files)
    }

    /// As [`checked_settings`](Self::checked_settings), and looks at the folder of the backups. A running server does
    /// not read that setting again, so a disk that is away must not keep it from reading others.
    ///
    /// # Errors
    /// If settings, files or the folder cannot be used.
    pub fn checked_for_start(&self) -> Result<Settings, Faults> {
        self.looked_at(|settings| {
            let mut faults = settings.faults_of_files();
            faults.extend(settings.fault_of_backup_folder());
            faults
        })
    }

    /// The settings, if they can be read and this look finds no faults either.
    fn looked_at(&self, look: impl FnOnce(&Settings) -> Vec<String>) -> Result<Settings, Faults> {
        let (settings, mut faults) = self.read();
        faults.extend(look(&settings));
        if faults.is_empty() { Ok(settings) } else { Err(Faults(faults)) }
    }

    /// The settings as far as they can be read, and what is wrong with the rest.
    fn read(&self) -> (Settings, Vec<String>) {
        let mut faults = self.faults.clone();
        let file = self.given.iter().rfind(|given| given.name.setting.key() == "config");
        let file = file.filter(|file| !file.text.is_empty());
        let in_file = file.map(|file| from_file(&file.text, &mut faults));
        let is_whole = !matches!(in_file, Some(None));
        let mut given = in_file.flatten().unwrap_or_default();
        given.extend(self.given.iter().cloned());

        let mut settings = Settings::default();
        // The last of each name holds.
        let mut places: BTreeMap<(&str, bool), Place> = BTreeMap::new();
        for (index, one) in given.iter().enumerate() {
            let (setting, is_file) = (one.name.setting, one.name.is_file);
            let is_name = |other: &Given| {
                other.name.setting.key() == setting.key() && other.name.is_file == is_file
            };
            let place = one.place();
            // A file with a secret that another one replaces need not be there.
            if !(is_file && given[index + 1..].iter().any(is_name)) {
                faults.extend(one.set(&mut settings, &place.text).err());
            }
            settings.given.insert(setting.key(), place.clone());
            places.insert((setting.key(), is_file), place);
        }
        for setting in SETTINGS.iter().filter(|setting| setting.is_secret) {
            let [own, file] = [false, true].map(|is_file| places.get(&(setting.key(), is_file)));
            if let (Some(own), Some(file)) = (own, file) {
                let (own, file) = (&own.text, &file.text);
                faults.push(format!("{own} and {file} are both given: leave one out"));
            }
        }
        // Otherwise what is needed may stand in the part that could not be read.
        if is_whole {
            faults.extend(settings.contradictions());
        }
        (settings, faults)
    }
}

impl Given {
    fn place(&self) -> Place {
        let (key, variable) = (self.name.key(), self.name.variable());
        let (text, short) = match &self.source {
            Source::Flag => (format!("--{key}"), format!("--{key}")),
            Source::Variable => (format!("the variable {variable}"), variable),
            Source::File(at) => (format!("{key} ({at})"), at.clone()),
        };
        Place { text, short, file: self.name.is_file.then(|| self.text.clone()) }
    }

    /// Sets it. The error names the place, and does not repeat a secret.
    fn set(&self, settings: &mut Settings, place: &str) -> Result<(), String> {
        if self.text.is_empty() {
            return Err(format!("{place} is empty: give a value or leave it out"));
        }
        let set = |settings: &mut Settings, text: &str| (self.name.setting.set)(settings, text);
        if !self.name.is_file {
            return set(settings, &self.text).map_err(|problem| format!("{place}: {problem}"));
        }
        let secret = secret_files::read(&self.text);
        let secret = secret.map_err(|problem| format!("{place}: {problem}"))?;
        set(settings, &secret).map_err(|problem| format!("{place}: {}: {problem}", self.text))
    }
}

/// The variables that are settings.
fn from_variables(
    variables: impl Iterator<Item = (OsString, OsString)>,
    faults: &mut Vec<String>,
) -> Vec<Given> {
    let mut given = Vec::new();
    for (variable, text) in variables {
        let Some(variable) = variable.to_str().filter(|variable| variable.starts_with(PREFIX))
        else {
            continue;
        };
        if let Some(name) = SettingName::all().find(|name| name.variable() == variable) {
            match text.into_string() {
                Ok(text) => given.push(Given { name, source: Source::Variable, text }),
                Err(_) => faults.push(format!("the variable {variable} is not valid UTF-8")),
            }
        } else if !VARIABLES_OF_THE_CLIENT.contains(&variable) && !is_of_a_service(variable) {
            let client = VARIABLES_OF_THE_CLIENT.map(str::to_owned);
            let nearest =
                nearest(variable, SettingName::all().map(SettingName::variable).chain(client));
            faults.push(format!("{nearest} Correct the variable or unset it"));
        }
    }
    given
}

/// The settings in a file; nothing if it cannot be read as a whole.
fn from_file(file: &str, faults: &mut Vec<String>) -> Option<Vec<Given>> {
    let content = match fs::read_to_string(file) {
        Ok(content) => content,
        Err(error) => {
            faults.push(format!("cannot read the settings in {file}: {error}"));
            return None;
        }
    };
    let place = |byte| {
        let (line, column) = line_and_column(&content, byte);
        format!("{file}:{line}:{column}")
    };
    let table = match toml_span::parse(&content) {
        Ok(table) => table,
        // The message has at most one character of a value, which may be a secret.
        Err(error) => {
            faults.push(format!("{}: {error}", place(error.span.start)));
            return None;
        }
    };
    let entries = table.as_table().into_iter().flatten();
    let mut entries: Vec<_> = entries.collect();
    // The table is in the order of the alphabet.
    entries.sort_by_key(|(key, _)| key.span.start);
    let mut given = Vec::new();
    for (key, value) in entries {
        let at = place(key.span.start);
        let mut in_files = SettingName::all().filter(|name| name.setting.key() != "config");
        let Some(name) = in_files.find(|name| name.key() == key.name) else {
            let known = SettingName::all().map(SettingName::key).filter(|known| known != "config");
            faults.push(format!("{at}: {}", nearest(&key.name, known)));
            continue;
        };
        let Some(text) = text(value) else {
            let key = &key.name;
            faults.push(format!(
                "{key} ({at}): give a text, a whole number, true, false or a list of texts"
            ));
            continue;
        };
        // An empty list is what applies without one.
        if !text.is_empty() || value.as_array().is_none() {
            given.push(Given { name, source: Source::File(at), text });
        }
    }
    Some(given)
}

/// Both begin at 1. The column counts characters.
fn line_and_column(content: &str, byte: usize) -> (usize, usize) {
    let before = content.get(..byte).unwrap_or(content);
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
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
