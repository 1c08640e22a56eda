//! What keeps a node from the bus, in sentences that say what to do, and how often the log repeats them.

use std::{collections::HashMap, error::Error, io, time::Duration};

use async_nats::{ConnectError, ConnectErrorKind, ServerAddr};
use rustls::{AlertDescription, CertificateError, Error as TlsError};
use tokio::time::Instant;

use super::access::{Login, NatsAccess, name_of};

/// The log repeats why the bus is not connected after this time, and then after twice as long.
const BUS_COMPLAINT_INTERVAL: Duration = Duration::from_secs(10);
/// It repeats it at least this often.
const BUS_COMPLAINT_INTERVAL_MAX: Duration = Duration::from_secs(600);

/// Which sentences the log has, since the bus has worked last. A sentence is repeated after intervals
/// that grow.
#[derive(Debug, Default)]
pub(super) struct Complaints(HashMap<String, Repeat>);

#[derive(Debug)]
struct Repeat {
    due: Instant,
    interval: Duration,
}

impl Complaints {
    /// Whether the log should have this sentence now.
    pub(super) fn is_due(&mut self, sentence: &str) -> bool {
        let now = Instant::now();
        let Some(repeat) = self.0.get_mut(sentence) else {
            let interval = BUS_COMPLAINT_INTERVAL;
            self.0.insert(sentence.to_owned(), Repeat { due: now + interval, interval });
            return true;
        };
        if now < repeat.due {
            return false;
        }
        repeat.interval = (repeat.interval * 2).min(BUS_COMPLAINT_INTERVAL_MAX);
        repeat.due = now + repeat.interval;
        true
    }

    /// The bus works: each sentence is new again.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Why a server cannot be connected, and what to do. Never contains a password.
pub(super) fn explain(error: &ConnectError, server: &ServerAddr, access: &NatsAccess) -> String {
    let nats = format!("NATS at {}", name_of(server));
    match error.kind() {
        ConnectErrorKind::AuthorizationViolation => refused(&nats, access),
        ConnectErrorKind::Authentication => {
            format!(
                "{nats} cannot be answered with the key in the file of the setting bus-credentials: make a new file"
            )
        }
        ConnectErrorKind::Dns => {
            format!("{nats} cannot be found: correct the host in --bus, or the DNS")
        }
        ConnectErrorKind::TimedOut => {
            format!("{nats} does not answer: look at it and the network, or correct --bus")
        }
        ConnectErrorKind::Tls => {
            let problem = error.source().map_or_else(|| error.to_string(), ToString::to_string);
            format!("{nats} needs certificates that cannot be used: {problem}")
        }
        ConnectErrorKind::Io | ConnectErrorKind::ServerParse | ConnectErrorKind::MaxReconnects => {
            match causes(error).find_map(|cause| cause.downcast_ref::<TlsError>()) {
                Some(problem) => unencrypted(&nats, problem, access),
                None => unreachable(&nats, error),
            }
        }
    }
}

/// Whether a server is there and refuses the connection, so that a quick second try is no use.
pub(super) fn is_refused(error: &ConnectError) -> bool {
    match error.kind() {
        ConnectErrorKind::AuthorizationViolation
        | ConnectErrorKind::Authentication
        | ConnectErrorKind::Tls
        | ConnectErrorKind::ServerParse
        | ConnectErrorKind::MaxReconnects => true,
        ConnectErrorKind::Dns | ConnectErrorKind::TimedOut => false,
        ConnectErrorKind::Io => causes(error).any(|cause| cause.is::<TlsError>()),
    }
}

/// What a connected server reports. `subjects` are those that a node uses.
pub(super) fn reported(server: &str, report: &str, subjects: &str) -> String {
    if report.to_lowercase().contains("permissions violation") {
        return format!(
            "NATS at {server} does not let the user in --bus publish and subscribe to {subjects}: \
             allow both"
        );
    }
    format!("NATS at {server} reports: {report}")
}

/// NATS knows nobody by this login.
fn refused(nats: &str, access: &NatsAccess) -> String {
    if let Some(file) = &access.files.credentials {
        return format!("{nats} refuses the credentials in {}: make a new file", file.display());
    }
    match access.servers.login {
        Login::User { .. } => {
            format!("{nats} refuses the user in --bus: correct the name or the password")
        }
        Login::Token(_) => format!("{nats} refuses the token in --bus: correct it"),
        Login::None => format!(
            "{nats} wants to know the user: write nats://user:password@host in --bus, or name a file \
             in the setting bus-credentials"
        ),
    }
}

fn unencrypted(nats: &str, problem: &TlsError, access: &NatsAccess) -> String {
    match problem {
        // A bad signature is that of another authority with the same name.
        TlsError::InvalidCertificate(
            CertificateError::UnknownIssuer | CertificateError::BadSignature,
        ) => format!(
            "{nats} has a certificate that this node does not trust: name the certificate of its \
             authority in the setting bus-ca"
        ),
        TlsError::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => format!("{nats} has a certificate for another name: write that name in --bus"),
        TlsError::InvalidCertificate(problem) => {
            format!("{nats} has a certificate that is not valid ({problem}): renew it")
        }
        TlsError::AlertReceived(AlertDescription::CertificateRequired) => {
            format!("{nats} wants a certificate of this node: set bus-cert and bus-key")
        }
        TlsError::AlertReceived(alert) if access.files.certificate.is_some() => format!(
            "{nats} refuses the certificate of this node ({alert:?}): correct bus-cert and bus-key"
        ),
        TlsError::AlertReceived(
            AlertDescription::BadCertificate | AlertDescription::HandshakeFailure,
        ) => {
            format!("{nats} wants a certificate of this node: set bus-cert and bus-key")
        }
        TlsError::InvalidMessage(_) => format!(
            "{nats} speaks no TLS: let it, or write nats:// in --bus and no bus-ca and bus-cert"
        ),
        problem => format!("{nats} cannot be encrypted: {problem}"),
    }
}

fn unreachable(nats: &str, error: &ConnectError) -> String {
    let is_refused = causes(error)
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::ConnectionRefused);
    if is_refused {
        return format!("{nats} is not there: start it, or correct --bus");
    }
    let problem = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    format!("{nats} cannot be reached: {problem}")
}

/// An error's causes, also those that an error of the system hides.
fn causes<'a>(error: &'a ConnectError) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    let below = |error: &'a (dyn Error + 'static)| {
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        inner.map(|inner| inner as &(dyn Error + 'static)).or_else(|| error.source())
    };
    std::iter::successors(error.source(), move |&error| below(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_sentence_is_repeated_at_growing_intervals() {
        let (mut complaints, start) = (Complaints::default(), Instant::now());
        let mut at = Vec::new();
        while start.elapsed() < Duration::from_secs(3_600) {
            if complaints.is_due("one") {
                at.push(start.elapsed().as_secs());
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        assert_eq!(at, [0, 10, 30, 70, 150, 310, 630, 1_230, 1_830, 2_430, 3_030]);
        // Another cause does not wait, and neither does the same one after the bus has worked.
        assert!(complaints.is_due("two") && !complaints.is_due("one"));
        complaints.clear();
        assert!(complaints.is_due("one") && !complaints.is_due("one"));
    }
}
