//! Puts the page into the program: every file of `web/`, as it is and compressed, under a path
//! that names the content, so that a browser may keep it for ever.
//!
//! All files share one such path. Modules import each other by relative paths then, and nothing
//! has to be rewritten but the places in `index.html` that say `{web}`.

use std::{
    env,
    fmt::Write as _,
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

/// What is served; other files, such as the types for the checker, are not.
const SERVED: [&str; 4] = ["html", "js", "css", "svg"];

fn main() -> io::Result<()> {
    let web = Path::new("web");
    println!("cargo::rerun-if-changed={}", web.display());
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("page");
    fs::create_dir_all(&out)?;

    let mut files = Vec::new();
    let mut digest = Sha256::new();
    for path in served(web)? {
        let name = path.file_name().and_then(|name| name.to_str()).expect("names are ASCII");
        let content = fs::read(&path)?;
        digest.update(name);
        digest.update(content.len().to_le_bytes());
        digest.update(&content);
        files.push((name.to_owned(), content));
    }
    let digest = digest.finalize().iter().take(8).fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes everything");
        text
    });

    let mut table = format!("const DIGEST: &str = {digest:?};\nstatic FILES: &[Embedded] = &[\n");
    for (name, content) in files {
        let content = match name.as_str() {
            "index.html" => in_place(content, &format!("/web/{digest}")),
            _ => content,
        };
        let file = out.join(&name);
        let include = |kind: &str, bytes: &[u8]| -> io::Result<String> {
            let path = file.with_extension(format!("{kind}.bytes"));
            fs::write(&path, bytes)?;
            Ok(format!("include_bytes!({path:?})"))
        };
        let kind =
            file.extension().and_then(|kind| kind.to_str()).expect("it is served").to_owned();
        let plain = include(&kind, &content)?;
        let brotli = include(&format!("{kind}.br"), &brotli(&content)?)?;
        let gzip = include(&format!("{kind}.gz"), &gzip(&content)?)?;
        writeln!(
            table,
            "Embedded {{ name: {name:?}, plain: {plain}, brotli: {brotli}, gzip: {gzip} }},"
        )
        .expect("a string takes everything");
    }
    table.push_str("];\n");
    fs::write(out.join("table.rs"), table)
}

/// The files that are served, in an order that does not depend on the disk.
fn served(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if SERVED.iter().any(|kind| path.extension().is_some_and(|found| found == *kind)) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The page with its links pointing to where its files are.
fn in_place(page: Vec<u8>, web: &str) -> Vec<u8> {
    let page = String::from_utf8(page).expect("the page is UTF-8");
    page.replace("{web}", web).into_bytes()
}

fn brotli(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressed = Vec::new();
    let mut writer = brotli::CompressorWriter::new(&mut compressed, 4096, 11, 20);
    writer.write_all(content)?;
    writer.flush()?;
    drop(writer);
    Ok(compressed)
}

fn gzip(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    writer.write_all(content)?;
    writer.finish()
}
