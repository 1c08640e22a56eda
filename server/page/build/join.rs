//! Joins modules of the page into one file, so that a first visit waits for few requests: a browser has
//! six connections to a server that speaks HTTP/1.1.
//!
//! It understands only the forms of imports and exports that the page's modules use, and says which
//! line it does not understand. It knows nothing of what the modules do. The page that is served from
//! a folder is not joined.

use std::collections::{BTreeMap, BTreeSet};

/// The page's modules: text by path.
pub(crate) type Modules = BTreeMap<String, String>;

/// A file to make: its path, which is that of its last module, and modules that it takes besides. It takes
/// what they import, too, unless an earlier file has it.
pub(crate) type JoinedFile = (&'static str, &'static [&'static str]);

/// The modules, some of them joined. The modules of a joined file share its top level, so each name there is in one
/// of them; the file exports only what others take.
pub(crate) fn join(modules: &Modules, files: &[JoinedFile]) -> Result<Modules, String> {
    let mut joins = Joins { modules, file_of: BTreeMap::new(), taken: BTreeMap::new() };
    let mut orders = Vec::new();
    for (file, besides) in files {
        let mut order = Vec::new();
        for root in besides.iter().chain([file]) {
            joins.take(root, file, &mut order, &mut BTreeSet::new())?;
        }
        orders.push(((*file).to_owned(), order));
    }
    let alone = modules.keys().filter(|path| !joins.file_of.contains_key(*path));
    orders.extend(alone.map(|path| (path.clone(), vec![path.clone()])));
    let mut joined = Modules::new();
    for (file, order) in orders {
        let text = joins.file(&file, &order)?;
        joined.insert(file, text);
    }
    for (file, _) in files {
        if let Some(names) = joins.taken.get(*file) {
            let exports = braced("export ", names, ";\n");
            joined.entry((*file).to_owned()).and_modify(|text| text.push_str(&exports));
        }
    }
    Ok(joined)
}

/// One file of a module and all that it imports, also what other files have. For a page that runs no other file: two
/// copies of a module do not share their state.
pub(crate) fn bundle(modules: &Modules, path: &'static str) -> Result<String, String> {
    let mut joins = Joins { modules, file_of: BTreeMap::new(), taken: BTreeMap::new() };
    let mut order = Vec::new();
    joins.take(path, path, &mut order, &mut BTreeSet::new())?;
    joins.file(path, &order)
}

struct Joins<'modules> {
    modules: &'modules Modules,
    /// The joined file that has a module.
    file_of: BTreeMap<String, &'static str>,
    /// The names that other files take from a file.
    taken: BTreeMap<String, BTreeSet<String>>,
}

impl Joins<'_> {
    /// Lists a module after those that it imports.
    fn take(
        &mut self,
        path: &str,
        file: &'static str,
        order: &mut Vec<String>,
        above: &mut BTreeSet<String>,
    ) -> Result<(), String> {
        if self.file_of.contains_key(path) {
            return Ok(());
        }
        if !above.insert(path.to_owned()) {
            return Err(format!("{path} imports itself in a circle"));
        }
        let text = self.modules.get(path).ok_or_else(|| format!("there is no {path}"))?;
        for statement in statements(text) {
            if let Some((_, from)) = import(&statement) {
                self.take(&resolve(path, from), file, order, above)?;
            }
        }
        above.remove(path);
        self.file_of.insert(path.to_owned(), file);
        order.push(path.to_owned());
        Ok(())
    }

    /// A file of one or several modules without its exports, with its imports changed to where the others are now.
    fn file(&mut self, file: &str, order: &[String]) -> Result<String, String> {
        // Names by address, and the modules of the names at the top level.
        let (mut imports, mut owners) = (BTreeMap::<_, BTreeSet<_>>::new(), BTreeMap::new());
        let mut body = String::new();
        for path in order {
            let is_joined = self.file_of.contains_key(path);
            for statement in statements(&self.modules[path]) {
                let refused =
                    |form: &str| format!("{path}: no {form} of this form is joined: {statement}");
                let mut own = |name: String, owner: &str| match owners
                    .insert(name.clone(), owner.to_owned())
                {
                    Some(other) if other != owner => {
                        Err(format!("{other} and {owner} both have {name}"))
                    }
                    _ => Ok(()),
                };
                if let Some((names, from)) = import(&statement) {
                    let target = resolve(path, from);
                    let at = self.file_of.get(&target).copied().unwrap_or(&target);
                    for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                        if is_joined && name.contains(' ') {
                            return Err(refused("import"));
                        }
                        own(name.to_owned(), &target)?;
                        if at != file {
                            let name_there = name.split(' ').next().unwrap_or(name);
                            self.taken
                                .entry(at.to_owned())
                                .or_default()
                                .insert(name_there.to_owned());
                            imports.entry(relative(file, at)).or_default().insert(name.to_owned());
                        }
                    }
                    continue;
                }
                if statement.starts_with("import ") {
                    return Err(refused("import"));
                }
                let mut text = self.dynamic(&statement, path, file)?;
                if is_joined {
                    let declaration = text.trim_start_matches("export ");
                    match declared(declaration) {
                        Some(name) => own(name, path)?,
                        None if declaration.len() < text.len() => return Err(refused("export")),
                        None => {}
                    }
                    text = located(declaration, path, file)?;
                }
                body += &text;
                body.push('\n');
            }
        }
        let imports = imports
            .iter()
            .map(|(from, names)| braced("import ", names, &format!(" from '{from}';\n")));
        Ok(imports.collect::<String>() + &body)
    }

    /// A line with its imports of a joined module changed to the file that has it.
    fn dynamic(&mut self, line: &str, path: &str, file: &str) -> Result<String, String> {
        const START: &str = "import('";
        let mut changed = String::new();
        let mut rest = line;
        while let Some((before, from)) = rest.split_once(START) {
            let (from, after) =
                from.split_once("')").ok_or_else(|| format!("{path}: an import ends nowhere"))?;
            let target = resolve(path, from);
            let at = self.file_of.get(&target).copied().unwrap_or(&target);
            changed += before;
            changed += &if at == file {
                braced("Promise.resolve(", &self.exports(&target), ")")
            } else {
                let exports = self.exports(&target);
                self.taken.entry(at.to_owned()).or_default().extend(exports);
                format!("import('{}')", relative(file, at))
            };
            rest = after;
        }
        Ok(changed + rest)
    }

    /// The names that a module exports.
    fn exports(&self, path: &str) -> BTreeSet<String> {
        let lines = self.modules.get(path).into_iter().flat_map(|text| text.lines());
        lines.filter_map(|line| declared(line.strip_prefix("export ")?)).collect()
    }
}

/// The list of an import or export.
fn braced(before: &str, names: &BTreeSet<String>, after: &str) -> String {
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    format!("{before}{{ {} }}{after}", names.join(", "))
}

/// A line with addresses beside the module changed to addresses beside its file.
fn located(line: &str, path: &str, file: &str) -> Result<String, String> {
    const START: &str = "import(`";
    if folder(path) == folder(file) {
        return Ok(line.to_owned());
    }
    let mut located = String::new();
    let mut rest = line;
    while let Some((before, address)) = rest.split_once(START) {
        let name = address.trim_start_matches(['.', '/']);
        let up = &address[..address.len() - name.len()];
        if !up.ends_with('/') {
            return Err(format!("{path}: no import of this form is joined: {line}"));
        }
        located += before;
        located += START;
        located += &relative(file, &resolve(path, up));
        rest = name;
    }
    located += rest;
    let own = format!("new URL('{}', import.meta.url)", relative(file, path));
    Ok(located.replace("import.meta.url", &own))
}

/// The lines of a module; those of an import in several lines are one.
fn statements(text: &str) -> Vec<String> {
    let mut statements = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let mut statement = line.to_owned();
        while statement.starts_with("import {") && !statement.contains('}') {
            let Some(next) = lines.next() else { break };
            statement.push_str(next);
        }
        statements.push(statement);
    }
    statements
}

/// The names that a statement imports, and from where.
fn import(statement: &str) -> Option<(&str, &str)> {
    let (names, from) = statement.strip_prefix("import {")?.split_once("} from '")?;
    Some((names, from.strip_suffix("';")?))
}

/// The name that a line declares at the top level.
fn declared(declaration: &str) -> Option<String> {
    let rest = ["function ", "async function ", "class ", "const ", "let "]
        .iter()
        .find_map(|kind| declaration.strip_prefix(kind))?;
    let end = rest.find(|sign: char| !sign.is_ascii_alphanumeric() && !"_$".contains(sign))?;
    (end > 0).then(|| rest[..end].to_owned())
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The path that a module means by a relative address.
fn resolve(path: &str, address: &str) -> String {
    let mut parts: Vec<_> = folder(path).split('/').filter(|part| !part.is_empty()).collect();
    for part in address.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The address of a path beside a file.
fn relative(file: &str, path: &str) -> String {
    let within = folder(file);
    if within.is_empty() {
        return format!("./{path}");
    }
    match path.strip_prefix(within).and_then(|rest| rest.strip_prefix('/')) {
        Some(rest) => format!("./{rest}"),
        None => format!("{}{path}", "../".repeat(within.split('/').count())),
    }
}
