//! The push service of a browser maker on this machine (RFC 8030), by TLS, and browsers that have subscribed there.
//! The browsers decrypt by other code than the server encrypts with (RFC 8291).

use std::{
    collections::BTreeMap,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use aes_gcm::{
    Aes128Gcm,
    aead::{Aead, KeyInit},
};
use data_encoding::BASE64URL_NOPAD;
use hkdf::Hkdf;
use p256::{PublicKey, SecretKey};
use sha2::Sha256;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpListener,
    sync::mpsc,
    time::sleep,
};

use crate::Certificate;

/// Most requests that nobody has looked at.
const REQUESTS_MAX: usize = 100_000;

/// The head of an answer whose body ends with the connection.
const ENDLESS: &[u8] = b"HTTP/1.1 201 Created\r\n\r\n";

/// A push service.
#[derive(Debug)]
pub struct PushService {
    address: SocketAddr,
    certificate: Vec<u8>,
    answer: Arc<Mutex<PushAnswer>>,
    requests: mpsc::Receiver<PushRequest>,
}

/// What the service answers.
#[derive(Clone, Debug)]
pub enum PushAnswer {
    /// This status, with these lines in the head, each with its end.
    Status(u16, String),
    /// A body of so many bytes.
    Body(usize),
    /// A body without an end.
    Endless,
    /// A body without an end, one byte at a time.
    Dripping,
    /// Nothing, for as long as the connection is there.
    Silent,
}

/// A request that the service has got.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PushRequest {
    /// The path.
    pub path: String,
    /// The lines of the head, by their names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Vec<u8>,
}

impl PushService {
    /// Starts a service that accepts everything, at `localhost` on a free port.
    ///
    /// # Panics
    /// If it cannot be started.
    pub async fn start() -> Self {
        let certificate = Certificate::make();
        let acceptor = certificate.acceptor();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let address = listener.local_addr().expect("it listens");
        let answer = Arc::new(Mutex::new(PushAnswer::Status(201, String::new())));
        let (note, requests) = mpsc::channel(REQUESTS_MAX);
        let answers = Arc::clone(&answer);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, answers, note) =
                    (acceptor.clone(), Arc::clone(&answers), note.clone());
                tokio::spawn(async move {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        serve(stream, &answers, &note).await;
                    }
                });
            }
        });
        Self { address, certificate: certificate.der().to_vec(), answer, requests }
    }

    /// The certificate that clients have to trust, as DER.
    pub fn certificate(&self) -> Vec<u8> {
        self.certificate.clone()
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// An endpoint of this name.
    pub fn endpoint(&self, name: &str) -> String {
        format!("https://localhost:{}/push/{name}", self.port())
    }

    /// Sets what requests are answered from now on.
    pub fn answer(&self, answer: PushAnswer) {
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = answer;
    }

    /// Waits for the next request.
    ///
    /// # Panics
    /// If the service has ended.
    pub async fn next(&mut self) -> PushRequest {
        self.requests.recv().await.expect("the service runs")
    }

    /// The next request, if there is one already.
    pub fn try_next(&mut self) -> Option<PushRequest> {
        self.requests.try_recv().ok()
    }
}

/// Answers the requests of one connection.
async fn serve(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    answers: &Mutex<PushAnswer>,
    note: &mpsc::Sender<PushRequest>,
) {
    while let Some(request) = read_request(&mut stream).await {
        if note.send(request).await.is_err() {
            return;
        }
        let answer = answers.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match answer {
            PushAnswer::Status(status, lines) => {
                let head = format!("HTTP/1.1 {status} Answer\r\ncontent-length: 0\r\n{lines}\r\n");
                if stream.write_all(head.as_bytes()).await.is_err() || stream.flush().await.is_err()
                {
                    return;
                }
            }
            PushAnswer::Body(bytes) => {
                let head = format!("HTTP/1.1 201 Created\r\ncontent-length: {bytes}\r\n\r\n");
                let answer = [head.into_bytes(), vec![b'x'; bytes]].concat();
                if stream.write_all(&answer).await.is_err() || stream.flush().await.is_err() {
                    return;
                }
            }
            PushAnswer::Endless => {
                stream.write_all(ENDLESS).await.ok();
                while stream.write_all(&[b'x'; 1_024]).await.is_ok() {}
                return;
            }
            PushAnswer::Dripping => {
                stream.write_all(ENDLESS).await.ok();
                while stream.write_all(b"x").await.is_ok() && stream.flush().await.is_ok() {
                    sleep(Duration::from_millis(100)).await;
                }
                return;
            }
            PushAnswer::Silent => {
                // Until the other side closes.
                let mut byte = [0; 1];
                stream.read_exact(&mut byte).await.ok();
                return;
            }
        }
    }
}

/// Reads one request; nothing at the end of the connection.
async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Option<PushRequest> {
    let mut read = Vec::new();
    let head = loop {
        if let Some(end) = read.windows(4).position(|part| part == b"\r\n\r\n") {
            let body = read.split_off(end + 4);
            break String::from_utf8(std::mem::replace(&mut read, body)).ok()?;
        }
        if stream.read_buf(&mut read).await.ok()? == 0 {
            return None;
        }
    };
    let mut lines = head.lines();
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let header = |line: &str| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_lowercase(), value.trim().to_owned()))
    };
    let headers: BTreeMap<_, _> = lines.filter_map(header).collect();
    let length: usize = headers.get("content-length").map_or(Some(0), |text| text.parse().ok())?;
    while read.len() < length {
        if stream.read_buf(&mut read).await.ok()? == 0 {
            return None;
        }
    }
    Some(PushRequest { path, headers, body: read })
}

/// A browser with a key pair for pushes, and the secret that it shares with the server.
#[derive(Debug)]
pub struct SoftBrowser {
    secret: SecretKey,
    auth: [u8; 16],
}

impl SoftBrowser {
    /// The browser with this private key and this secret, in base64url.
    ///
    /// # Panics
    /// If they are none.
    pub fn new(secret: &str, auth: &str) -> Self {
        let decode = |text: &str| BASE64URL_NOPAD.decode(text.as_bytes()).expect("base64url");
        let secret = SecretKey::from_slice(&decode(secret)).expect("a private key of P-256");
        Self { secret, auth: decode(auth).try_into().expect("16 bytes") }
    }

    /// A browser that differs by its number, which is not 0.
    ///
    /// # Panics
    /// If it is 0.
    pub fn numbered(number: u64) -> Self {
        let mut secret = [0; 32];
        secret[..8].copy_from_slice(&number.to_be_bytes());
        let secret = SecretKey::from_slice(&secret).expect("any small number is one");
        Self { secret, auth: u128::from(number).to_be_bytes() }
    }

    /// Its public key in base64url, as `PushSubscription.getKey('p256dh')` has it.
    pub fn p256dh(&self) -> String {
        BASE64URL_NOPAD.encode(&self.public_key())
    }

    /// Its secret in base64url.
    pub fn auth(&self) -> String {
        BASE64URL_NOPAD.encode(&self.auth)
    }

    fn public_key(&self) -> Box<[u8]> {
        // With the other coordinate: 65 bytes.
        point(&self.secret.public_key())
    }

    /// Reads a message (RFC 8291, section 3; RFC 8188, section 2).
    ///
    /// # Panics
    /// If it is not for this browser.
    pub fn decrypt(&self, message: &[u8]) -> Vec<u8> {
        let (salt, rest) = message.split_at(16);
        let (record, rest) = rest.split_at(4);
        let record = u32::from_be_bytes(record.try_into().expect("4 bytes"));
        let (sender, sealed) = rest[1..].split_at(rest[0].into());
        assert!(sealed.len() <= usize::try_from(record).expect("it fits"), "one record");
        let theirs = PublicKey::from_sec1_bytes(sender).expect("a point");
        let shared = self.secret.diffie_hellman(&theirs);
        let info = [b"WebPush: info\0", &*self.public_key(), sender].concat();
        let input: [u8; 32] = derive(&self.auth, shared.raw_secret_bytes(), &info);
        let key: [u8; 16] = derive(salt, &input, b"Content-Encoding: aes128gcm\0");
        let nonce: [u8; 12] = derive(salt, &input, b"Content-Encoding: nonce\0");
        let cipher = Aes128Gcm::new(&key.into());
        let mut plain = cipher.decrypt(&nonce.into(), sealed).expect("it is for this browser");
        let end = plain.iter().rposition(|byte| *byte != 0).expect("a delimiter");
        assert_eq!(plain[end], 2, "the last record");
        plain.truncate(end);
        plain
    }
}

fn point(key: &PublicKey) -> Box<[u8]> {
    use p256::elliptic_curve::sec1::ToSec1Point;
    key.to_sec1_point(false).as_bytes().into()
}

fn derive<const LENGTH: usize>(salt: &[u8], input: &[u8], info: &[u8]) -> [u8; LENGTH] {
    let mut derived = [0; LENGTH];
    let hkdf = Hkdf::<Sha256>::new(Some(salt), input);
    hkdf.expand(info, &mut derived).expect("it is short");
    derived
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8291, section 5.
    #[test]
    fn the_example_of_the_standard_is_read() {
        let browser = SoftBrowser::new(
            "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94",
            "BTBZMqHH6r4Tts7J_aSIgg",
        );
        let public = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
        assert_eq!(browser.p256dh(), public);
        let message = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLoc\
                       InmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLV\
                       WGNWQexSgSxsj_Qulcy4a-fN";
        let message = BASE64URL_NOPAD.decode(message.as_bytes()).unwrap();
        assert_eq!(browser.decrypt(&message), b"When I grow up, I want to be a watermelon");
    }
}
