//! An SMTP server on this machine (RFC 5321). It keeps the messages that it gets.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
};

use data_encoding::BASE64;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufStream},
    net::TcpListener,
    sync::mpsc,
};

use crate::Certificate;

/// Most messages that nobody has looked at.
const MESSAGES_MAX: usize = 10_000;
/// What it answers to a message that it takes.
const ACCEPTED: &str = "250 it is here";

/// An SMTP server.
#[derive(Debug)]
pub struct MailService {
    address: SocketAddr,
    answer: Arc<Mutex<String>>,
    messages: mpsc::Receiver<ReceivedMail>,
}

/// A message, as it came.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReceivedMail {
    /// The user and the password of the connection, with a colon between them; empty without.
    pub login: String,
    /// The address that the message came from.
    pub from: String,
    /// The address that it is for.
    pub to: String,
    /// Its head and its body, with line feeds only.
    pub text: String,
}

impl ReceivedMail {
    /// A line of the head; empty if there is none.
    pub fn header(&self, name: &str) -> &str {
        let (head, _) = self.text.split_once("\n\n").unwrap_or_default();
        let line = head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        line.unwrap_or_default()
    }

    /// The body as its reader sees it.
    ///
    /// # Panics
    /// If it is encoded in base64.
    pub fn body(&self) -> String {
        let (_, body) = self.text.split_once("\n\n").expect("a head");
        match self.header("Content-Transfer-Encoding") {
            "7bit" => body.to_owned(),
            "quoted-printable" => unquoted(body),
            other => panic!("{other} is not read"),
        }
    }
}

/// What quoted-printable stands for (RFC 2045, section 6.7).
fn unquoted(text: &str) -> String {
    let text = text.replace("=\n", "");
    let mut parts = text.split('=');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (code, rest) = part.split_at(2);
        bytes.push(u8::from_str_radix(code, 16).expect("two digits"));
        bytes.extend(rest.as_bytes());
    }
    String::from_utf8(bytes).expect("UTF-8")
}

impl MailService {
    /// Starts a server that takes everything, at 127.0.0.1 on a free port; with TLS if there is a certificate.
    ///
    /// # Panics
    /// If it cannot be started.
    pub async fn start(certificate: Option<&Certificate>) -> Self {
        let acceptor = certificate.map(Certificate::acceptor);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let address = listener.local_addr().expect("it listens");
        let answer = Arc::new(Mutex::new(ACCEPTED.to_owned()));
        let (note, messages) = mpsc::channel(MESSAGES_MAX);
        let answers = Arc::clone(&answer);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, answers, note) =
                    (acceptor.clone(), Arc::clone(&answers), note.clone());
                tokio::spawn(async move {
                    // A client that goes away is no fault.
                    match acceptor {
                        Some(acceptor) => {
                            let stream = acceptor.accept(stream).await?;
                            serve(BufStream::new(stream), &answers, &note).await
                        }
                        None => serve(BufStream::new(stream), &answers, &note).await,
                    }
                });
            }
        });
        Self { address, answer, messages }
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Sets what messages are answered from now on, such as `451 later` or `550 no such mailbox`. Without an answer the
    /// connection ends.
    pub fn answer(&self, answer: &str) {
        answer.clone_into(&mut self.answer.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Waits for the next message, also one that is refused.
    ///
    /// # Panics
    /// If the service has ended.
    pub async fn next(&mut self) -> ReceivedMail {
        self.messages.recv().await.expect("the service runs")
    }

    /// The next message, if there is one already.
    pub fn try_next(&mut self) -> Option<ReceivedMail> {
        self.messages.try_recv().ok()
    }
}

/// Answers the commands of one connection.
async fn serve(
    mut stream: BufStream<impl AsyncRead + AsyncWrite + Unpin>,
    answers: &Mutex<String>,
    note: &mpsc::Sender<ReceivedMail>,
) -> std::io::Result<()> {
    let mut mail = ReceivedMail::default();
    say(&mut stream, "220 a server for tests").await?;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let line = line.trim_end();
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        let answer = match command.to_ascii_uppercase().as_str() {
            "EHLO" => "250-here\r\n250-8BITMIME\r\n250 AUTH PLAIN".to_owned(),
            "AUTH" => {
                let login = BASE64.decode(rest.trim_start_matches("PLAIN ").as_bytes());
                let login = String::from_utf8(login.unwrap_or_default()).unwrap_or_default();
                mail.login = login.trim_start_matches('\0').replace('\0', ":");
                "235 welcome".to_owned()
            }
            "MAIL" => {
                mail.from = address_in(rest);
                "250 yes".to_owned()
            }
            "RCPT" => {
                mail.to = address_in(rest);
                "250 yes".to_owned()
            }
            "DATA" => {
                say(&mut stream, "354 go on").await?;
                mail.text = read_text(&mut stream).await?;
                // Nobody waits if the test has ended.
                note.send(mail.clone()).await.ok();
                let answer = answers.lock().unwrap_or_else(PoisonError::into_inner).clone();
                if answer.is_empty() {
                    return Ok(());
                }
                answer
            }
            "QUIT" => {
                say(&mut stream, "221 until then").await?;
                return Ok(());
            }
            _ => "250 yes".to_owned(),
        };
        say(&mut stream, &answer).await?;
    }
}

/// Reads a message up to the line that has only a dot.
async fn read_text(
    stream: &mut BufStream<impl AsyncRead + AsyncWrite + Unpin>,
) -> std::io::Result<String> {
    let mut text = String::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 || line.trim_end() == "." {
            return Ok(text);
        }
        // A dot at the beginning of a line is doubled on the way.
        text.push_str(line.strip_prefix('.').unwrap_or(&line).trim_end_matches(['\r', '\n']));
        text.push('\n');
    }
}

/// The address between angle brackets.
fn address_in(text: &str) -> String {
    let (_, rest) = text.split_once('<').unwrap_or_default();
    rest.split_once('>').unwrap_or_default().0.to_owned()
}

async fn say(
    stream: &mut BufStream<impl AsyncRead + AsyncWrite + Unpin>,
    answer: &str,
) -> std::io::Result<()> {
    stream.write_all(format!("{answer}\r\n").as_bytes()).await?;
    stream.flush().await
}
