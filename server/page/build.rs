//! Embeds the page in the program: every file of `server/web`, plain and compressed, under a path with a
//! digest of the content, so that browsers may cache it forever.
//!
//! The modules that the first screen needs are one file, and those of a room another one; see
//! `build/join.rs`. All files share one digest. Modules can then import each other by relative paths, and only
//! `{web}` in HTML and the service worker is rewritten, and `{files}` in the latter. Scripts and styles lose their comments and needless spaces;
//! the WebAssembly module stays as it is.

use std::{
    env,
    ffi::OsStr,
    fmt::Write as _,
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

#[path = "build/join.rs"]
mod join;

use join::{JoinedFile, Modules};

/// Extensions of the files to serve. Others, such as the type checker's, are not embedded.
const SERVED: [&str; 8] = ["html", "js", "css", "svg", "png", "txt", "wasm", "webmanifest"];

/// The files that have several modules: the first screen's, the puzzle's below it, a room's, an opening's, and those of
/// the dialog “You”, without what a room or a profile needs of it.
const JOINED: [JoinedFile; 9] = [
    (
        "main.js",
        &[
            "language/folder-texts.js",
            "room/own-rooms.js",
            "browser/sounds.js",
            "lobby/home-view.js",
        ],
    ),
    ("puzzles/daily-puzzle.js", &[]),
    ("room/room-view.js", &[]),
    ("game/opening-panel.js", &[]),
    ("account/account-form.js", &[]),
    ("account/pushes.js", &[]),
    ("account/friends.js", &[]),
    ("moderation/requests.js", &[]),
    ("account/you-dialog.js", &[]),
];
/// The script of boards on other sites. It has all that it imports, because it must not run the page's own files.
const EMBED: &str = "embed/embed.js";
/// Files that the service worker does not keep: pages, its own script, and boards on other sites, which need a network.
const NOT_KEPT: [&str; 4] = ["index.html", "local/service-worker.js", "embed/embed.html", EMBED];
/// Scripts that browsers run apart from the page.
const APART: [&str; 2] = ["engine/worker.js", "local/service-worker.js"];

fn main() -> io::Result<()> {
    let web = Path::new("../web");
    println!("cargo::rerun-if-changed={}", web.display());
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("page");
    fs::create_dir_all(&out)?;

    let mut files = Vec::new();
    let mut digest = Sha256::new();
    let names = served(web)?;
    let modules = joined(web, &names)?;
    for name in names {
        let path = web.join(&name);
        let content = match path.extension().and_then(OsStr::to_str) {
            Some("js") if is_module(&name) => match modules.get(&name) {
                Some(module) => bare(module, script).into_bytes(),
                None => continue,
            },
            Some("js") => bare(&fs::read_to_string(path)?, script).into_bytes(),
            Some("css") => bare(&fs::read_to_string(path)?, style).into_bytes(),
            _ => fs::read(path)?,
        };
        digest.update(&name);
        digest.update(content.len().to_le_bytes());
        digest.update(&content);
        files.push((name, content));
    }
    let digest = digest.finalize().iter().take(8).fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes everything");
        text
    });

    let mut table = format!(
        "/// Of all files.\npub const DIGEST: &str = {digest:?};\n/// All files, by name.\npub static FILES: &[Embedded] = &[\n"
    );
    let kept = |name: &&str| !NOT_KEPT.contains(name);
    let to_keep: Vec<_> = files.iter().map(|(name, _)| name.as_str()).filter(kept).collect();
    let to_keep = to_keep.join(" ");
    for (name, content) in files {
        let content = match str::from_utf8(&content) {
            Ok(text) => {
                let place = format!("/web/{digest}");
                text.replace("{web}", &place).replace("{files}", &to_keep).into_bytes()
            }
            Err(_) => content,
        };
        let file = out.join(name.replace('/', "-"));
        let include = |kind: &str, bytes: &[u8]| -> io::Result<String> {
            let path = file.with_extension(format!("{kind}.bytes"));
            fs::write(&path, bytes)?;
            Ok(format!("include_bytes!({path:?})"))
        };
        let kind =
            file.extension().and_then(|kind| kind.to_str()).expect("it is served").to_owned();
        let plain = include(&kind, &content)?;
        // Compressing the module takes longer than all the rest, so this is kept beside it.
        let compressed = fs::read(web.join(format!("{name}.br"))).or_else(|_| brotli(&content))?;
        let brotli = include(&format!("{kind}.br"), &compressed)?;
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

/// The modules among the files, joined.
fn joined(web: &Path, names: &[String]) -> io::Result<Modules> {
    let mut modules = Modules::new();
    for name in names.iter().filter(|name| is_module(name)) {
        modules.insert(name.clone(), fs::read_to_string(web.join(name))?);
    }
    let embed = join::bundle(&modules, EMBED).map_err(io::Error::other)?;
    modules.remove(EMBED);
    let mut joined = join::join(&modules, &JOINED).map_err(io::Error::other)?;
    joined.insert(EMBED.to_owned(), embed);
    Ok(joined)
}

fn is_module(name: &str) -> bool {
    name.ends_with(".js") && !APART.contains(&name)
}

/// The names of the files to serve, relative to the folder, in an order that does not depend on the
/// disk.
fn served(web: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    let mut folders = vec![web.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if SERVED.iter().any(|kind| path.extension().is_some_and(|it| it == *kind)) {
                let name = path.strip_prefix(web).ok().and_then(Path::to_str);
                names.push(name.expect("a file of the folder, in ASCII").replace('\\', "/"));
            }
        }
    }
    names.sort();
    Ok(names)
}

/// Removes what only readers need from a script or style: comment lines, types of expressions,
/// indentation, line ends and commas that mean nothing, and what `squeeze` takes from a line.
fn bare(source: &str, squeeze: fn(&str) -> String) -> String {
    let mut bare = String::with_capacity(source.len());
    let mut in_comment = false;
    let mut ends_in_comment = false;
    for line in source.lines().map(str::trim) {
        if in_comment || line.starts_with("/*") && !line.starts_with(TYPE) {
            in_comment = !line.ends_with("*/");
        } else if !line.is_empty() && !line.starts_with("//") {
            let line = squeeze(&untyped(line));
            let closes = line.starts_with(['}', ')', ']']);
            let joins = closes
                || bare.ends_with(['{', '(', '[', ',', ';', '=', '>', '?', ':', '&', '|'])
                || line.starts_with(['.', '?', ':', '&', '|']);
            if !bare.is_empty() && (ends_in_comment || !joins) {
                bare.push('\n');
            } else if closes && bare.ends_with(',') {
                bare.pop();
            }
            bare.push_str(&line);
            ends_in_comment = line.contains("//");
        }
    }
    bare
}

/// Start of the type of an expression or a parameter, within a line.
const TYPE: &str = "/** @type {";

fn untyped(mut line: &str) -> String {
    let mut untyped = String::with_capacity(line.len());
    while let Some((code, rest)) = line.split_once(TYPE) {
        let (_, rest) = rest.split_once("*/").expect("the type ends in its line");
        untyped.push_str(code);
        line = rest.trim_start();
    }
    untyped.push_str(line);
    untyped
}

/// Marks beside which a script needs no space.
const MARKS: &str = "{}()[],;:=<>+-*&|?!";

/// A line of a script without needless spaces. A line with a slash stays as it is, because that may
/// begin a pattern; so does one with a text within a text.
fn script(line: &str) -> String {
    let nested = |rest: &str| rest.split('}').next().is_some_and(|code| code.contains('`'));
    if line.split("${").skip(1).any(nested) {
        return line.to_owned();
    }
    let mut squeezed = String::with_capacity(line.len());
    // The quote that ends the text.
    let mut text = None;
    let mut rest = line.chars().peekable();
    while let Some(next) = rest.next() {
        match (text, next) {
            (Some(_), '\\') => {
                squeezed.push(next);
                squeezed.extend(rest.next());
                continue;
            }
            (Some(quote), _) if next == quote => text = None,
            (Some(_), _) => {}
            (None, '/') => return line.to_owned(),
            (None, '\'' | '"' | '`') => text = Some(next),
            (None, ' ') => {
                let (before, after) = (squeezed.chars().next_back(), rest.peek().copied());
                let is_mark = |side: Option<char>| side.is_some_and(|it| MARKS.contains(it));
                // `+ +` is not `++`.
                if before != after && (is_mark(before) || is_mark(after)) {
                    continue;
                }
            }
            (None, _) => {}
        }
        squeezed.push(next);
    }
    assert!(text.is_none(), "a text ends in its line: {line}");
    squeezed
}

/// A line of a style without needless spaces.
fn style(line: &str) -> String {
    if line.contains('"') {
        return line.to_owned();
    }
    let mut squeezed = line.to_owned();
    for (spaced, bare) in [
        (": ;", ":  ;"),
        (": ", ":"),
        (", ", ","),
        ("; ", ";"),
        ("{ ", "{"),
        (" {", "{"),
        (" }", "}"),
        (";}", "}"),
    ] {
        squeezed = squeezed.replace(spaced, bare);
    }
    squeezed
}

fn brotli(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressed = Vec::new();
    let mut writer = brotli::CompressorWriter::new(&mut compressed, 4096, 11, 20);
    writer.write_all(content)?;
    // This ends the stream; a flush before it would only add bytes.
    drop(writer);
    Ok(compressed)
}

fn gzip(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    writer.write_all(content)?;
    writer.finish()
}
