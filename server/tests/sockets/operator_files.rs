//! Tests the example files for operators in `server/deploy`: their flags, metrics and names exist.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use fivefold_server::config::{self, SETTINGS, Sources, VARIABLES_OF_THE_CLIENT};
use serde_json::Value;
use yaml_rust2::{Yaml, YamlLoader};

use crate::{
    harness::{LIMITS, TestServer},
    program::command,
};

const COMPOSE: &str = include_str!("../../deploy/compose.yaml");
const COMPOSE_THREE_NODES: &str = include_str!("../../deploy/compose-three-nodes.yaml");
const CONTAINERFILE: &str = include_str!("../../deploy/Containerfile");
const DIST: &str = include_str!("../../deploy/dist");
const SETTINGS_FILE: &str = include_str!("../../deploy/fivefold.toml");
const UNIT: &str = include_str!("../../deploy/fivefold-server.service");
const NGINX: &str = include_str!("../../deploy/nginx.conf");
const DASHBOARD: &str = include_str!("../../deploy/grafana-dashboard.json");
const ALERTS: &str = include_str!("../../deploy/alerts.yaml");
const MONITORING: &str = include_str!("../../../docs/operating/monitoring.md");
const NODES: &str = include_str!("../../../docs/operating/postgres-and-nodes.md");

/// The seconds in which a server stops after it has drained.
const STOP_SECS: u64 = 5;

/// The seconds that `fivefold-server health` waits for an answer.
const HEALTH_SECS: u64 = 5;

/// Metrics of several nodes, which the dashboard shows.
const METRICS_OF_NODES: [&str; 13] = [
    "bus_echo_age_seconds",
    "clock_drift_seconds",
    "frames_undecodable_total",
    "link_drops_total",
    "link_frames_received_total",
    "link_frames_sent_total",
    "link_queue",
    "link_received_total",
    "link_resets_total",
    "link_sent_total",
    "relay_attempts_total",
    "rooms_taken_over_total",
    "sockets_restarted_total",
];

/// Metrics that a server without other nodes, without TLS and without backups does not show.
const ABSENT: [&str; 10] = [
    "backup_age_seconds",
    "backup_interval_seconds",
    "bus_up",
    "link_frames_received_total",
    "link_frames_sent_total",
    "link_queue",
    "link_received_total",
    "link_resets_total",
    "link_sent_total",
    "tls_certificate_end_timestamp_seconds",
];

/// Checks that a server accepts these flags and variables.
fn check_accepted<'a>(
    words: &[String],
    variables: impl IntoIterator<Item = (&'a str, &'a str)>,
    file: &str,
) {
    let program = ["fivefold-server".to_owned()];
    let words = config::command().try_get_matches_from(program.iter().chain(words));
    let words = words.unwrap_or_else(|error| panic!("{file}: {error}"));
    let variables = variables.into_iter().map(|(name, text)| (name.into(), text.into()));
    if let Err(faults) = Sources::new(&words, variables).settings() {
        panic!("{file}: {faults}");
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// The lines of a section of the unit, each a key and its value.
fn unit() -> Vec<(String, String, String)> {
    let mut section = String::new();
    let mut lines = Vec::new();
    for line in UNIT.replace("\\\n", " ").lines().filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            name.clone_into(&mut section);
        } else if !line.is_empty() {
            let (key, value) = line.split_once('=').unwrap_or_else(|| panic!("{line}"));
            lines.push((section.clone(), key.to_owned(), value.to_owned()));
        }
    }
    lines
}

fn yaml(text: &str) -> Yaml {
    YamlLoader::load_from_str(text).expect("it is YAML").remove(0)
}

/// The variables of a service, or of what several services have in common.
fn variables(service: &Yaml) -> BTreeMap<&str, &str> {
    let variables = service["environment"].as_hash().expect("variables").iter();
    variables
        .map(|(name, text)| (name.as_str().expect("a name"), text.as_str().expect("a text")))
        .collect()
}

fn strings(list: &Yaml) -> Vec<String> {
    let list = list.as_vec().expect("a list").iter();
    list.map(|word| word.as_str().expect("a text").to_owned()).collect()
}

#[test]
fn the_unit_starts_the_server_and_lets_it_stop() {
    let unit = unit();
    let service = |wanted: &str| {
        let mut found = unit.iter().filter(|(_, key, _)| key == wanted);
        let (section, _, value) = found.next().unwrap_or_else(|| panic!("no {wanted}"));
        assert!(section == "Service" && found.next().is_none(), "{wanted}");
        value.as_str()
    };
    assert_eq!(service("ExecStart"), "fivefold-server --config /etc/fivefold/fivefold.toml");
    // The examples are lines that begin with #KEY. A node has no folder and no backups of it.
    let example = SETTINGS_FILE.lines().filter_map(|line| {
        line.strip_prefix('#').filter(|line| line.starts_with(|it: char| it.is_ascii_lowercase()))
    });
    let examples: Vec<_> = example.collect();
    let data = format!("data = \"/var/lib/{}\"", service("StateDirectory"));
    assert!(SETTINGS_FILE.lines().any(|line| line == data), "{data}");
    let is_of_node = |line: &&str| *line != data && !line.starts_with("backup-");
    let node: Vec<_> = SETTINGS_FILE.lines().filter(is_of_node).collect();
    let node = [node, examples.clone()].concat().join("\n");
    let folder = tempfile::tempdir().unwrap();
    for text in [SETTINGS_FILE, &node] {
        let file = folder.path().join("fivefold.toml");
        fs::write(&file, text).unwrap();
        check_accepted(&["--config".to_owned(), file.display().to_string()], [], text);
    }
    let drain = examples.iter().find_map(|line| line.strip_prefix("drain = "));
    let drain: u64 = drain.expect("it drains").parse().unwrap();
    let stop: u64 = service("TimeoutStopSec").parse().unwrap();
    assert!(stop > drain + STOP_SECS, "killed after {stop} s, {drain} s for `drain`");
}

#[test]
fn systemd_accepts_the_unit() {
    // It checks that the program exists, too.
    let program = format!("ExecStart={}", env!("CARGO_BIN_EXE_fivefold-server"));
    let text = UNIT.replace("ExecStart=fivefold-server", &program);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("fivefold-server.service");
    fs::write(&file, text).unwrap();
    let Ok(verified) = Command::new("systemd-analyze").arg("verify").arg(&file).output() else {
        println!("not checked: there is no systemd-analyze on this machine");
        return;
    };
    let complaints = String::from_utf8_lossy(&verified.stderr);
    let ours: Vec<_> = complaints.lines().filter(|line| line.contains("fivefold")).collect();
    assert!(verified.status.success() && ours.is_empty(), "{complaints}");

    // In tenths: below 2.0.
    let judged = Command::new("systemd-analyze")
        .args(["security", "--offline=yes", "--threshold=19", "--no-pager"])
        .arg(&file)
        .output()
        .unwrap();
    assert!(judged.status.success(), "{}", String::from_utf8_lossy(&judged.stdout));
}

#[test]
fn the_image_is_built_from_what_dist_makes() {
    assert!(DIST.contains("out=$checkout/target/dist\n"));
    let image = |service: &Yaml, file: &str| {
        assert_eq!(service["build"]["context"].as_str(), Some("../../target/dist/image"), "{file}");
        assert_eq!(service["build"]["dockerfile"].as_str(), Some("Containerfile"), "{file}");
        assert_eq!(service["image"].as_str(), Some("fivefold-server"), "{file}");
        let seconds = service["stop_grace_period"].as_str().and_then(|text| text.strip_suffix('s'));
        let variables = variables(service);
        check_accepted(&[], variables.clone(), file);
        let drain: u64 = variables.get("FIVEFOLD_DRAIN").map_or(0, |text| text.parse().unwrap());
        assert!(seconds.expect("seconds").parse::<u64>().unwrap() > drain + STOP_SECS, "{file}");
    };
    let compose = yaml(COMPOSE);
    let server = &compose["services"]["server"];
    image(server, "compose.yaml");
    image(&yaml(COMPOSE_THREE_NODES)["x-node"], "compose-three-nodes.yaml");
    // The volume of the image is a volume, and its port is published.
    let line = |word: &str| CONTAINERFILE.lines().find_map(|line| line.strip_prefix(word)).unwrap();
    let volume = strings(&server["volumes"]).remove(0);
    let (name, folder) = volume.split_once(':').unwrap();
    assert_eq!(folder, line("VOLUME "));
    assert!(compose["volumes"].as_hash().unwrap().contains_key(&Yaml::String(name.to_owned())));
    assert!(strings(&server["ports"])[0].ends_with(&format!(":{}", line("EXPOSE "))));
}

#[test]
fn the_image_is_unhealthy_only_if_nobody_answers() {
    let check = CONTAINERFILE.lines().find_map(|line| line.strip_prefix("HEALTHCHECK ")).unwrap();
    let (options, program) = check.split_once(" CMD ").unwrap();
    let program: Vec<String> = serde_json::from_str(program).unwrap();
    assert_eq!(program[0], "/usr/bin/fivefold-server");
    // A pause, a warning or a full disk must not restart it.
    assert_eq!(program[1..], ["health", "--alive"]);
    check_accepted(&program[1..], [], "Containerfile");
    let timeout = options.split(' ').find_map(|option| option.strip_prefix("--timeout="));
    let seconds: u64 = timeout.unwrap().strip_suffix('s').unwrap().parse().unwrap();
    assert!(seconds > HEALTH_SECS, "the command ends by itself after {HEALTH_SECS} s");
}

#[test]
fn the_nodes_of_the_compose_file_are_those_of_the_proxy() {
    let compose = yaml(COMPOSE_THREE_NODES);
    let services = compose["services"].as_hash().expect("services");
    let port = variables(&compose["x-node"])["FIVEFOLD_LISTEN"].split(':').next_back();
    let nodes = services.keys().filter_map(Yaml::as_str).filter(|name| name.starts_with("node"));
    let nodes: Vec<_> = nodes.map(|name| format!("{name}:{}", port.expect("a port"))).collect();
    assert_eq!(nodes.len(), 3);
    let upstream = NGINX.lines().filter_map(|line| line.trim().strip_prefix("server node"));
    let upstream = upstream.map(|rest| format!("node{}", rest.split(' ').next().unwrap()));
    assert_eq!(upstream.collect::<Vec<_>>(), nodes);

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy");
    for mount in strings(&compose["services"]["proxy"]["volumes"]) {
        assert!(folder.join(mount.split(':').next().unwrap()).is_file(), "{mount}");
    }
}

/// The names of the metrics that a server shows, in the text format.
fn metrics_in(text: &str) -> BTreeMap<String, String> {
    let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
    types.map(|(name, kind)| (name.to_owned(), kind.to_owned())).collect()
}

/// Those names and the names of their samples, as expressions have them.
async fn names_in_expressions() -> BTreeSet<String> {
    let server = TestServer::start(LIMITS);
    let text = server.monitor("/metrics").await;
    server.stop().await;
    let metrics = metrics_in(&text);
    assert!(metrics.len() > 40, "{metrics:?}");
    let mut names: BTreeSet<_> = ABSENT.iter().map(|name| format!("fivefold_{name}")).collect();
    for (name, kind) in metrics {
        let ends: &[&str] = match kind.as_str() {
            "counter" | "gauge" => &[""],
            "histogram" => &["_bucket", "_sum", "_count"],
            _ => panic!("{name} {kind}"),
        };
        names.extend(ends.iter().map(|end| format!("{name}{end}")));
    }
    names
}

/// The metrics that an expression asks for.
fn asked(expression: &str) -> BTreeSet<String> {
    let names = expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let is_ours = |name: &&str| name.starts_with("fivefold_") || name.starts_with("process_");
    names.filter(is_ours).map(str::to_owned).collect()
}

#[tokio::test]
async fn every_metric_of_the_dashboard_is_one_of_the_server() {
    let metrics = names_in_expressions().await;
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let mut shown = BTreeSet::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        let targets = panel["targets"].as_array().map(Vec::as_slice).unwrap_or_default();
        assert!(panel["type"] == "row" || !targets.is_empty(), "{panel}");
        for expression in targets.iter().map(|target| target["expr"].as_str().unwrap()) {
            let names = asked(expression);
            assert!(!names.is_empty(), "{expression}");
            shown.extend(names);
        }
    }
    for name in &shown {
        assert!(metrics.contains(name), "no metric {name}");
    }
    for name in METRICS_OF_NODES {
        assert!(shown.contains(&format!("fivefold_{name}")), "{name} is not shown");
    }
    for what in ["sessions", "commands_total", "commit_seconds_bucket", "refusals_total"] {
        assert!(shown.contains(&format!("fivefold_{what}")), "{what} is not shown");
    }
}

#[tokio::test]
async fn every_alert_asks_for_metrics_of_the_server() {
    let metrics = names_in_expressions().await;
    let alerts = yaml(ALERTS);
    let rules = alerts["groups"][0]["rules"].as_vec().expect("rules");
    assert!(rules.len() > 10);
    for rule in rules {
        let expression = rule["expr"].as_str().expect("an expression");
        let names = asked(expression);
        let missing: Vec<_> = names.difference(&metrics).collect();
        assert!(missing.is_empty(), "{expression}: {missing:?}");
        assert!(!names.is_empty() || expression.starts_with("up{"), "{expression}");
    }
}

#[tokio::test]
async fn the_table_of_metrics_is_that_of_the_program() {
    let server = TestServer::start(LIMITS);
    let text = server.monitor("/metrics").await;
    server.stop().await;
    let short = |name: &str| name.trim_start_matches("fivefold_").to_owned();
    let metrics = metrics_in(&text);
    let mut shown: BTreeSet<_> = metrics.keys().map(|name| short(name)).collect();
    shown.extend(ABSENT.map(str::to_owned));

    let (_, table) = MONITORING.split_once("| metric | alert on |\n").expect("the table");
    let rows = table.lines().take_while(|line| line.starts_with('|')).skip(1);
    let mut documented = BTreeSet::new();
    for row in rows {
        let names = row.split('|').nth(1).expect("a cell").split('`').skip(1).step_by(2);
        for name in names.map(|name| name.split('{').next().unwrap().to_owned()) {
            assert!(documented.insert(name.clone()), "{name} is there twice");
        }
    }
    let undocumented: Vec<_> = shown.difference(&documented).collect();
    let invented: Vec<_> = documented.difference(&shown).collect();
    assert!(undocumented.is_empty() && invented.is_empty(), "{undocumented:?} {invented:?}");
}

/// Runs Prometheus' own tool; nothing where it is not installed.
#[expect(clippy::print_stdout, reason = "a skipped check says so")]
fn promtool(arguments: &[&str], input: &str) -> Option<Output> {
    let child = Command::new("promtool")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        println!("SKIPPED: there is no promtool on this machine (Debian: prometheus)");
        return None;
    };
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    Some(child.wait_with_output().unwrap())
}

#[tokio::test]
async fn prometheus_own_tool_finds_nothing_to_say() {
    let server = TestServer::start(LIMITS);
    let text = server.monitor("/metrics").await;
    server.stop().await;
    let body = text.split_once("\r\n\r\n").unwrap().1;
    let Some(checked) = promtool(&["check", "metrics"], body) else { return };
    let said = String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success() && said.is_empty(), "{said}");
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/alerts.yaml");
    let checked = promtool(&["check", "rules", rules], "").unwrap();
    assert!(checked.status.success(), "{checked:?}");
}

/// Two hours between backups, and one that is older by a minute every minute.
const BACKUP_ALERTS: &str = "
rule_files: [ALERTS]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - {series: 'fivefold_backup_age_seconds{instance=\"a\"}', values: '0+60x300'}
      - {series: 'fivefold_backup_interval_seconds{instance=\"a\"}', values: '7200+0x300'}
      - {series: 'fivefold_backups_failed_total{instance=\"a\"}', values: '0+0x9 1+0x291'}
    alert_rule_test:
      - {eval_time: 240m, alertname: FivefoldBackupOld, exp_alerts: []}
      - {eval_time: 255m, alertname: FivefoldBackupOld, exp_alerts: []}
      - eval_time: 256m
        alertname: FivefoldBackupOld
        exp_alerts:
          - exp_labels: {severity: ticket, instance: a}
            exp_annotations: {summary: 'the last backup of a is 4h 16m 0s old'}
      - {eval_time: 9m, alertname: FivefoldBackupFails, exp_alerts: []}
      - eval_time: 10m
        alertname: FivefoldBackupFails
        exp_alerts:
          - exp_labels: {severity: ticket, instance: a}
            exp_annotations: {summary: 'a could not make a backup: its log says why'}
";

#[test]
fn an_alert_comes_when_backups_fail_or_the_last_one_is_too_old() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("test.yaml");
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/alerts.yaml");
    fs::write(&file, BACKUP_ALERTS.replace("ALERTS", rules)).unwrap();
    let Some(tested) = promtool(&["test", "rules", file.to_str().unwrap()], "") else { return };
    assert!(tested.status.success(), "{tested:?}");
}

#[test]
fn the_variables_of_the_client_are_those_of_its_sources() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../client/src")];
    let mut variables = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                let text = fs::read_to_string(path).unwrap();
                let words = text.split(|c: char| !c.is_ascii_uppercase() && c != '_');
                let ours = words.filter(|word| word.starts_with("FIVEFOLD_"));
                variables.extend(ours.map(str::to_owned));
            }
        }
    }
    assert_eq!(variables.into_iter().collect::<Vec<_>>(), VARIABLES_OF_THE_CLIENT);
}

#[test]
fn settings_that_contradict_each_other_are_named() {
    let refused = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut server = command();
        // If it starts against our belief, it ends at once: nobody can listen there.
        server.args(arguments).args(["--listen", "192.0.2.1:1"]).envs(variables.iter().copied());
        let ended = server.output().unwrap();
        assert!(!ended.status.success());
        String::from_utf8(ended.stderr).unwrap().lines().next_back().unwrap_or_default().to_owned()
    };
    let (bus, replica) = ("nats://127.0.0.1:1", "postgres://x@127.0.0.1:1/x");
    // Arguments, variables, and the words of the refusal.
    type Case<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)], &'a str);
    let cases: [Case<'_>; 9] = [
        (
            &[],
            &[("FIVEFOLD_DATABSE", replica)],
            "FIVEFOLD_DATABSE: did you mean FIVEFOLD_DATABASE?",
        ),
        (&["--bus", bus], &[], "--bus needs the setting database"),
        (&[], &[("FIVEFOLD_BUS", bus)], "the variable FIVEFOLD_BUS needs the setting database"),
        (
            &[],
            &[("FIVEFOLD_SESSIONS", "0")],
            "the variable FIVEFOLD_SESSIONS: give a number from 1",
        ),
        (&["--config", "/nowhere"], &[], "cannot read the settings in /nowhere: "),
        (&[], &[("FIVEFOLD_CONFIG", "/nowhere")], "cannot read the settings in /nowhere: "),
        (
            &["--data", "/nowhere"],
            &[("FIVEFOLD_DATABASE", replica)],
            "--data and the variable FIVEFOLD_DATABASE are both given",
        ),
        (&["--in-memory", "--data", "/nowhere"], &[], "--in-memory and --data are both given"),
        (&["--in-memory"], &[], "cannot listen on 192.0.2.1:1"),
    ];
    for (arguments, variables, expected) in cases {
        let text = refused(arguments, variables);
        assert!(text.contains(expected), "{arguments:?} {variables:?}: {text}");
    }
}

#[test]
fn a_check_beside_the_variable_of_a_database_names_it() {
    let check = command()
        .args(["check", "--data", "/nowhere"])
        .env("FIVEFOLD_DATABASE", "postgres://x@127.0.0.1:1/x")
        .output()
        .unwrap();
    let text = String::from_utf8(check.stderr).unwrap();
    assert!(text.contains("--data and the variable FIVEFOLD_DATABASE are both given"), "{text}");
}

#[test]
fn every_setting_of_the_chapter_on_several_nodes_exists() {
    let (_, chapter) = NODES.split_once("\n## Several nodes\n").expect("the chapter");
    let chapter = chapter.split("\n## ").next().unwrap();
    let consoles = chapter.split("```console\n").skip(1);
    let commands = consoles.flat_map(|text| text.split("```").next().unwrap().lines());
    let commands: Vec<_> = commands.filter_map(|line| line.strip_prefix("$ ")).collect();
    let mut servers = 0;
    for command in &commands {
        if let Some((_, arguments)) = command.split_once("fivefold-server --") {
            let arguments = format!("--{}", arguments.trim_end_matches(" &"));
            // The commands before it export this variable.
            let database = ("FIVEFOLD_DATABASE", "postgres://fivefold@localhost/fivefold");
            check_accepted(&words(&arguments), [database], "docs/operating");
            servers += 1;
        }
    }
    assert!(servers >= 3, "{commands:?}");
    let names = chapter.split(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c));
    for name in names.filter(|name| name.starts_with("FIVEFOLD_")) {
        assert!(SETTINGS.iter().any(|setting| setting.variable() == name), "{name}");
    }
    // What one types from nothing to three nodes.
    let first = chapter.split("```console\n").nth(1).expect("a console").split("```").next();
    let typed = first.unwrap().lines().filter(|line| line.starts_with("$ ")).count();
    assert!((3..=11).contains(&typed), "{typed} commands");
}
