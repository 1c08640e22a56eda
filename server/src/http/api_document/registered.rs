//! The paths and methods that the server really has. A router does not list them, but its `Debug` output
//! does.

use std::{collections::BTreeSet, sync::Arc};

use axum::Router;

use crate::shared_state::Server;

/// Method and path of each route. The method is `ANY` if the route takes every one.
pub(super) fn registered(router: &Router<Arc<Server>>) -> BTreeSet<(String, String)> {
    let text = format!("{router:?}");
    let (routes, rest) = text.split_once("node: Node").expect("a router shows its paths");
    let (paths, _) =
        rest.split_once("fallback_router").expect("the paths come before the fallback");
    let mut found = BTreeSet::new();
    for entry in paths.split("RouteId(").skip(1) {
        let (id, path) = entry.split_once("): \"").expect("an id and its path");
        let (path, _) = path.split_once('"').expect("a path in quotes");
        let (_, route) = routes
            .split_once(&format!("RouteId({id}): "))
            .unwrap_or_else(|| panic!("{path} has no route"));
        let (_, allowed) = route.split_once("allow_header: ").expect("a route shows its methods");
        let methods = match allowed.split_once("\")") {
            Some((methods, _)) if allowed.starts_with("Bytes(b\"") => &methods["Bytes(b\"".len()..],
            _ => "ANY",
        };
        // `HEAD` comes with `GET`.
        for method in methods.split(',').filter(|method| *method != "HEAD") {
            found.insert((method.to_owned(), path.to_owned()));
        }
    }
    found
}
