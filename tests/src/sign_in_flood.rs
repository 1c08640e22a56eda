//! A flood of sign-ins by made-up names from one address, and whether it keeps others out of their accounts. For
//! the example `sign_in_storm`.
//!
//! The server trusts the header of a proxy, so that all addresses are those that this program says.

use std::{
    collections::BTreeMap,
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
    time::{sleep, timeout},
};

/// Sign-ins and sign-ups of each kind that are measured.
pub const MEASURED: u8 = 22;
/// Connections of the address that floods.
pub const FLOODING: u32 = 60;
/// The address that floods.
pub const FLOOD_ADDRESS: &str = "203.0.113.66";
/// Made-up names of a flood that makes the server forget others.
pub const MADE_UP_NAMES: u32 = 10_050;
/// The pause between two measured people, so that they do not wait for each other.
const APART: Duration = Duration::from_millis(400);
/// How long one waits for the answer to a made-up name that is to make the server forget others.
const UNANSWERED: Duration = Duration::from_millis(250);
/// How long one who floods waits after a refusal by the limits.
const AFTER_REFUSAL: Duration = Duration::from_millis(50);

/// How long people took to get in, and how many did not.
#[derive(Debug, Default)]
pub struct Tried {
    times: Vec<Duration>,
    refused: BTreeMap<String, u32>,
}

impl Tried {
    fn note(&mut self, begin: Instant, expected: u16, (status, answer): (u16, String)) {
        self.times.push(begin.elapsed());
        if status != expected {
            *self.refused.entry(format!("{status} {}", reason(&answer))).or_default() += 1;
        }
    }

    /// How many were refused.
    pub fn refused(&self) -> u32 {
        self.refused.values().sum()
    }

    /// This part of the times was not longer.
    pub fn quantile(&self, part: f64) -> Duration {
        let mut times = self.times.clone();
        times.sort_unstable();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "an index"
        )]
        let index = (times.len() as f64 * part) as usize;
        times.get(index.min(times.len().saturating_sub(1))).copied().unwrap_or_default()
    }

    /// A row of a table.
    pub fn row(&self, name: &str) -> String {
        format!(
            "| {name} | {} | {} {:?} | {:.1?} | {:.1?} |",
            self.times.len(),
            self.refused(),
            self.refused,
            self.quantile(0.5),
            self.quantile(0.99)
        )
    }
}

/// What people at other addresses notice.
#[derive(Debug, Default)]
pub struct Noticed {
    /// Sign-ins to accounts that were never used at this address.
    pub unknown: Tried,
    /// Sign-ins where the account was used before.
    pub known: Tried,
    /// New accounts.
    pub sign_ups: Tried,
}

/// The reason in a refusal.
fn reason(answer: &str) -> String {
    let after = answer.split_once(r#""reason":""#).map(|(_, after)| after);
    after.and_then(|text| text.split('"').next()).unwrap_or_default().to_owned()
}

/// Signs up or in over a connection of its own, as from another address. Returns the status and the answer.
///
/// # Errors
/// If the connection breaks.
pub async fn post(
    server: SocketAddr,
    from: &str,
    path: &str,
    name: &str,
    is_right: bool,
) -> io::Result<(u16, String)> {
    let password = if is_right { "correct horse" } else { "wrong horses" };
    let body = format!(r#"{{"name":"{name}","password":"{password}"}}"#);
    let length = body.len();
    let mut stream = TcpStream::connect(server).await?;
    let request = format!(
        "POST /api/{path} HTTP/1.1\r\nHost: {server}\r\nConnection: close\r\nX-Forwarded-For: {from}\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
    Ok((status.ok_or_else(|| io::Error::other(answer.clone()))?, answer))
}

/// Makes the accounts that [`measure`] signs in to.
///
/// # Errors
/// If a connection breaks, or the server refuses an account.
pub async fn prepare(server: SocketAddr) -> io::Result<()> {
    for number in 0..MEASURED {
        let made = post(server, &home(number), "account", &member(number), true).await?;
        if made.0 != 201 {
            return Err(io::Error::other(made.1));
        }
        sleep(APART).await;
    }
    Ok(())
}

fn member(number: u8) -> String {
    format!("Member{number}")
}

/// The address where a member has been before.
fn home(number: u8) -> String {
    format!("198.51.100.{number}")
}

/// People sign in and up, one after the other, each from an address of their own. Each `round` has other ones.
///
/// # Errors
/// If a connection breaks.
pub async fn measure(server: SocketAddr, round: u8) -> io::Result<Noticed> {
    let mut noticed = Noticed::default();
    for number in 0..MEASURED {
        let begin = Instant::now();
        let away = format!("10.{round}.1.{number}");
        let answer = post(server, &away, "session", &member(number), true).await?;
        noticed.unknown.note(begin, 200, answer);
        let begin = Instant::now();
        let answer = post(server, &home(number), "session", &member(number), true).await?;
        noticed.known.note(begin, 200, answer);
        let begin = Instant::now();
        let (away, name) = (format!("10.{round}.2.{number}"), format!("New{round}x{number}"));
        noticed.sign_ups.note(begin, 201, post(server, &away, "account", &name, true).await?);
        sleep(APART).await;
    }
    Ok(noticed)
}

/// Sends sign-ins by made-up names over [`FLOODING`] connections from one address until `is_over`. Returns how many
/// there were, by their answers.
pub async fn flood(server: SocketAddr, is_over: Arc<AtomicBool>) -> BTreeMap<String, u64> {
    let names = Arc::new(AtomicU64::new(0));
    let mut connections = JoinSet::new();
    for _ in 0..FLOODING {
        let (names, is_over) = (Arc::clone(&names), Arc::clone(&is_over));
        connections.spawn(async move {
            let mut answers: BTreeMap<String, u64> = BTreeMap::new();
            while !is_over.load(Ordering::Relaxed) {
                let name = format!("Ghost{}", names.fetch_add(1, Ordering::Relaxed));
                let answer = post(server, FLOOD_ADDRESS, "session", &name, false).await;
                let told = match answer {
                    Ok((status, answer)) => format!("{status} {}", reason(&answer)),
                    Err(error) => error.kind().to_string(),
                };
                if told.starts_with("429") || told.starts_with("503") {
                    sleep(AFTER_REFUSAL).await;
                }
                *answers.entry(told).or_default() += 1;
            }
            answers
        });
    }
    let mut all: BTreeMap<String, u64> = BTreeMap::new();
    for answers in connections.join_all().await {
        for (told, count) in answers {
            *all.entry(told).or_default() += count;
        }
    }
    all
}

/// Tries the password of an account until the server refuses, makes up [`MADE_UP_NAMES`], and tries again. Returns
/// the tries that were allowed before and after.
///
/// # Errors
/// If a connection breaks.
pub async fn forget(server: SocketAddr, victim: &str) -> io::Result<(u32, u32)> {
    let before = guesses(server, victim).await?;
    let mut floods = JoinSet::new();
    let names = Arc::new(AtomicU32::new(0));
    for _ in 0..FLOODING {
        let names = Arc::clone(&names);
        floods.spawn(async move {
            loop {
                let number = names.fetch_add(1, Ordering::Relaxed);
                if number >= MADE_UP_NAMES {
                    return io::Result::Ok(());
                }
                let [_, _, high, low] = number.to_be_bytes();
                let (from, name) = (format!("10.77.{high}.{low}"), format!("Nobody{number}"));
                // The try counts, also if nobody waits for its answer.
                let answer =
                    timeout(UNANSWERED, post(server, &from, "session", &name, false)).await;
                if let Ok(answer) = answer {
                    drop(answer?);
                }
            }
        });
    }
    for flood in floods.join_all().await {
        flood?;
    }
    // The attacker's own requests come from where the first guesses did, too.
    let own = guesses(server, "Nobody").await?;
    if own == 0 {
        return Err(io::Error::other("the attacker's address is refused everything"));
    }
    Ok((before, guesses(server, victim).await?))
}

/// How many wrong passwords an address may try before it has to wait.
async fn guesses(server: SocketAddr, victim: &str) -> io::Result<u32> {
    let mut allowed = 0;
    for _ in 0..14 {
        let (status, answer) = post(server, "203.0.113.99", "session", victim, false).await?;
        if reason(&answer) != "too_many_tries" {
            allowed += 1;
        }
        if status == 503 {
            sleep(APART).await;
        }
    }
    Ok(allowed)
}
