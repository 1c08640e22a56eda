//! Sends e-mail through the SMTP server of the operator (RFC 5321).
//!
//! It does not know accounts or games: [`Mailer::send`] takes an address and a text. For each message it
//! opens a connection to check the server, and one to send: a game server sends too few to keep one open.

use std::{fmt, net::IpAddr, str::FromStr, time::Duration};

use lettre::{
    Address, AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    message::{
        Mailbox,
        header::{ContentType, HeaderName, HeaderValue},
    },
    transport::smtp::{self, extension::ClientId},
};
use tokio::time::timeout;
use url::Url;

/// Longest e-mail address, in bytes (RFC 5321, section 4.5.3.1.3).
pub const ADDRESS_MAX: usize = 254;
/// How long to wait until the SMTP server has taken a message, or has let us sign in.
pub const ANSWER_WITHIN: Duration = Duration::from_secs(30);

/// The operator's SMTP server, as a URL: `smtps://user:password@host` encrypts from the start, and
/// `smtp://user:password@host?tls=required` switches to TLS (STARTTLS). `smtp://host` without TLS is only for a server that
/// needs no password, or that runs on this machine. `Debug` hides it, and there is no `Display`: it has a password.
#[derive(Clone, PartialEq, Eq)]
pub struct SmtpServer(String);

/// A URL that names no SMTP server.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("give smtps://user:password@host, or smtp://user:password@host?tls=required")]
pub struct NoSmtpServer;

impl TryFrom<String> for SmtpServer {
    type Error = NoSmtpServer;

    fn try_from(text: String) -> Result<Self, NoSmtpServer> {
        // Errors of the parsers would repeat parts of the text.
        let url = Url::parse(&text).map_err(|_| NoSmtpServer)?;
        AsyncSmtpTransport::<Tokio1Executor>::from_url(&text).map_err(|_| NoSmtpServer)?;
        // The parser knows addresses in numbers only in URLs of the web.
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let is_here =
            host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
        let tls = url.query_pairs().find(|(name, _)| name == "tls").map(|(_, value)| value);
        let is_encrypted = url.scheme() == "smtps" || tls.as_deref() == Some("required");
        let may_be_heard = is_here || (tls.is_none() && url.password().is_none());
        let lacks_password = !url.username().is_empty() && url.password().is_none();
        if lacks_password || !(is_encrypted || may_be_heard) {
            return Err(NoSmtpServer);
        }
        Ok(Self(text))
    }
}

impl fmt::Debug for SmtpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SmtpServer(hidden)")
    }
}

/// Who sends: an address, perhaps with a name, such as `Fivefold <news@play.example>`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MailSender(Mailbox);

/// A text that names no sender.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("give an e-mail address, with a name if you like: Fivefold <news@play.example>")]
pub struct NoMailSender;

impl FromStr for MailSender {
    type Err = NoMailSender;

    fn from_str(text: &str) -> Result<Self, NoMailSender> {
        text.parse().map(Self).map_err(|_| NoMailSender)
    }
}

impl fmt::Display for MailSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Whether a text is one e-mail address, of at most [`ADDRESS_MAX`] bytes. Not all SMTP servers take letters other than
/// those of ASCII, so no address has them.
pub fn is_address(text: &str) -> bool {
    text.len() <= ADDRESS_MAX && text.is_ascii() && text.parse::<Address>().is_ok()
}

/// A message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mail {
    /// Different for different messages, and the same if one is sent again: letters and digits.
    pub id: String,
    /// The subject line.
    pub subject: String,
    /// Plain text.
    pub body: String,
}

/// The outcome of a message. The texts are for the operator's log; they leave out the reader's address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mailed {
    /// The SMTP server has it.
    Accepted,
    /// The SMTP server does not have it, and may take it later.
    Later(String),
    /// The connection was lost on the way. The SMTP server may have it.
    Unknown(String),
    /// The SMTP server does not take it.
    Refused(String),
}

/// Sends messages.
#[derive(Debug)]
pub struct Mailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    sender: Mailbox,
    /// Where we are, for the SMTP server and for ids.
    domain: String,
}

impl Mailer {
    /// Sends through this server, from this sender. `domain` is that of the game server.
    ///
    /// # Errors
    /// If no encrypted connections can be made here. The text is for the operator.
    pub fn new(server: &SmtpServer, sender: &MailSender, domain: &str) -> Result<Self, String> {
        let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(&server.0)
            .map_err(|error| error.to_string())?
            .hello_name(ClientId::Domain(domain.to_owned()))
            .build();
        Ok(Self { transport, sender: sender.0.clone(), domain: domain.to_owned() })
    }

    /// Connects and signs in, and sends nothing.
    ///
    /// # Errors
    /// If that fails. The text is for the operator.
    pub async fn check(&self) -> Result<(), String> {
        match timeout(ANSWER_WITHIN, self.transport.test_connection()).await {
            Ok(Ok(true)) => Ok(()),
            Ok(Ok(false)) => Err("it has ended the connection".to_owned()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("it does not answer".to_owned()),
        }
    }

    /// Sends a message to an address. Takes at most twice [`ANSWER_WITHIN`].
    pub async fn send(&self, to: &str, Mail { id, subject, body }: Mail) -> Mailed {
        let Ok(address) = to.parse() else { return Mailed::Refused("no address".to_owned()) };
        let message = Message::builder()
            .from(self.sender.clone())
            .to(Mailbox::new(None, address))
            .message_id(Some(format!("<{id}@{}>", self.domain)))
            .subject(subject)
            // Stops automatic replies, such as out-of-office messages (RFC 3834).
            .raw_header(HeaderValue::new(
                HeaderName::new_from_ascii_str("Auto-Submitted"),
                "auto-generated".to_owned(),
            ))
            .header(ContentType::TEXT_PLAIN)
            .body(body);
        let message = match message {
            Ok(message) => message,
            Err(error) => return Mailed::Refused(error.to_string()),
        };
        // If this fails, the server does not have the message yet, so it can be sent again later.
        if let Err(error) = self.check().await {
            return Mailed::Later(error);
        }
        let described = |error: &smtp::Error| error.to_string().replace(to, "(the reader)");
        match timeout(ANSWER_WITHIN, self.transport.send(message)).await {
            Ok(Ok(_)) => Mailed::Accepted,
            Ok(Err(error)) if error.is_transient() => Mailed::Later(described(&error)),
            Ok(Err(error)) if error.is_permanent() => Mailed::Refused(described(&error)),
            Ok(Err(error)) => Mailed::Unknown(described(&error)),
            Err(_) => Mailed::Unknown("it does not answer".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_a_url_that_shows_its_password_to_nobody() {
        let allowed = [
            "smtps://me:s3cret@mail.example",
            "smtp://me:s3cret@mail.example?tls=required",
            "smtp://me:s3cret@127.0.0.1:2525",
            "smtp://me:s3cret@[::1]:2525",
            "smtp://mail.example",
        ];
        for text in allowed {
            let server = SmtpServer::try_from(text.to_owned());
            assert_eq!(format!("{server:?}"), "Ok(SmtpServer(hidden))", "{text}");
        }
        let refused = [
            "mail.example",
            "https://me:s3cret@mail.example",
            "smtp://me:s3cret@mail.example",
            "smtp://me:s3cret@mail.example?tls=opportunistic",
            "smtp://mail.example?tls=opportunistic",
            "smtps://me@mail.example",
            "smtp://",
        ];
        for text in refused {
            let error = SmtpServer::try_from(text.to_owned()).unwrap_err();
            assert!(!error.to_string().contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn an_address_has_a_limit() {
        let long = |bytes: usize| {
            let host = ["a".repeat(60), "b".repeat(60), "c".repeat(60)].join(".");
            format!("{}@{host}", "x".repeat(bytes - host.len() - 1))
        };
        // The part before the @ has at most 64 letters.
        assert!(is_address(&long(247)));
        assert!(!is_address(&long(248)));
        let host = format!(
            "{}.{}",
            ["a".repeat(60), "b".repeat(60), "c".repeat(60)].join("."),
            "d".repeat(6)
        );
        let local = "x".repeat(64);
        assert_eq!(format!("{local}@{host}").len(), ADDRESS_MAX);
        assert!(is_address(&format!("{local}@{host}")));
        assert!(!is_address(&format!("{local}@{host}e")));
        for text in [
            "",
            "ann",
            "ann@",
            "ann@play.example\r\nBcc: all@play.example",
            "a@b@c",
            "änn@play.example",
        ] {
            assert!(!is_address(text), "{text}");
        }
    }

    #[test]
    fn a_sender_may_have_a_name() {
        for text in ["news@play.example", "Fivefold <news@play.example>"] {
            assert_eq!(text.parse::<MailSender>().unwrap().to_string(), text);
        }
        assert!("Fivefold".parse::<MailSender>().is_err());
    }
}
