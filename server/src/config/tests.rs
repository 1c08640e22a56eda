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
    settings::{SETTINGS, Setting, SettingName, Settings},
    sources::{Sources, command, distance},
};
use crate::{commands, limits::operators::BACKUPS_KEPT};

const TABLE: &str = "docs/operating/settings.md";
const HEAD: &str =
    "| key | variable, flag | value | default | what it does |\n| --- | --- | --- | --- | --- |\n";

/// Every setting of a file: its key, an allowed value that is not the default, and one that is not allowed.
const CASES: [(&str, &str, &str); 64] = [
    ("data", "/srv/fivefold", ""),
    ("database", "postgres://u@h/d", ""),
    ("database-replica", "postgres://u@h/r", ""),
    ("in-memory", "true", "yes"),
    ("backup-every", "6", "8785"),
    ("backup-keep", "7", "0"),
    ("backup-folder", "/srv/backups", ""),
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
    ("no-embeds", "true", "1"),
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
    ("collected-games", "0", "many"),
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

fn sources(flags: &[&str], variables: &[(String, &str)]) -> Sources {
    let words = command().try_get_matches_from([&["fivefold-server"], flags].concat());
    let variables = variables.iter().map(|(name, text)| (name.into(), OsString::from(text)));
    Sources::new(&words.unwrap(), variables)
}

/// The settings from these flags and variables, or what is wrong with them.
fn read(flags: &[&str], variables: &[(String, &str)]) -> Result<Settings, String> {
    sources(flags, variables).settings().map_err(|faults| faults.to_string())
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
        assert!(problem.starts_with(&format!("{key} (FILE:3:1){end}")), "{problem}");
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
fn a_fault_in_the_file_names_its_line_and_column() {
    let cases = [
        (
            "sessions = 5\nsesions = 5",
            "FILE:2:1: there is no setting sesions: did you mean sessions?",
        ),
        ("[limits]\nsessions = 5", "FILE:1:2: there is no setting limits: "),
        ("config = 'other.toml'", "FILE:1:1: there is no setting config: "),
        ("sessions = 5\n\nsessions = 6", "FILE:3:1: duplicate key"),
        ("rooms = 0", "rooms (FILE:1:1): give a number from 1 to 4294967295"),
        (
            "rooms = 1.5",
            "rooms (FILE:1:1): give a text, a whole number, true, false or a list of texts",
        ),
        ("log-format = 'xml'", "log-format (FILE:1:1): give one of text, json"),
        ("\noidc-name = 'Club'", "oidc-name (FILE:2:1) needs the setting oidc-issuer, too"),
        (
            "data = '/a'\nin-memory = true",
            "in-memory (FILE:2:1) and data (FILE:1:1) are both given",
        ),
        ("  # Жук\n\trooms = 0", "rooms (FILE:2:2): give a number"),
        ("rooms = 1 # ä\nlog = 'ä' x", "FILE:2:11: "),
        // A secret is in no message, whatever is wrong.
        ("log = 'off'\ndatabase = 'postgres://u:s3cret@h/d\n", "FILE:2:"),
        ("database = postgres://u:s3cret@h/d\n", "FILE:1:"),
        ("database = 'postgres://u:s3cret@h/d' x\n", "FILE:1:"),
        ("database = ['postgres://u:s3cret@h/d', 1]", "database (FILE:1:1): give a text"),
        ("smtp = 'nats://u:s3cret@h'", "smtp (FILE:1:1): give smtps://"),
        ("smtp = 'smtps://u:s3cret@h'", "smtp (FILE:1:1) needs the setting mail-from, too"),
        (
            "backup-every = 6\ndatabase = 'postgres://u:s3cret@h/d'",
            "backup-every (FILE:1:1) needs a database file, and there is none with database (FILE:2:1): \
             leave out backup-every. For PostgreSQL use",
        ),
        (
            "in-memory = true\nbackup-every = 1",
            "backup-every (FILE:2:1) needs a database file, and there is none with in-memory (FILE:1:1)",
        ),
        ("backup-keep = 5", "backup-keep (FILE:1:1) needs the setting backup-every, too"),
        ("bus = 'nats://u:s3cret@h'", "bus (FILE:1:1) needs the setting database, too"),
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
fn all_faults_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("pools.json"), "[\n  {\"name\": 1}\n]").unwrap();
    fs::write(path("broken.toml"), "log = 'off'\noidc-issuer = 'https://login.example\n").unwrap();
    let content = format!(
        "rooms = 0\nsesions = 5\ntls-cert = '{}'\ntls-key = 'key.pem'\noidc-name = 'Club'\npools = '{}'\n\
         listen = 1.5\nbus = 'nats://h'\nbus-ca = '{}'\n",
        path("cert.pem"),
        path("pools.json"),
        path("ca.pem")
    );
    fs::write(path("fivefold.toml"), content).unwrap();
    let given = [("FIVEFOLD_LOG".to_owned(), "loud"), ("FIVEFOLD_LISTENS".to_owned(), "x")];
    let found = |sources: Sources, file: &str| {
        let faults = sources.checked_settings().unwrap_err().to_string();
        faults.replace(&path(file), "FILE").replace(folder.path().to_str().unwrap(), "FOLDER")
    };
    let faults = found(
        sources(&["--config", "other.toml"], &given).with_file(&path("fivefold.toml")),
        "fivefold.toml",
    );
    let expected = [
        "there is no setting FIVEFOLD_LISTENS: did you mean FIVEFOLD_LISTEN?",
        "FILE:2:1: there is no setting sesions: did you mean sessions?",
        "listen (FILE:7:1): give a text",
        "rooms (FILE:1:1): give a number",
        "the variable FIVEFOLD_LOG: `loud` is not a level",
        "bus (FILE:8:1) needs the setting database, too",
        "oidc-name (FILE:5:1) needs the setting oidc-issuer, too",
        "tls-cert (FILE:3:1): cannot read the certificate in FOLDER/cert.pem: ",
        "bus (FILE:8:1): cannot use FOLDER/ca.pem as bus-ca: ",
        "pools (FILE:6:1): FOLDER/pools.json: invalid type",
    ];
    let lines: Vec<_> = faults.lines().collect();
    assert_eq!(lines.len(), expected.len(), "{faults}");
    for start in expected {
        assert!(lines.iter().any(|line| line.starts_with(start)), "{start}: {faults}");
    }
    assert!(faults.contains("at line 2 column "), "{faults}");

    // What is needed may stand behind the fault.
    let given = [("FIVEFOLD_OIDC_NAME".to_owned(), "Club"), ("FIVEFOLD_ROOMS".to_owned(), "0")];
    let faults = found(sources(&[], &given).with_file(&path("broken.toml")), "broken.toml");
    let lines: Vec<_> = faults.lines().collect();
    assert!(
        matches!(&*lines, [one, two] if one.starts_with("FILE:2:") && two.contains("_ROOMS")),
        "{faults}"
    );
}

/// Every secret, and a value with the password that is planted in it.
const SECRETS: [(&str, &str); 5] = [
    ("database", "postgres://u:s3cret@127.0.0.1/d"),
    ("database-replica", "postgres://u:s3cret@127.0.0.1/r"),
    ("bus", "nats://u:s3cret@h"),
    ("oidc-secret", "s3cret"),
    ("smtp", "smtps://u:s3cret@mail.example"),
];

/// The same with a fault, if there can be one.
const WRONG_SECRETS: [(&str, &str); 6] = [
    ("database", "mysql://u:s3cret@h/d"),
    ("database", "postgres://u:s3cret@h:x/d"),
    ("database-replica", "postgres://u:s3cret"),
    ("bus", "http://u:s3cret@h"),
    ("bus", "nats://u:s3cret"),
    ("smtp", "smtps://u:s3cret@mail.example:x"),
];

/// Gives the secret in each of its sources, and calls the function with them.
fn from_each_source(key: &str, secret: &str, mut check: impl FnMut(&str, &Sources)) {
    let folder = tempfile::tempdir().unwrap();
    let [holder, file] = ["secret", "fivefold.toml"].map(|name| folder.path().join(name));
    fs::write(&holder, format!("{secret}\n")).unwrap();
    let (holder, config) = (holder.to_str().unwrap(), file.to_str().unwrap());
    let variables = |name: String, text| {
        let needed = with_needed(setting(key)).into_iter().filter(|(needed, _)| *needed != key);
        let needed = needed.map(|(key, text)| (setting(key).variable(), text));
        needed.chain([(name, text)]).collect::<Vec<_>>()
    };
    let variable = setting(key).variable();
    check("variable", &sources(&[], &variables(variable.clone(), secret)));
    check("variable of a file", &sources(&[], &variables(format!("{variable}_FILE"), holder)));
    for (name, text) in [(key.to_owned(), secret), (format!("{key}-file"), holder)] {
        fs::write(&file, format!("{name} = '{text}'")).unwrap();
        check(&name, &sources(&[], &variables("FIVEFOLD_CONFIG".to_owned(), config)));
    }
    if setting(key).is_flag() {
        let flag = format!("--{key}={secret}");
        let mut given = variables(String::new(), "");
        given.pop();
        check("flag", &sources(&[&flag], &given));
    }
}

#[test]
fn a_secret_works_from_every_source_and_is_never_shown() {
    let secrets: Vec<_> = SETTINGS.iter().filter(|setting| setting.is_secret).collect();
    assert_eq!(
        secrets.iter().map(|setting| setting.key()).collect::<Vec<_>>(),
        SECRETS.map(|(key, _)| key)
    );
    for (key, secret) in SECRETS {
        from_each_source(key, secret, |source, sources| {
            let settings = sources.settings().unwrap_or_else(|faults| panic!("{key}: {faults}"));
            let shown = commands::config::show(&settings);
            let checked = commands::config::check(sources.clone(), None);
            let text = format!("{settings:?} {sources:?} {checked:?}\n{shown}");
            assert!(!text.contains("s3cret"), "{source}: {text}");
            let line = |start: &str| shown.lines().any(|line| line.starts_with(start));
            let is_file = source.contains("file");
            assert_eq!(line(&format!("{key}-file = \"")), is_file, "{source}: {shown}");
            assert_eq!(line(&format!("# {key}: (hidden) # ")), !is_file, "{source}: {shown}");
            let default = Settings::default();
            assert!(!(setting(key).is_same)(&settings, &default), "{source}: {key} is not set");
        });
    }
    for (key, secret) in WRONG_SECRETS {
        from_each_source(key, secret, |source, sources| {
            let faults = commands::config::check(sources.clone(), None).unwrap_err().to_string();
            assert!(faults.contains(key) && !faults.contains("s3cret"), "{source}: {faults}");
        });
    }
}

#[test]
fn a_secret_that_is_given_twice_or_not_there_is_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("secret"), "s3cret").unwrap();
    fs::write(path("empty"), "\n").unwrap();
    let [secret, empty, none] = ["secret", "empty", "none"].map(path);
    let client = "oidc-issuer = 'https://login.example'\noidc-client = 'c'\npublic-url = 'https://a.example'\n";
    let given = |text: &str| read_file(&format!("{client}{text}"));
    assert_eq!(given(&format!("oidc-secret-file = '{secret}'")).err(), None);
    let both = format!("oidc-secret-file = '{secret}'\noidc-secret = 's3cret'");
    let expected =
        "oidc-secret (FILE:5:1) and oidc-secret-file (FILE:4:1) are both given: leave one out";
    assert_eq!(given(&both).unwrap_err(), expected);
    let fault = given(&format!("oidc-secret-file = '{none}'")).unwrap_err();
    assert!(fault.starts_with("oidc-secret-file (FILE:4:1): cannot read this file: "), "{fault}");
    let fault = given(&format!("oidc-secret-file = '{empty}'")).unwrap_err();
    assert_eq!(fault, format!("oidc-secret-file (FILE:4:1): {empty} is empty"));
    let fault = given("oidc-secret-file = ''").unwrap_err();
    assert!(fault.starts_with("oidc-secret-file (FILE:4:1) is empty: "), "{fault}");
    let fault = read_file("smtp-file = '/dev/null'").unwrap_err();
    let expected = "smtp-file (FILE:1:1): /dev/null is not a regular file\n\
                    smtp-file (FILE:1:1) needs the setting mail-from, too\n\
                    smtp-file (FILE:1:1) needs the setting public-url, too";
    assert_eq!(fault, expected);
    assert!(read_file("log-file = 'x'").unwrap_err().contains("there is no setting log-file"));

    // The variable replaces the key, and then the key's file need not be there.
    fs::write(path("fivefold.toml"), format!("{client}oidc-secret-file = '{none}'")).unwrap();
    let file = path("fivefold.toml");
    let variables = [("FIVEFOLD_OIDC_SECRET_FILE".to_owned(), &*secret)];
    let settings = read(&["--config", &file], &variables).unwrap();
    assert!(settings.oidc_secret.is_some());
}

#[test]
fn what_is_shown_is_a_settings_file_with_the_same_settings() {
    let content = "listen = 8000\nno-demo = true\noidc-name = \"a \\\"b\\\" \\\\ \\u007f\"\n\
                   oidc-issuer = 'https://login.example'\noidc-client = '007'\npublic-url = 'https://a.example'\n\
                   trusted-proxy = ['10.0.0.0/8', '192.0.2.7']\ndisk-reserve = 5\ndrain = 3\ndata = '7'\n";
    let settings = read_file(content).unwrap();
    let shown = commands::config::show(&settings);
    let again = read_file(&shown).unwrap_or_else(|faults| panic!("{faults}\n{shown}"));
    for setting in SETTINGS.iter().filter(|setting| setting.key() != "config") {
        assert!((setting.is_same)(&settings, &again), "{}: {shown}", setting.key());
    }
    assert_eq!(shown.lines().count(), SETTINGS.len());
    let has = |line: &str| shown.lines().any(|shown| shown == line);
    for line in [
        "# log = \"info\" # default",
        "# in-memory = false # default",
        "# rooms = 100000 # default",
        "# smtp: none # default",
        "# allow-origin: none # default",
        "# node-name: the name of its host # default",
    ] {
        assert!(has(line), "{line}: {shown}");
    }
    assert!(
        shown.contains("\nno-demo = true # ") && shown.contains("fivefold.toml:2:1\n"),
        "{shown}"
    );
    let given = [("FIVEFOLD_LOG".to_owned(), "warn")];
    let shown = commands::config::show(&read(&["--listen", "8001"], &given).unwrap());
    assert!(shown.contains("\nlisten = \"127.0.0.1:8001\" # --listen\n"), "{shown}");
    assert!(shown.contains("\nlog = \"warn\" # FIVEFOLD_LOG\n"), "{shown}");
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
fn as_many_backups_are_kept_as_the_table_says() {
    assert_eq!(setting("backup-keep").default(), BACKUPS_KEPT.to_string());
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
    }
    for name in SettingName::all().filter(|name| !name.is_flag()) {
        let text = format!("{}=", name.variable());
        assert!(help.lines().any(|line| line.trim_start().starts_with(&text)), "{text}: {help}");
    }
}

#[test]
fn the_folder_of_the_backups_is_checked_before_a_start_and_not_on_sighup() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let data = folder.path().to_str().unwrap();
    let cases = [("", true), ("new/backups", true), ("file", false), ("file/backups", false)];
    for (name, expected) in cases {
        let path = folder.path().join(name);
        let variables = [
            ("FIVEFOLD_DATA".to_owned(), data),
            ("FIVEFOLD_BACKUP_EVERY".to_owned(), "6"),
            ("FIVEFOLD_BACKUP_FOLDER".to_owned(), path.to_str().unwrap()),
        ];
        let sources = sources(&[], &variables);
        assert!(sources.checked_settings().is_ok(), "{name}");
        let faults = sources.checked_for_start().err().map(|faults| faults.to_string());
        assert_eq!(faults.is_none(), expected, "{name}: {faults:?}");
        let names_it = |text: &String| text.starts_with("the variable FIVEFOLD_BACKUP_FOLDER: ");
        assert!(faults.as_ref().is_none_or(names_it), "{faults:?}");
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
    let rows = SettingName::all().map(|name| {
        let (key, variable) = (name.key(), name.variable());
        let flag = if name.is_flag() { format!(", `--{key}`") } else { String::new() };
        let value = if name.value().is_empty() { "true" } else { name.value() };
        let (default, help) = (name.default(), name.help());
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
