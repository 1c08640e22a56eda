//! Joins modules of the page into one file, so that a first visit waits for few requests: a browser has
//! six connections to a server that speaks HTTP/1.1.
//!
//! It understands only the forms of imports and exports that the page's modules use, and says which
//! line it does not understand. It knows nothing of what the modules do. The page that is served from
//! a folder is not joined.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

/// The page's modules: text by path.
pub(crate) type Modules = BTreeMap<String, String>;

/// A file to make: its path, which is that of its last module, and modules that it takes besides. It takes
/// what they import, too, unless an earlier file has it.
pub(crate) type JoinedFile = (&'static str, &'static [&'static str]);

/// The modules, some of them joined. In a joined file, each module is a function that returns what it
/// exports, and those who import it take it from there; the file exports only what others take.
pub(crate) fn join(modules: &Modules, files: &[JoinedFile]) -> Result<Modules, String> {
    let mut joins = Joins { modules, file_of: BTreeMap::new() };
    let mut orders = Vec::new();
    for (file, besides) in files {
        let mut order = Vec::new();
        for root in besides.iter().chain([file]) {
            joins.take(root, file, &mut order, &mut BTreeSet::new())?;
        }
        orders.push((*file, order));
    }
    let mut joined = Modules::new();
    for (file, order) in &orders {
        joined.insert((*file).to_owned(), joins.file(file, order)?);
    }
    for path in modules.keys().filter(|path| !joins.file_of.contains_key(*path)) {
        let module = joins.rewrite(path, path)?;
        joined.insert(path.clone(), module.imports + &module.body);
    }
    for (file, order) in &orders {
        let is_taken = |name: &String| {
            let ways = [format!("import {{ {name} }} from"), format!("it.{name})")];
            joined.values().any(|text| ways.iter().any(|way| text.contains(way)))
        };
        let names: Vec<_> = order.iter().map(|path| joins.name(path)).filter(is_taken).collect();
        let exports = format!("export {{ {} }};\n", names.join(", "));
        joined.entry((*file).to_owned()).and_modify(|text| text.push_str(&exports));
    }
    Ok(joined)
}

struct Joins<'modules> {
    modules: &'modules Modules,
    /// The joined file that has a module.
    file_of: BTreeMap<String, &'static str>,
}

/// A module as it is in its file.
#[derive(Default)]
struct Rewritten {
    /// Imports from other files; in a joined file they stand before all modules.
    imports: String,
    body: String,
    exports: Vec<String>,
    waits: bool,
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

    /// A joined file without its exports.
    fn file(&self, file: &str, order: &[String]) -> Result<String, String> {
        let mut bodies = String::new();
        let mut imports = BTreeSet::new();
        for path in order {
            let module = self.rewrite(path, file)?;
            imports.extend(module.imports.lines().map(str::to_owned));
            let open = if module.waits { "await (async () => {" } else { "(() => {" };
            let (name, exports) = (self.name(path), module.exports.join(", "));
            writeln!(
                bodies,
                "const {name} = {open}\n{}return {{ {exports} }};\n}})();",
                module.body
            )
            .map_err(|error| error.to_string())?;
        }
        let imports: String = imports.into_iter().map(|line| line + "\n").collect();
        Ok(imports + &bodies)
    }

    /// A module for a file, with its imports changed to where the others are now.
    fn rewrite(&self, path: &str, file: &str) -> Result<Rewritten, String> {
        let is_joined = self.file_of.contains_key(path);
        let mut module = Rewritten::default();
        for statement in statements(&self.modules[path]) {
            if let Some((names, from)) = import(&statement) {
                let target = resolve(path, from);
                let Some(at) = self.file_of.get(&target) else {
                    module.imports += &format!("{statement}\n");
                    continue;
                };
                let variable = self.name(&target);
                if at != &file {
                    let from = relative(file, at);
                    module.imports += &format!("import {{ {variable} }} from '{from}';\n");
                }
                let names = names.replace(" as ", ": ");
                module.body += &format!("const {{{names}}} = {variable};\n");
                continue;
            }
            if statement.starts_with("import ") {
                return Err(format!("{path}: no import of this form is joined: {statement}"));
            }
            let mut text = self.dynamic(&statement, path, file)?;
            if is_joined {
                if let Some(rest) = text.strip_prefix("export ") {
                    module.exports.push(exported(rest).ok_or_else(|| {
                        format!("{path}: no export of this form is joined: {statement}")
                    })?);
                    text = rest.to_owned();
                }
                module.waits |= !text.starts_with([' ', '/', '*']) && text.contains("await ");
                text = located(&text, path, file)?;
            }
            module.body += &text;
            module.body.push('\n');
        }
        Ok(module)
    }

    /// The variable of a module in its joined file: its number among all modules, because paths would be a
    /// part of each visit.
    fn name(&self, path: &str) -> String {
        format!("${:x}", self.modules.keys().take_while(|key| key.as_str() < path).count())
    }

    /// A line with its imports of a joined module changed to the file that has it.
    fn dynamic(&self, line: &str, path: &str, file: &str) -> Result<String, String> {
        const START: &str = "import('";
        let mut changed = String::new();
        let mut rest = line;
        while let Some((before, from)) = rest.split_once(START) {
            let (from, after) =
                from.split_once("')").ok_or_else(|| format!("{path}: an import ends nowhere"))?;
            let target = resolve(path, from);
            let variable = self.name(&target);
            changed += before;
            changed += &match self.file_of.get(&target) {
                Some(at) if at == &file => format!("Promise.resolve({variable})"),
                Some(at) => format!("import('{}').then((it) => it.{variable})", relative(file, at)),
                None => format!("import('{}')", relative(file, &target)),
            };
            rest = after;
        }
        Ok(changed + rest)
    }
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

/// The name that a declaration exports.
fn exported(declaration: &str) -> Option<String> {
    let rest = ["function ", "async function ", "class ", "const "]
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
