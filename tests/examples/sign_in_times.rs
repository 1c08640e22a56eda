//! Measures whether signing in with a wrong password, and recovering an account with a wrong code, take longer
//! when the name is known:
//!
//! `cargo run --release -p fivefold-tests --example sign_in_times`
//!
//! Addresses change, because each may try a name only ten times, and five codes.
#![expect(clippy::print_stdout, reason = "the results of this program")]

use std::{
    io::{self, Error},
    net::{Ipv4Addr, SocketAddr},
    time::{Duration, Instant},
};

use fivefold_tests::{Server, Times};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpSocket,
};

/// Tries by names that are known, and as many by others.
const TRIES: u8 = 200;
/// Tries of each name, and of these the ones of each address.
const TRIES_OF_NAME: u8 = 50;
const TRIES_OF_ADDRESS: u8 = 10;
/// Pairs of codes that each address tries.
const CODES_OF_ADDRESS: u8 = 2;

#[tokio::main]
async fn main() -> io::Result<()> {
    let server = Server::start();
    let url = server.url();
    let host = url.split("://").nth(1).and_then(|rest| rest.split('/').next());
    let server: SocketAddr =
        host.and_then(|host| host.parse().ok()).ok_or(Error::other(url.clone()))?;
    for name in 0..TRIES / TRIES_OF_NAME {
        let answer = post(server, Ipv4Addr::LOCALHOST, "account", &format!("Ann{name}")).await?.1;
        assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    }
    println!("| what | name | tries | median | p90 |");
    println!("| --- | --- | --- | --- | --- |");
    let mut differences = Vec::new();
    for path in ["session", "recovery"] {
        let [known, unknown] = compare(server, path).await?;
        for (kind, times) in [("known", &known), ("unknown", &unknown)] {
            let (median, p90) = (times.quantile(0.5), times.quantile(0.9));
            println!("| {path} | {kind} | {} | {median:.2?} | {p90:.2?} |", times.count());
        }
        let (one, other) = (known.quantile(0.5), unknown.quantile(0.5));
        differences.push((path, one.as_secs_f64() / other.as_secs_f64() - 1.0));
    }
    println!();
    for (path, part) in differences {
        println!("The medians of {path} differ by {:.1} %.", part * 100.0);
    }
    Ok(())
}

/// Tries names that are known and others in turns.
async fn compare(server: SocketAddr, path: &str) -> io::Result<[Times; 2]> {
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for number in 0..TRIES {
        let (name, of_name) = (number / TRIES_OF_NAME, number % TRIES_OF_NAME);
        let address = match path {
            "session" => Ipv4Addr::new(127, 0, 1 + name, 1 + of_name / TRIES_OF_ADDRESS),
            _ => Ipv4Addr::new(127, 0, 10, 1 + number / CODES_OF_ADDRESS),
        };
        for (kind, times) in [("Ann", &mut known), ("Bob", &mut unknown)] {
            let (time, answer) = post(server, address, path, &format!("{kind}{name}")).await?;
            assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
            times.push(time);
        }
    }
    Ok([known, unknown].map(|times| times.into_iter().collect()))
}

/// Sends a name, and a password and a code that are wrong where the name has an account. Returns how long the answer
/// takes, and the answer.
async fn post(
    server: SocketAddr,
    from: Ipv4Addr,
    path: &str,
    name: &str,
) -> io::Result<(Duration, String)> {
    let password = if path == "account" { "correct horse" } else { "wrong horses" };
    let body = format!(r#"{{"name":"{name}","password":"{password}","code":"aaaabbbbccccdddd"}}"#);
    let length = body.len();
    let socket = TcpSocket::new_v4()?;
    socket.bind((from, 0).into())?;
    let mut stream = socket.connect(server).await?;
    let begin = Instant::now();
    let request = format!(
        "POST /api/{path} HTTP/1.1\r\nHost: {server}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok((begin.elapsed(), answer))
}
