//! A user of NATS whom the server knows by a signed token (JWT) and a key, as its tool `nsc` makes them:
//! the file for the user, and the configuration for the server.

use std::{fs, path::PathBuf};

use data_encoding::BASE64URL_NOPAD;
use nkeys::KeyPair;
use tempfile::TempDir;

/// A user, and a configuration that lets the user in. The files are deleted with this value.
#[derive(Debug)]
pub struct NatsCredentials {
    folder: TempDir,
}

impl NatsCredentials {
    /// Makes an operator, an account and a user.
    ///
    /// # Panics
    /// When the files cannot be written.
    pub fn make() -> Self {
        let (operator, account, user) =
            (KeyPair::new_operator(), KeyPair::new_account(), KeyPair::new_user());
        let limits = r#""subs":-1,"data":-1,"payload":-1"#;
        let all = r#""imports":-1,"exports":-1,"wildcards":true,"conn":-1,"leaf":-1"#;
        let of_operator = sign(&operator, &operator, r#""type":"operator""#);
        let of_account =
            sign(&operator, &account, &format!(r#""type":"account","limits":{{{limits},{all}}}"#));
        let of_user = sign(&account, &user, &format!(r#""type":"user",{limits}"#));
        let made = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        let configuration = format!(
            "operator: {of_operator}\nresolver: MEMORY\nresolver_preload: {{ {}: {of_account} }}\n",
            account.public_key(),
        );
        fs::write(made.configuration(), configuration).expect("a file in our folder");
        let seed = user.seed().expect("a new key has a seed");
        let credentials = format!(
            "-----BEGIN NATS USER JWT-----\n{of_user}\n------END NATS USER JWT------\n\n\
             -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
        );
        fs::write(made.file(), credentials).expect("a file in our folder");
        made
    }

    /// The user's file.
    pub fn file(&self) -> PathBuf {
        self.folder.path().join("user.creds")
    }

    /// The server's configuration.
    pub fn configuration(&self) -> PathBuf {
        self.folder.path().join("nats.conf")
    }
}

/// A token in which one key vouches for another.
fn sign(issuer: &KeyPair, subject: &KeyPair, nats: &str) -> String {
    let (from, about) = (issuer.public_key(), subject.public_key());
    let claims = format!(
        r#"{{"jti":"test","iat":1700000000,"iss":"{from}","sub":"{about}","name":"test","nats":{{{nats},"version":2}}}}"#
    );
    let encode = |bytes: &[u8]| BASE64URL_NOPAD.encode(bytes);
    let head = encode(br#"{"typ":"JWT","alg":"ed25519-nkey"}"#);
    let signed = format!("{head}.{}", encode(claims.as_bytes()));
    let signature = issuer.sign(signed.as_bytes()).expect("a new key can sign");
    format!("{signed}.{}", encode(&signature))
}
