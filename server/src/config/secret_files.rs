//! Reads a secret from a file of its own, such as one that systemd, a container engine or a vault writes. No error
//! repeats what is in the file.

use std::{
    fs::{self, File},
    io::{self, Read},
};

use crate::limits::operators::SECRET_FILE_BYTES;

/// What is in the file, without the newline at its end. Pipes and devices are refused: they might never end, and could
/// not be read again on SIGHUP.
///
/// # Errors
/// If it cannot be read, is not valid UTF-8, is empty, or is too long.
pub(super) fn read(file: &str) -> Result<String, String> {
    // Without the path, because somebody may have given the secret itself.
    let metadata = fs::metadata(file).map_err(|error| format!("cannot read this file: {error}"))?;
    if !metadata.is_file() {
        return Err(format!("{file} is not a regular file"));
    }
    let unreadable = |error: io::Error| format!("cannot read {file}: {error}");
    let mut bytes = Vec::new();
    let content = File::open(file).map_err(unreadable)?;
    content.take(SECRET_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > SECRET_FILE_BYTES) {
        return Err(format!("{file} is larger than {SECRET_FILE_BYTES} bytes"));
    }
    let text = String::from_utf8(bytes).map_err(|_| format!("{file} is not valid UTF-8"))?;
    let secret = text.strip_suffix('\n').unwrap_or(&text);
    let secret = secret.strip_suffix('\r').unwrap_or(secret);
    if secret.is_empty() { Err(format!("{file} is empty")) } else { Ok(secret.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_the_file_without_its_last_newline() {
        let longest = "s".repeat(64 << 10);
        let cases: [(&[u8], Result<&str, &str>); 10] = [
            (b"s3cret", Ok("s3cret")),
            (b"s3cret\n", Ok("s3cret")),
            (b"s3cret\r\n", Ok("s3cret")),
            (b"s3cret\n\n", Ok("s3cret\n")),
            (b" s3cret ", Ok(" s3cret ")),
            (longest.as_bytes(), Ok(&longest)),
            (&[longest.as_bytes(), b"s"].concat(), Err("is larger than 65536 bytes")),
            (b"", Err("is empty")),
            (b"\n", Err("is empty")),
            (b"s3cret\xff", Err("is not valid UTF-8")),
        ];
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret");
        let path = file.to_str().unwrap();
        for (content, expected) in cases {
            fs::write(&file, content).unwrap();
            let expected = expected.map(str::to_owned);
            assert_eq!(read(path), expected.map_err(|problem| format!("{path} {problem}")));
        }
        let folder = folder.path().to_str().unwrap();
        assert_eq!(read(folder), Err(format!("{folder} is not a regular file")));
        for missing in ["smtps://u:s3cret@mail.example", "s3\0cret", &format!("{folder}/none")] {
            let problem = read(missing).unwrap_err();
            assert!(problem.starts_with("cannot read this file: "), "{problem}");
            assert!(!problem.contains(missing), "{problem}");
        }
    }
}
