//! Tests the example files for operators in `server/deploy`: their flags, metrics and names exist.

use std::{collections::BTreeSet, env, fs, path::Path, process::Command};

use clap::{CommandFactory, Parser};
use fivefold_server::{config::Args, limits::Limits};
use serde_json::Value;
use yaml_rust2::{Yaml, YamlLoader};

use crate::harness::{LIMITS, TestServer, within};

const COMPOSE: &str = include_str!("../../deploy/compose.yaml");
const UNIT: &str = include_str!("../../deploy/fivefold-server.service");
const NGINX: &str = include_str!("../../deploy/nginx.conf");
const DASHBOARD: &str = include_str!("../../deploy/grafana-dashboard.json");
const OPERATING: &str = include_str!("../../OPERATING.md");

/// The seconds in which a server stops after it has drained.
const STOP_SECS: u64 = 5;

/// Metrics of several nodes: a server that has no others does not show them.
const METRICS_OF_LINKS: [&str; 13] = [
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

/// Every flag and variable of the server.
fn settings() -> BTreeSet<String> {
    let command = Args::command();
    let of_subcommands = command.get_subcommands().flat_map(clap::Command::get_arguments);
    let arguments = command.get_arguments().chain(of_subcommands);
    let names = arguments.flat_map(|argument| {
        let flag = argument.get_long().map(|name| format!("--{name}"));
        let variable = argument.get_env().map(|name| name.to_string_lossy().into_owned());
        flag.into_iter().chain(variable)
    });
    names.collect()
}

fn check_setting(name: &str, file: &str) {
    assert!(settings().contains(name), "{file}: there is no setting {name}");
}

/// Checks the arguments of a server: its flags exist, and it accepts their values.
fn check_arguments(words: &[String], file: &str) {
    let mut given: Vec<String> = Vec::new();
    for word in words {
        match given.last_mut() {
            Some(flag) if !word.starts_with("--") && !flag.contains('=') => {
                *flag = format!("{flag}={word}");
            }
            _ => given.push(word.clone()),
        }
    }
    assert!(!given.is_empty(), "{file}: no flags");
    let name = |flag: &String| flag.split('=').next().unwrap_or_default().to_owned();
    for flag in &given {
        check_setting(&name(flag), file);
    }
    // The address of the database comes from the environment, as it contains a password.
    given.push("--database=postgres://fivefold@localhost/fivefold".to_owned());
    let parsed = Args::try_parse_from(["fivefold-server".to_owned()].into_iter().chain(given));
    if let Err(error) = parsed {
        panic!("{file}: {error}");
    }
}

/// The value of a flag among arguments.
fn value<'a>(words: &'a [String], flag: &str) -> Option<&'a str> {
    words.iter().enumerate().find_map(|(index, word)| {
        let rest = word.strip_prefix(flag)?;
        if rest.is_empty() {
            words.get(index + 1).map(String::as_str)
        } else {
            rest.strip_prefix('=')
        }
    })
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

fn compose() -> Yaml {
    YamlLoader::load_from_str(COMPOSE).expect("it is YAML").remove(0)
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
    let start = words(service("ExecStart"));
    assert_eq!(start[0], "/usr/local/bin/fivefold-server");
    check_arguments(&start[1..], "fivefold-server.service");
    for line in UNIT.lines().filter_map(|line| line.trim_start_matches("#   ").split_once('=')) {
        if line.0.starts_with("FIVEFOLD_") {
            check_setting(line.0, "fivefold-server.service");
        }
    }
    let drain: u64 = value(&start, "--drain").expect("it drains").parse().unwrap();
    let stop: u64 = service("TimeoutStopSec").parse().unwrap();
    assert!(stop > drain + STOP_SECS, "killed after {stop} s, {drain} s for --drain");
}

#[test]
fn systemd_accepts_the_unit() {
    // It checks that the program exists, too.
    let text =
        UNIT.replace("/usr/local/bin/fivefold-server", env!("CARGO_BIN_EXE_fivefold-server"));
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
}

#[test]
fn the_nodes_of_the_compose_file_are_those_of_the_proxy() {
    let compose = compose();
    let node = &compose["x-node"];
    let command = strings(&node["command"]);
    check_arguments(&command, "compose.yaml");
    for (name, _) in node["environment"].as_hash().expect("variables") {
        check_setting(name.as_str().expect("a name"), "compose.yaml");
    }
    let seconds = node["stop_grace_period"].as_str().and_then(|text| text.strip_suffix('s'));
    let drain: u64 = value(&command, "--drain").map_or(0, |text| text.parse().unwrap());
    assert!(seconds.expect("seconds").parse::<u64>().unwrap() > drain + STOP_SECS);

    let services = compose["services"].as_hash().expect("services");
    let port = value(&command, "--listen").and_then(|address| address.split(':').next_back());
    let nodes = services.keys().filter_map(Yaml::as_str).filter(|name| name.starts_with("node"));
    let nodes: Vec<_> = nodes.map(|name| format!("{name}:{}", port.expect("a port"))).collect();
    assert_eq!(nodes.len(), 3);
    let upstream = NGINX.lines().filter_map(|line| line.trim().strip_prefix("server node"));
    let upstream = upstream.map(|rest| format!("node{}", rest.split(' ').next().unwrap()));
    assert_eq!(upstream.collect::<Vec<_>>(), nodes);

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy");
    let context = folder.join(node["build"]["context"].as_str().expect("a folder"));
    assert!(context.join(node["build"]["dockerfile"].as_str().expect("a file")).is_file());
    for mount in strings(&compose["services"]["proxy"]["volumes"]) {
        assert!(folder.join(mount.split(':').next().unwrap()).is_file(), "{mount}");
    }
}

#[tokio::test]
async fn every_metric_of_the_dashboard_is_one_of_the_server() {
    let server = TestServer::start(Limits { sessions_per_address_max: 2, ..LIMITS });
    // A metric with labels is shown only once something was counted.
    let mut ann = server.greet("Ann").await;
    let bob = server.greet("Bob").await;
    assert!(server.try_connect().await.is_err());
    ann.send_text("nonsense").await;
    ann.receive().await;
    drop(bob);
    let text = within(async {
        loop {
            let text = server.monitor("/metrics").await;
            if text.contains("fivefold_sessions_ended_total") {
                return text;
            }
        }
    });
    let mut metrics = BTreeSet::new();
    for line in text.await.lines() {
        let Some((name, kind)) = line.strip_prefix("# TYPE ").and_then(|rest| rest.split_once(' '))
        else {
            continue;
        };
        let ends: &[&str] = match kind {
            "counter" => &["_total"],
            "gauge" => &[""],
            "histogram" => &["_bucket", "_sum", "_count"],
            _ => panic!("{line}"),
        };
        metrics.extend(ends.iter().map(|end| format!("{name}{end}")));
    }
    server.stop().await;
    assert!(metrics.len() > 20, "{metrics:?}");

    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let mut shown = BTreeSet::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        let targets = panel["targets"].as_array().map(Vec::as_slice).unwrap_or_default();
        assert!(panel["type"] == "row" || !targets.is_empty(), "{panel}");
        for expression in targets.iter().map(|target| target["expr"].as_str().unwrap()) {
            let names = expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let names: Vec<_> = names.filter(|name| name.starts_with("fivefold_")).collect();
            assert!(!names.is_empty(), "{expression}");
            shown.extend(names.into_iter().map(str::to_owned));
        }
    }
    for name in &shown {
        let short = name.trim_start_matches("fivefold_");
        assert!(metrics.contains(name) || METRICS_OF_LINKS.contains(&short), "no metric {name}");
    }
    for name in METRICS_OF_LINKS {
        assert!(shown.contains(&format!("fivefold_{name}")), "{name} is not shown");
    }
    for what in ["sessions", "commands_total", "commit_seconds_bucket", "refusals_total"] {
        assert!(shown.contains(&format!("fivefold_{what}")), "{what} is not shown");
    }
}

#[test]
fn every_setting_of_the_chapter_on_several_nodes_exists() {
    let (_, chapter) = OPERATING.split_once("\n## Several nodes\n").expect("the chapter");
    let chapter = chapter.split("\n## ").next().unwrap();
    let consoles = chapter.split("```console\n").skip(1);
    let commands = consoles.flat_map(|text| text.split("```").next().unwrap().lines());
    let commands: Vec<_> = commands.filter_map(|line| line.strip_prefix("$ ")).collect();
    let mut servers = 0;
    for command in &commands {
        if let Some((_, arguments)) = command.split_once("fivefold-server --") {
            let arguments = format!("--{}", arguments.trim_end_matches(" &"));
            check_arguments(&words(&arguments), "OPERATING.md");
            servers += 1;
        }
    }
    assert!(servers >= 3, "{commands:?}");
    let names = chapter.split(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c));
    for name in names.filter(|name| name.starts_with("FIVEFOLD_")) {
        check_setting(name, "OPERATING.md");
    }
    // What one types from nothing to three nodes.
    let first = chapter.split("```console\n").nth(1).expect("a console").split("```").next();
    let typed = first.unwrap().lines().filter(|line| line.starts_with("$ ")).count();
    assert!((3..=10).contains(&typed), "{typed} commands");
}
