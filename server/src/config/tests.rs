//! Tests the settings: each is effective from every source, and every fault names its place.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fs,
    path::Path,
};

use fivefold_command_line::manual_page;

use super::{
    checks::NEEDED,
    settings::{SETTINGS, Setting, Settings},
    sources::{command, distance},
};

const TABLE: &str = "docs/operating/settings.md";
const HEAD: &str =
    "| key | variable, flag | value | default | what it does |\n| --- | --- | --- | --- | --- |\n";

/// Every setting of a file: its key, an allowed value that is not the default, and one that is not allowed.
const CASES: [(&str, &str, &str); 59] = [
    ("data", "/srv/fivefold", ""),
    ("database", "postgres://u@h/d", ""),
    ("database-replica", "postgres://u@h/r", ""),
    ("in-memory", "true", "yes"),
    ("listen", "0.0.0.0:9000", "http://play.example"),
    ("public-url", "https://play.example", "play.example"),
    ("tls-cert", "cert.pem", ""),
    ("tls-key", "key.pem", ""),
    ("metrics-listen", "127.0.0.1:9090", "nowhere"),
    ("log", "warn,audit=info", "loud"),
    ("log-format", "json", "JSON"),
    ("log-addresses", "full", "half"),
    ("node-name", "oak", "two words"),
    ("page-folder", "server/web", ""),
    ("no-demo", "true", "1"),
    ("bus", "nats://h:4222", ""),
    ("bus-credentials", "node.creds", ""),
    ("bus-ca", "ca.pem", ""),
    ("bus-cert", "node.pem", ""),
    ("bus-key", "node.key", ""),
    ("cluster", "club", "two words"),
    ("drain", "5", "3601"),
    ("oidc-issuer", "https://login.example", "login.example"),
    ("oidc-client", "fivefold", ""),
    ("oidc-secret", "s3cret", ""),
    ("oidc-name", "The club", ""),
    ("smtp", "smtps://me:s3cret@mail.example", "mail.example"),
    ("mail-from", "Fivefold <news@play.example>", "Fivefold"),
    ("allow-origin", "https://a.example,https://b.example", "a.example"),
    ("trusted-proxy", "10.0.0.0/8,192.0.2.7/32", "10.0.0.0/33"),
    ("shared-address", "192.0.2.0/24", "club"),
    ("pools", "pools.json", ""),
    ("bot-threads", "3", "0"),
    ("bot-pace", "1000", "-1"),
    ("bot-answer-min", "0", "0.5"),
    ("empty-room-close", "10", "soon"),
    ("unplayed-room-close", "11", "1 h"),
    ("finished-room-close", "12", "5000000000"),
    ("abandoned-room-close", "13", "-"),
    ("claim-after", "14", "0"),
    ("abandon-after", "15", "x"),
    ("keep-rooms", "16", "ever"),
    ("disk-reserve", "17", "1 GiB"),
    ("sessions", "18", "0"),
    ("sessions-per-address", "19", "0"),
    ("connection-rate", "21", "0"),
    ("message-bytes", "5000", "4095"),
    ("rooms", "22", "0"),
    ("rooms-per-identity", "23", "0"),
    ("rooms-per-address", "24", "0"),
    ("room-rate", "25", "0"),
    ("bot-rooms", "0", "-1"),
    ("bot-rooms-per-address", "27", "x"),
    ("spectators", "0", "x"),
    ("command-rate", "28", "0"),
    ("address-command-rate", "29", "0"),
    ("http-rate", "31", "0"),
    ("no-chat", "true", "on"),
    ("unknown-codes", "32", "0"),
];

fn setting(key: &str) -> &'static Setting {
    SETTINGS.iter().find(|setting| setting.key() == key).unwrap_or_else(|| panic!("no {key}"))
}

fn cases() -> impl Iterator<Item = (&'static Setting, &'static str, &'static str)> {
    CASES.into_iter().map(|(key, good, bad)| (setting(key), good, bad))
}

/// The settings from these flags and variables, or the problem.
fn read(flags: &[&str], variables: &[(String, &str)]) -> Result<Settings, String> {
    let words = command().try_get_matches_from([&["fivefold-server"], flags].concat());
    let words = words.map_err(|error| error.to_string())?;
    let variables = variables.iter().map(|(name, text)| (name.into(), OsString::from(text)));
    Settings::from_sources(&words, variables).map_err(|error| format!("{error:#}"))
}

/// The settings from a file, or the problem, in which the file is `FILE`.
fn read_file(content: &str) -> Result<Settings, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("fivefold.toml");
    fs::write(&file, content).unwrap();
    let file = file.to_str().unwrap();
    read(&["--config", file], &[]).map_err(|error| error.replace(file, "FILE"))
}

/// A setting with an allowed value, and those that it needs.
fn with_needed(setting: &'static Setting) -> BTreeMap<&'static str, &'static str> {
    let good: BTreeMap<_, _> = cases().map(|(setting, good, _)| (setting.key(), good)).collect();
    let mut keys = vec![setting.key()];
    let mut given = BTreeMap::new();
    while let Some(key) = keys.pop() {
        if given.insert(key, good[key]).is_none() {
            keys.extend(NEEDED.iter().filter(|(one, _)| *one == key).map(|(_, needed)| needed));
        }
    }
    given
}

fn check_effective(setting: &Setting, good: &str, settings: Result<Settings, String>) {
    let shown = settings.map(|settings| (setting.show)(&settings));
    let is_secret = shown.as_deref() == Ok("(hidden)");
    assert!(is_secret || shown.as_deref() == Ok(good), "{}: {shown:?}", setting.key());
    assert_ne!(shown.as_deref(), Ok(setting.default().as_str()), "{}", setting.key());
}

#[test]
fn every_setting_works_from_a_variable_and_from_the_file() {
    let keys: BTreeSet<_> = cases().map(|(setting, ..)| setting.key()).collect();
    let expected = SETTINGS.iter().map(Setting::key).filter(|key| *key != "config");
    assert_eq!(keys, expected.collect());
    for (one, good, bad) in cases() {
        let given = with_needed(one);
        let variables: Vec<_> =
            given.iter().map(|(key, text)| (setting(key).variable(), *text)).collect();
        check_effective(one, good, read(&[], &variables));
        let lines: Vec<_> =
            given.iter().map(|(key, text)| format!("{key} = \"{text}\"\n")).collect();
        check_effective(one, good, read_file(&lines.concat()));

        let end = if bad.is_empty() { " is empty: " } else { ": " };
        let problem = read(&[], &[(one.variable(), bad)]).unwrap_err();
        assert!(problem.starts_with(&format!("the variable {}{end}", one.variable())), "{problem}");
        let key = one.key();
        let problem = read_file(&format!("\n# {key}\n{key} = \"{bad}\"\n")).unwrap_err();
        assert!(problem.starts_with(&format!("{key} (FILE:3){end}")), "{problem}");
    }
}

#[test]
fn a_flag_comes_before_a_variable_and_a_variable_before_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("fivefold.toml");
    fs::write(&file, "listen = 1001\nlog = 'warn'\nlog-format = 'json'\n").unwrap();
    let variables = [
        ("FIVEFOLD_CONFIG".to_owned(), file.to_str().unwrap()),
        ("FIVEFOLD_LISTEN".to_owned(), "1002"),
        ("FIVEFOLD_LOG".to_owned(), "error"),
    ];
    let settings = read(&["--listen", "1003"], &variables).unwrap();
    let shown =
        ["listen", "log", "log-format", "cluster"].map(|key| (setting(key).show)(&settings));
    assert_eq!(shown, ["127.0.0.1:1003", "error", "json", "fivefold"]);
}

#[test]
fn a_fault_in_the_file_names_its_line() {
    let cases = [
        (
            "sessions = 5\nsesions = 5",
            "FILE:2: there is no setting sesions: did you mean sessions?",
        ),
        ("[limits]\nsessions = 5", "FILE:1: there is no setting limits: "),
        ("config = 'other.toml'", "FILE:1: there is no setting config: "),
        ("sessions = 5\n\nsessions = 6", "FILE:3: duplicate key"),
        ("rooms = 0", "rooms (FILE:1): give a number from 1 to 4294967295"),
        (
            "rooms = 1.5",
            "rooms (FILE:1): give a text, a whole number, true, false or a list of texts",
        ),
        ("log-format = 'xml'", "log-format (FILE:1): give one of text, json"),
        ("\noidc-name = 'Club'", "oidc-name (FILE:2) needs the setting oidc-issuer, too"),
        ("data = '/a'\nin-memory = true", "in-memory (FILE:2) and data (FILE:1) are both given"),
        // A secret is in no message, whatever is wrong.
        ("log = 'off'\ndatabase = 'postgres://u:s3cret@h/d\n", "FILE:2: "),
        ("database = postgres://u:s3cret@h/d\n", "FILE:1: "),
        ("database = 'postgres://u:s3cret@h/d' x\n", "FILE:1: "),
        ("database = ['postgres://u:s3cret@h/d', 1]", "database (FILE:1): give a text"),
        ("smtp = 'nats://u:s3cret@h'", "smtp (FILE:1): give smtps://"),
        ("smtp = 'smtps://u:s3cret@h'", "smtp (FILE:1) needs the setting mail-from, too"),
        ("bus = 'nats://u:s3cret@h'", "bus (FILE:1) needs the setting database, too"),
    ];
    for (content, expected) in cases {
        let problem = read_file(content).unwrap_err();
        assert!(problem.starts_with(expected), "{content}: {problem}");
        assert!(!problem.contains("s3cret"), "{problem}");
    }
    let content = "data = '/a'\nin-memory = false\ntrusted-proxy = []\n\
                   allow-origin = ['https://a.example', 'https://b.example']";
    let settings = read_file(content).unwrap();
    let shown = (setting("allow-origin").show)(&settings);
    assert_eq!(shown, "https://a.example,https://b.example");
    let problem = read(&["--config", "/nowhere.toml"], &[]).unwrap_err();
    assert!(problem.starts_with("cannot read the settings in /nowhere.toml: "), "{problem}");
}

#[test]
fn secrets_are_not_shown() {
    let variables = [
        ("FIVEFOLD_DATABASE".to_owned(), "postgres://u:s3cret@h/d"),
        ("FIVEFOLD_BUS".to_owned(), "nats://u:s3cret@h"),
        ("FIVEFOLD_PUBLIC_URL".to_owned(), "https://play.example"),
        ("FIVEFOLD_OIDC_ISSUER".to_owned(), "https://login.example"),
        ("FIVEFOLD_OIDC_CLIENT".to_owned(), "fivefold"),
        ("FIVEFOLD_OIDC_SECRET".to_owned(), "s3cret"),
    ];
    let settings = read(&[], &variables).unwrap();
    let shown: Vec<_> = SETTINGS.iter().map(|setting| (setting.show)(&settings)).collect();
    let text = format!("{settings:?} {shown:?}");
    assert!(text.contains("login.example") && !text.contains("s3cret"), "{text}");
}

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
        let problem = read(&[], &[(name.to_owned(), "x")]).err();
        let expected = nearest.map(|nearest| {
            format!("there is no setting {name}: did you mean {nearest}? Correct the variable or unset it")
        });
        assert_eq!(problem, expected);
    }
}

#[test]
fn the_distance_counts_letters() {
    let cases = [("", "", 0), ("ab", "ab", 0), ("ab", "", 2), ("abc", "acb", 2), ("x", "xyz", 2)];
    for (one, other, expected) in cases {
        assert_eq!((distance(one, other), distance(other, one)), (expected, expected));
    }
}

#[test]
fn the_flags_are_few() {
    let flags = SETTINGS.iter().filter(|setting| setting.is_flag()).map(Setting::key);
    let expected = [
        "config",
        "data",
        "database",
        "in-memory",
        "listen",
        "public-url",
        "tls-cert",
        "tls-key",
        "metrics-listen",
        "log",
        "log-format",
        "node-name",
        "page-folder",
        "no-demo",
        "bus",
    ];
    assert_eq!(
        flags.collect::<Vec<_>>(),
        expected,
        "a new setting is a variable and a key, no flag"
    );
    let help = command().render_long_help().to_string();
    for setting in SETTINGS {
        let flag = format!("--{} ", setting.key());
        let is_there = |text: &str| help.lines().any(|line| line.trim_start().starts_with(text));
        assert_eq!(is_there(flag.trim_end()), setting.is_flag(), "{flag}");
        assert!(setting.is_flag() || is_there(&format!("{}=", setting.variable())), "{help}");
    }
}

#[test]
fn the_manual_has_every_command_and_flag() {
    let page = manual_page(command());
    let shown = |text: &str| page.contains(&text.replace('-', "\\-"));
    for setting in SETTINGS.iter().filter(|setting| setting.is_flag()) {
        assert!(shown(&format!("\n.B --{}", setting.key())), "{}", setting.key());
    }
    for command in command().get_subcommands() {
        let name = command.get_name();
        assert!(shown(&format!("\n.SS fivefold-server {name}")), "{name}");
    }
    assert_eq!(page.matches("\n.B \\-\\-data FOLDER\n").count(), 1, "each flag is there once");
}

#[test]
fn the_files_in_the_guide_are_accepted() {
    let guides = [
        include_str!("../../../docs/operating/settings.md"),
        include_str!("../../../docs/operating/proxies.md"),
    ];
    let files: Vec<_> = guides.iter().flat_map(|guide| guide.split("```toml\n").skip(1)).collect();
    assert_eq!(files.len(), 3);
    for file in files.iter().map(|rest| rest.split("```").next().unwrap()) {
        assert_eq!(read_file(file).err(), None, "{file}");
    }
}

/// The table of the guide for operators.
fn table() -> String {
    let rows = SETTINGS.iter().map(|setting| {
        let (key, variable) = (setting.key(), setting.variable());
        let flag = if setting.is_flag() { format!(", `--{key}`") } else { String::new() };
        let value = if setting.is_switch() { "true" } else { setting.value };
        let (default, help) = (setting.default(), setting.help());
        format!("| `{key}` | `{variable}`{flag} | `{value}` | {default} | {help} |\n")
    });
    rows.collect()
}

#[test]
fn the_table_of_the_guide_is_this_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(TABLE);
    let guide = fs::read_to_string(&path).unwrap();
    let (before, rest) = guide.split_once(HEAD).expect("the head of the table");
    let (rows, after) = rest.split_once("\n\n").expect("the end of the table");
    let table = table();
    if std::env::var_os("UPDATE_SETTINGS").is_some() {
        fs::write(&path, format!("{before}{HEAD}{table}\n{after}")).unwrap();
    } else {
        assert!(
            format!("{rows}\n") == table,
            "{TABLE} is out of date; run: UPDATE_SETTINGS=1 cargo nextest run --workspace the_table_of_the_guide"
        );
    }
}
