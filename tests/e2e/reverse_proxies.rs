//! The sample files in `server/deploy/proxies`, each tried with the real proxy in front of the real server.

use std::{fs, net::SocketAddr, path::Path, process::Stdio, sync::Arc};

use fivefold_test_services::free_port;
use fivefold_tests::{PATIENCE, Server};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio::{
    net::TcpSocket,
    process::{Child, Command},
    time::{Instant, sleep, timeout},
};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{ClientConfig, RootCertStore, crypto::ring, pki_types::CertificateDer},
};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Error, client::IntoClientRequest, http::HeaderValue},
};

const HOST: &str = "play.example";

/// A proxy of a sample file.
struct Sample {
    program: &'static str,
    /// The sample.
    text: &'static str,
    /// How to start it with a file; `FILE` and `FOLDER` are replaced.
    arguments: &'static [&'static str],
    /// What the files around the sample say on an operator's machine.
    around: &'static str,
    /// What in the sample is another name here.
    replaced: &'static [(&'static str, &'static str)],
}

const SAMPLES: [Sample; 4] = [
    Sample {
        program: "nginx",
        text: include_str!("../../server/deploy/proxies/nginx.conf"),
        arguments: &["-p", "FOLDER", "-e", "stderr", "-c", "FILE"],
        around: "daemon off; master_process off; pid FOLDER/pid; events {} http {
            access_log off; client_body_temp_path FOLDER/a; proxy_temp_path FOLDER/b;
            fastcgi_temp_path FOLDER/c; uwsgi_temp_path FOLDER/d; scgi_temp_path FOLDER/e;
            SAMPLE
        }",
        replaced: &[
            ("listen [::]:443 ssl;", ""),
            ("listen [::]:80;", ""),
            ("listen 443", "listen 127.0.0.1:HTTPS"),
            ("listen 80", "listen 127.0.0.1:HTTP"),
            ("/etc/ssl/play.example.pem", "FOLDER/cert.pem"),
            ("/etc/ssl/play.example.key", "FOLDER/key.pem"),
        ],
    },
    Sample {
        program: "caddy",
        text: include_str!("../../server/deploy/proxies/Caddyfile"),
        arguments: &["run", "--adapter", "caddyfile", "--config", "FILE"],
        around: "{\nadmin off\nauto_https disable_redirects\n}\nSAMPLE",
        replaced: &[(
            "play.example {",
            "https://play.example:HTTPS {\nbind 127.0.0.1\ntls FOLDER/cert.pem FOLDER/key.pem",
        )],
    },
    Sample {
        program: "haproxy",
        text: include_str!("../../server/deploy/proxies/haproxy.cfg"),
        arguments: &["-db", "-f", "FILE"],
        around: "SAMPLE",
        replaced: &[
            ("bind :443", "bind 127.0.0.1:HTTPS"),
            ("bind :80", "bind 127.0.0.1:HTTP"),
            ("/etc/haproxy/play.example.pem", "FOLDER/both.pem"),
        ],
    },
    Sample {
        program: "apache2",
        text: include_str!("../../server/deploy/proxies/apache.conf"),
        arguments: &["-X", "-f", "FILE"],
        around:
            "ServerRoot FOLDER\nPidFile FOLDER/pid\nErrorLog /dev/stderr\nDefaultRuntimeDir FOLDER
            ServerName localhost\nListen 127.0.0.1:HTTPS\nListen 127.0.0.1:HTTP
            <IfModule !unixd_module>\nLoadModule unixd_module MODULES/mod_unixd.so\n</IfModule>
            User www-data\nGroup www-data
            LoadModule mpm_event_module MODULES/mod_mpm_event.so
            LoadModule authz_core_module MODULES/mod_authz_core.so
            LoadModule alias_module MODULES/mod_alias.so
            LoadModule socache_shmcb_module MODULES/mod_socache_shmcb.so
            LoadModule ssl_module MODULES/mod_ssl.so
            LoadModule headers_module MODULES/mod_headers.so
            LoadModule proxy_module MODULES/mod_proxy.so
            LoadModule proxy_http_module MODULES/mod_proxy_http.so
            SAMPLE",
        replaced: &[
            ("<VirtualHost *:443>", "<VirtualHost *:HTTPS>"),
            ("<VirtualHost *:80>", "<VirtualHost *:HTTP>"),
            ("/etc/ssl/play.example.pem", "FOLDER/cert.pem"),
            ("/etc/ssl/play.example.key", "FOLDER/key.pem"),
        ],
    },
];

/// A running proxy, killed when this is dropped.
struct Proxy {
    _child: Child,
    address: SocketAddr,
    certificate: CertificateDer<'static>,
}

impl Proxy {
    /// Starts the proxy of a sample in front of a server. `None`, with a printed sentence, where it is not
    /// installed.
    #[expect(clippy::print_stdout, reason = "a skipped test says so")]
    async fn start(sample: &Sample, server: &Server, folder: &Path) -> Option<Self> {
        let Sample { program, arguments, .. } = sample;
        let found =
            ["/usr/sbin", "/usr/bin", "/usr/local/bin"].map(|place| Path::new(place).join(program));
        let Some(program_file) = found.into_iter().find(|path| path.is_file()) else {
            println!("SKIPPED: {program} is not installed here");
            return None;
        };
        let certificate = make_certificate(folder);
        let [https, http] = [free_port(), free_port()];
        let file = folder.join("proxy.conf");
        fs::write(&file, configuration(sample, server, folder, [https, http])).expect("a file");
        let [file, place] = [&file, folder].map(|path| path.to_str().expect("plain"));
        let arguments =
            arguments.iter().map(|word| word.replace("FILE", file).replace("FOLDER", place));
        let child = Command::new(program_file)
            .args(arguments)
            .env("HOME", folder)
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("it starts");
        let address = SocketAddr::from(([127, 0, 0, 1], https));
        Some(Self { _child: child, address, certificate })
    }

    /// The answer to the handshake of a client at an address of its own, with these headers more.
    async fn handshake(&self, headers: &[(&'static str, &'static str)]) -> Result<Socket, Error> {
        let socket = TcpSocket::new_v4()?;
        socket.bind("127.0.0.2:0".parse().expect("an address"))?;
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone()).expect("it is a certificate");
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("the versions are known")
            .with_root_certificates(roots)
            .with_no_client_auth();
        let stream = socket.connect(self.address).await?;
        let name = HOST.try_into().expect("a name");
        let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await?;
        let mut request = format!("wss://{HOST}/ws").into_client_request()?;
        for (name, value) in headers {
            request.headers_mut().insert(*name, HeaderValue::from_static(value));
        }
        let answer = timeout(PATIENCE, client_async(request, stream)).await.expect("an answer");
        answer.map(|(socket, _)| socket)
    }
}

type Socket = WebSocketStream<TlsStream<tokio::net::TcpStream>>;

/// The sample, with the names and ports of this test.
fn configuration(sample: &Sample, server: &Server, folder: &Path, ports: [u16; 2]) -> String {
    let mut text = sample.text.to_owned();
    let replaced = sample.replaced.iter().chain(&[("127.0.0.1:8080", "SERVER")]);
    for (from, to) in replaced {
        assert!(text.contains(from), "{}: no {from}", sample.program);
        text = text.replace(from, to);
    }
    let [https, http] = ports.map(|port| port.to_string());
    sample
        .around
        .replace("SAMPLE", &text)
        .replace("SERVER", &server.address().to_string())
        .replace("FOLDER", folder.to_str().expect("plain"))
        .replace("MODULES", "/usr/lib/apache2/modules")
        .replace("HTTPS", &https)
        .replace(":HTTP", &format!(":{http}"))
}

fn make_certificate(folder: &Path) -> CertificateDer<'static> {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed([HOST.to_owned()]).expect("a certificate");
    let (certificate, key) = (cert.pem(), signing_key.serialize_pem());
    for (name, text) in [
        ("cert.pem", &certificate),
        ("key.pem", &key),
        ("both.pem", &format!("{certificate}{key}")),
    ] {
        fs::write(folder.join(name), text).expect("the file can be written");
    }
    cert.der().clone()
}

/// The status with which a handshake is refused.
fn status(answer: Result<Socket, Error>) -> u16 {
    match answer {
        Ok(_) => 101,
        Err(Error::Http(answer)) => answer.status().as_u16(),
        Err(error) => panic!("{error}"),
    }
}

async fn check(sample: &Sample) {
    let program = sample.program;
    // Without --public-url, the server accepts its own page only if the proxy forwards Host.
    let server =
        Server::start_with(&[("trusted-proxy", "127.0.0.1"), ("sessions-per-address", "1")]);
    let folder = tempfile::tempdir().expect("a folder");
    let Some(proxy) = Proxy::start(sample, &server, folder.path()).await else { return };
    let own = ("origin", "https://play.example");
    let begin = Instant::now();
    let first = loop {
        match proxy.handshake(&[own, ("x-forwarded-for", "192.0.2.1")]).await {
            Ok(socket) => break socket,
            Err(error) => assert!(begin.elapsed() < PATIENCE, "{program}: {error}"),
        }
        sleep(PATIENCE / 200).await;
    };
    // Nobody gets another address by a header.
    let second = proxy.handshake(&[own, ("x-forwarded-for", "192.0.2.2")]).await;
    assert_eq!(status(second), 429, "{program}: a header evades the limit of an address");
    let foreign = [("origin", "https://evil.example"), ("x-forwarded-host", "evil.example")];
    let foreign = proxy.handshake(&foreign).await;
    assert_eq!(status(foreign), 403, "{program}: a header opens the server to another page");
    drop(first);
}

#[tokio::test]
async fn nginx_forwards_as_its_sample_says() {
    check(&SAMPLES[0]).await;
}

#[tokio::test]
async fn caddy_forwards_as_its_sample_says() {
    check(&SAMPLES[1]).await;
}

#[tokio::test]
async fn haproxy_forwards_as_its_sample_says() {
    check(&SAMPLES[2]).await;
}

#[tokio::test]
async fn apache_forwards_as_its_sample_says() {
    check(&SAMPLES[3]).await;
}
