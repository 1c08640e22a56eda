//! Joining modules of the page, as the build script does: what the files say, and what it refuses.

#[path = "../../build/join.rs"]
mod join;

use join::{Modules, bundle, join};

const FILES: [join::JoinedFile; 2] = [("main.js", &["home.js"]), ("room/room.js", &[])];

fn modules(texts: &[(&str, &str)]) -> Modules {
    texts.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

/// Modules that are joined, and one that is not.
const PAGE: [(&str, &str); 6] = [
    ("dom.js", "export function el() {}\nexport const FILLS = 1;\nconst own = 2;"),
    ("home.js", "import { el } from './dom.js';\nexport const home = () => el();"),
    (
        "main.js",
        "import {\n  el, FILLS,\n} from './dom.js';\nvoid import('./home.js');\nvoid import('./room/room.js');\nvoid import('./late.js');",
    ),
    (
        "room/texts.js",
        "export const t = await fetch(new URL('t', import.meta.url));\nexport class Text {}",
    ),
    (
        "room/room.js",
        "import { el } from '../dom.js';\nimport { t } from './texts.js';\nexport async function room() {\n  await el(t);\n}",
    ),
    (
        "late.js",
        "import { el as make } from './dom.js';\nimport { t } from './room/texts.js';\nexport const late = make(t);",
    ),
];

#[test]
fn each_module_is_in_one_file_and_everybody_takes_it_from_there() {
    let joined = join(&modules(&PAGE), &FILES).expect("they can be joined");
    let cases = [
        (
            "main.js",
            "function el() {}\nconst FILLS = 1;\nconst own = 2;\n\
             const home = () => el();\n\
             void Promise.resolve({ home });\nvoid import('./room/room.js');\n\
             void import('./late.js');\nexport { el };\n",
        ),
        (
            "room/room.js",
            "import { el } from '../main.js';\n\
             const t = await fetch(new URL('t', import.meta.url));\nclass Text {}\n\
             async function room() {\n  await el(t);\n}\nexport { room, t };\n",
        ),
        (
            "late.js",
            "import { el as make } from './main.js';\nimport { t } from './room/room.js';\n\
             export const late = make(t);\n",
        ),
    ];
    for (path, text) in cases {
        assert_eq!(joined[path], text, "{path}");
    }
    assert_eq!(joined.len(), cases.len());
}

#[test]
fn a_bundle_has_all_that_it_imports() {
    let text = bundle(&modules(&PAGE), "room/room.js").expect("it can be joined");
    let wanted = "function el() {}\nconst FILLS = 1;\nconst own = 2;\n\
                  const t = await fetch(new URL('t', import.meta.url));\nclass Text {}\n\
                  async function room() {\n  await el(t);\n}\n";
    assert_eq!(text, wanted);
    let error = bundle(&modules(&PAGE), "room/none.js").expect_err("there is no such module");
    assert!(error.contains("room/none.js"), "{error}");
}

#[test]
fn addresses_beside_a_module_stay_where_they_are() {
    let page = [
        ("main.js", "import { SET } from './puzzles/set.js';"),
        ("puzzles/set.js", "export const SET = new URL('set.txt', import.meta.url);"),
    ];
    let joined = join(&modules(&page), &[("main.js", &[])]).expect("they can be joined");
    let moved = "new URL('set.txt', new URL('./puzzles/set.js', import.meta.url))";
    assert!(joined["main.js"].contains(moved), "{}", joined["main.js"]);

    let cases = [
        // the file, a name that it imports, what the file says
        ("main.js", "./${code}.js", "import(`./language/${code}.js`)"),
        ("main.js", "../${folder}/${code}.js", "import(`./${folder}/${code}.js`)"),
        ("room/room.js", "./${code}.js", "import(`../language/${code}.js`)"),
        ("room/room.js", "../${folder}/en.js", "import(`../${folder}/en.js`)"),
        ("room/room.js", "../room/${part}.js", "import(`../room/${part}.js`)"),
        ("language/all.js", "./${code}.js", "import(`./${code}.js`)"),
    ];
    for (file, name, says) in cases {
        let text = format!("export const load = (code) => import(`{name}`);");
        let imports = format!("import {{ load }} from '{}language/texts.js';", up(file));
        let page = [(file, imports.as_str()), ("language/texts.js", &text)];
        let joined = join(&modules(&page), &[(file, &[])]).expect("they can be joined");
        assert!(joined[file].contains(says), "{file} {name}: {}", joined[file]);
    }
}

fn up(file: &str) -> &str {
    if file.contains('/') { "../" } else { "./" }
}

#[test]
fn what_cannot_be_joined_is_named() {
    let cases = [
        // main.js, another module, the error
        ("import { a } from './a.js';", "import { b } from './main.js';", "imports itself"),
        ("import { a } from './b.js';", "", "there is no b.js"),
        ("import a from './a.js';", "", "main.js: no import of this form is joined"),
        ("import './a.js';", "", "main.js: no import of this form is joined"),
        ("import { a } from './a.js';", "export default 1;", "a.js: no export of this form"),
        ("import { a } from './a.js';", "export { a };", "a.js: no export of this form"),
        ("import { a } from './a.js';", "export const { a } = 1;", "a.js: no export of this form"),
        ("import { a as b } from './a.js';", "", "main.js: no import of this form is joined"),
        ("import { a } from './a.js';\nlet b;", "const b = 1;", "a.js and main.js both have b"),
        ("void import('./a.js", "", "main.js: an import ends nowhere"),
        ("import { b } from './b/b.js';", "", "b/b.js: no import of this form is joined"),
    ];
    for (main, other, says) in cases {
        let mut page = modules(&[("main.js", main), ("a.js", other)]);
        if main.contains("b/b.js") {
            page.insert("b/b.js".to_owned(), "const b = () => import(`${c}.js`);".to_owned());
        }
        let error = join(&page, &[("main.js", &[])]).expect_err(main);
        assert!(error.contains(says), "{main}: {error}");
    }
}
