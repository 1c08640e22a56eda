//! Where the NATS servers are, and how a node proves there who it is: what the operator gives by `--bus`
//! and the flags beside it.

use std::{fmt, fs, path::PathBuf, str::FromStr};

use async_nats::{ConnectOptions, ServerAddr};
use percent_encoding::percent_decode_str;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};

use crate::limits::{BUS_SERVERS_MAX, CLUSTER_NAME_MAX};

/// The addresses of the servers of one NATS cluster, as the operator gives them: separated by commas.
/// They may contain a password, so nothing prints them.
#[derive(Clone, PartialEq, Eq)]
pub struct NatsUrls(String);

/// The same, read: the servers, and the user or token that the addresses contain.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct NatsServers {
    pub(super) addresses: Vec<ServerAddr>,
    pub(super) login: Login,
}

/// Who a node is to NATS, by the addresses.
#[derive(Clone, PartialEq, Eq, Default)]
pub(super) enum Login {
    #[default]
    None,
    User {
        name: String,
        password: String,
    },
    Token(String),
}

/// Files that prove to NATS who a node is, or to the node who NATS is. They are read again for each
/// connection.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NatsFiles {
    /// Credentials: a user's JWT and the seed of its key, as `nsc` writes them.
    pub credentials: Option<PathBuf>,
    /// The certificates of the authorities that are trusted, instead of the system's.
    pub ca: Option<PathBuf>,
    /// The node's own certificate and its key.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

/// All that a node needs to connect to NATS.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NatsAccess {
    pub(super) servers: NatsServers,
    pub(super) files: NatsFiles,
}

/// The name that the nodes of a cluster share, so that several clusters can use one NATS: letters,
/// digits, `-` and `_`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClusterName(pub(super) String);

/// Why an address or a name is not accepted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NatsError {
    /// An address is no URL that NATS knows.
    #[error(
        "--bus: `{0}` is no address of a NATS server: write nats://host:4222, or \
         nats://user:password@host:4222 with @ as %40, : as %3A, / as %2F and % as %25 in the password"
    )]
    Address(String),
    /// There are no addresses, or too many.
    #[error("--bus needs 1 to {BUS_SERVERS_MAX} addresses")]
    Count,
    /// Addresses contain different users.
    #[error("the addresses in --bus contain different users: use one for all servers")]
    Logins,
    /// The name has other characters, or too many.
    #[error("a cluster's name has 1 to {CLUSTER_NAME_MAX} letters, digits, `-` or `_`")]
    Name,
    /// Addresses contain a user, and there is a file with credentials.
    #[error("--bus contains a user and bus-credentials is another: give one of them")]
    TwoLogins,
    /// A file cannot be read, or does not contain what it should.
    #[error("cannot use {} as {setting}: {problem}", path.display())]
    File {
        /// The setting that names it.
        setting: &'static str,
        /// The file.
        path: PathBuf,
        /// The fault.
        problem: String,
    },
}

impl NatsAccess {
    /// Reads the addresses, and the files once, so that a wrong one stops the start.
    ///
    /// # Errors
    /// If an address or a file cannot be used, or there are two logins.
    pub fn new(urls: &NatsUrls, files: NatsFiles) -> Result<Self, NatsError> {
        let servers: NatsServers = urls.0.parse()?;
        let error = |setting, path: &PathBuf, problem: &dyn fmt::Display| {
            let problem = problem.to_string();
            NatsError::File { setting, path: path.clone(), problem }
        };
        if let Some(path) = &files.credentials {
            if servers.login != Login::None {
                return Err(NatsError::TwoLogins);
            }
            let read =
                fs::read_to_string(path).and_then(|text| ConnectOptions::with_credentials(&text));
            read.map_err(|problem| error("bus-credentials", path, &problem))?;
        }
        let certificate = files.certificate.as_ref().map(|(certificate, _)| certificate);
        for (setting, path) in [("bus-ca", files.ca.as_ref()), ("bus-cert", certificate)] {
            let Some(path) = path else { continue };
            let read = CertificateDer::pem_file_iter(path)
                .and_then(Iterator::collect::<Result<Vec<_>, _>>);
            match read {
                Ok(read) if read.is_empty() => {
                    return Err(error(setting, path, &"it contains no certificate in PEM"));
                }
                Ok(_) => {}
                Err(problem) => return Err(error(setting, path, &problem)),
            }
        }
        if let Some((_, path)) = &files.certificate {
            let read = PrivateKeyDer::from_pem_file(path);
            read.map_err(|problem| error("bus-key", path, &problem))?;
        }
        Ok(Self { servers, files })
    }

    /// The options of a connection by which NATS and the node know each other.
    ///
    /// # Errors
    /// If the file with the credentials cannot be read any more.
    pub(super) async fn options(&self) -> std::io::Result<ConnectOptions> {
        let NatsFiles { credentials, ca, certificate } = &self.files;
        let mut options = ConnectOptions::new();
        options = match &self.servers.login {
            Login::None => options,
            Login::User { name, password } => {
                options.user_and_password(name.clone(), password.clone())
            }
            Login::Token(token) => options.token(token.clone()),
        };
        if let Some(path) = credentials {
            options = options.credentials_file(path).await?;
        }
        if let Some(path) = ca {
            options = options.add_root_certificates(path.clone());
        }
        if let Some((certificate, key)) = certificate {
            options = options.add_client_certificate(certificate.clone(), key.clone());
        }
        // Who names certificates wants no connection without.
        Ok(options.require_tls(ca.is_some() || certificate.is_some()))
    }
}

impl FromStr for NatsServers {
    type Err = NatsError;

    fn from_str(text: &str) -> Result<Self, NatsError> {
        let servers = text.split(',').map(parse).collect::<Result<Vec<_>, _>>()?;
        if servers.len() > BUS_SERVERS_MAX {
            return Err(NatsError::Count);
        }
        let (addresses, logins): (Vec<_>, Vec<_>) = servers.into_iter().unzip();
        let mut logins = logins.into_iter().filter(|login| *login != Login::None);
        let login = logins.next().unwrap_or_default();
        if logins.any(|other| other != login) {
            return Err(NatsError::Logins);
        }
        Ok(Self { addresses, login })
    }
}

/// Splits an address into the server's and the login in it.
fn parse(text: &str) -> Result<(ServerAddr, Login), NatsError> {
    let text = text.trim();
    let error = || NatsError::Address(without_password(text).to_owned());
    let server = ServerAddr::from_str(text).map_err(|_| error())?;
    let url = server.clone().into_inner();
    // A password with a slash makes a path of its rest.
    let is_bare =
        matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none();
    if !matches!(server.scheme(), "nats" | "tls") || server.host().is_empty() || !is_bare {
        return Err(error());
    }
    let decode = |text: &str| {
        percent_decode_str(text)
            .decode_utf8()
            .map(std::borrow::Cow::into_owned)
            .map_err(|_| error())
    };
    let login = match (server.username(), server.password()) {
        (None, None) => Login::None,
        (None, Some(_)) => return Err(error()),
        (Some(token), None) => Login::Token(decode(token)?),
        (Some(name), Some(password)) => {
            Login::User { name: decode(name)?, password: decode(password)? }
        }
    };
    Ok((server, login))
}

/// The part of a wrong address that contains no password.
fn without_password(text: &str) -> &str {
    if let Some((_, host)) = text.rsplit_once('@') {
        return host;
    }
    // Somebody may have forgotten the host.
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let may_be_shown = rest.split_once(':').is_none_or(|(_, port)| port.parse::<u16>().is_ok());
    if may_be_shown { text } else { "(hidden)" }
}

impl From<String> for NatsUrls {
    fn from(urls: String) -> Self {
        Self(urls)
    }
}

impl fmt::Debug for NatsUrls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NatsUrls(..)")
    }
}

/// Hides user names, passwords and tokens.
impl fmt::Debug for NatsServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NatsServers")
            .field(&self.addresses.iter().map(name_of).collect::<Vec<_>>())
            .finish()
    }
}

/// A server for messages: its host and port.
pub(super) fn name_of(server: &ServerAddr) -> String {
    let host = server.host();
    let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    format!("{host}:{}", server.port())
}

impl Default for ClusterName {
    fn default() -> Self {
        Self("fivefold".to_owned())
    }
}

impl fmt::Display for ClusterName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for ClusterName {
    type Err = NatsError;

    fn from_str(text: &str) -> Result<Self, NatsError> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        let fits = (1..=CLUSTER_NAME_MAX).contains(&text.len());
        if fits && text.bytes().all(is_allowed) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NatsError::Name)
        }
    }
}
