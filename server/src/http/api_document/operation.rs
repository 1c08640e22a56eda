//! What the API's document says of one method of one path. Handlers' modules build these beside the handlers,
//! for the test that writes the document.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::StatusCode;
use fivefold_shared::protocol::Reason;
use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde_json::Value;
use utoipa::openapi::{
    Content, ContentBuilder, HttpMethod, Ref, RefOr, Required, Response, ResponseBuilder,
    header::HeaderBuilder,
    path::{self, OperationBuilder, ParameterBuilder, ParameterIn},
    request_body::RequestBodyBuilder,
    schema::{self, ObjectBuilder, Type},
    security::SecurityRequirement,
};

use crate::http::refusals::refused;

/// What a caller needs to show.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::http) enum Key {
    /// Nothing.
    Nothing,
    /// The cookie of an account.
    Account,
    /// The cookie of an account, or the identity of a guest.
    Member,
    /// The identity of a guest.
    Guest,
    /// The cookie of an account, or a token with this scope.
    Token(&'static str),
    /// Nothing; the answer to a cookie or a token with this scope may have more.
    Maybe(&'static str),
    /// Nothing; the answer to a cookie, a token with this scope or the identity of a guest may have more.
    MaybeAnybody(&'static str),
}

/// Which guards of the router a path is behind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Guard {
    /// None.
    Open,
    /// Each request costs some of the allowance of its address, and its body is limited.
    Questions,
    /// Also refuses what pages of other sites want to change.
    Accounts,
}

/// Finds or makes the schema of a type.
type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// One answer that is not a refusal, or that has a status of its own.
struct Answer {
    status: u16,
    /// Its type and, if it is JSON, its schema.
    content: Option<(&'static str, Option<SchemaOf>)>,
}

/// One method of one path.
pub(in crate::http) struct Operation {
    pub(super) method: HttpMethod,
    pub(super) path: &'static str,
    /// The path as the router has it.
    pub(super) route: &'static str,
    summary: &'static str,
    details: Option<&'static str>,
    key: Key,
    places: Vec<(&'static str, SchemaOf)>,
    query: Option<SchemaOf>,
    body: Option<SchemaOf>,
    answers: Vec<Answer>,
    reasons: Vec<Reason>,
}

impl Operation {
    fn new(method: HttpMethod, path: &'static str, summary: &'static str) -> Self {
        Self {
            method,
            path,
            route: path,
            summary,
            details: None,
            key: Key::Nothing,
            places: Vec::new(),
            query: None,
            body: None,
            answers: Vec::new(),
            reasons: Vec::new(),
        }
    }

    pub(in crate::http) fn get(path: &'static str, summary: &'static str) -> Self {
        Self::new(HttpMethod::Get, path, summary)
    }

    pub(in crate::http) fn post(path: &'static str, summary: &'static str) -> Self {
        Self::new(HttpMethod::Post, path, summary)
    }

    pub(in crate::http) fn put(path: &'static str, summary: &'static str) -> Self {
        Self::new(HttpMethod::Put, path, summary)
    }

    pub(in crate::http) fn delete(path: &'static str, summary: &'static str) -> Self {
        Self::new(HttpMethod::Delete, path, summary)
    }

    /// The router has the path in this form.
    pub(in crate::http) fn routed(self, route: &'static str) -> Self {
        Self { route, ..self }
    }

    /// More sentences about it.
    pub(in crate::http) fn details(self, details: &'static str) -> Self {
        Self { details: Some(details), ..self }
    }

    /// What the caller needs to show.
    pub(in crate::http) fn by(self, key: Key) -> Self {
        Self { key, ..self }
    }

    /// The type of a part of the path. A part of another form is refused in plain text.
    pub(in crate::http) fn at<T: JsonSchema>(mut self, name: &'static str) -> Self {
        self.places.push((name, schema_of::<T>));
        self
    }

    /// The parameters behind `?`.
    pub(in crate::http) fn query<T: JsonSchema>(self) -> Self {
        Self { query: Some(T::json_schema), ..self }
    }

    /// The body, which is JSON.
    pub(in crate::http) fn takes<T: JsonSchema>(self) -> Self {
        Self { body: Some(schema_of::<T>), ..self }
    }

    /// Answers with JSON.
    pub(in crate::http) fn answers<T: JsonSchema>(self, status: u16) -> Self {
        self.lines::<T>(status, "application/json")
    }

    /// Answers with JSON of this media type.
    pub(in crate::http) fn lines<T: JsonSchema>(
        mut self,
        status: u16,
        media: &'static str,
    ) -> Self {
        let content = Some((media, Some(schema_of::<T> as SchemaOf)));
        self.answers.push(Answer { status, content });
        self
    }

    /// Answers with a file or a text of this media type.
    pub(in crate::http) fn file(mut self, status: u16, media: &'static str) -> Self {
        self.answers.push(Answer { status, content: Some((media, None)) });
        self
    }

    /// Answers without a body.
    pub(in crate::http) fn empty(mut self, status: u16) -> Self {
        self.answers.push(Answer { status, content: None });
        self
    }

    /// May be refused for these reasons, besides those that follow from the rest.
    pub(in crate::http) fn refuses<const N: usize>(mut self, reasons: [Reason; N]) -> Self {
        self.reasons.extend(reasons);
        self
    }

    /// For operators and the page that comes with the server.
    pub(in crate::http) fn for_operators(self) -> Self {
        self.by(Key::Account)
            .details("For operators and their page. It may change between versions.")
            .refuses([Reason::OperatorsOnly])
    }

    /// Its id, such as `post_account_name`.
    pub(super) fn id(&self) -> String {
        let method = self.method_name().to_lowercase();
        let words = self.path.trim_start_matches("/api").split(['/', '.', '-']);
        let words = words.filter(|word| !word.is_empty()).map(|word| {
            word.strip_prefix('{')
                .map_or(word.to_owned(), |name| format!("by_{}", name.trim_end_matches('}')))
        });
        std::iter::once(method).chain(words).collect::<Vec<_>>().join("_")
    }

    /// `GET` and so on.
    pub(super) fn method_name(&self) -> &'static str {
        match self.method {
            HttpMethod::Get => "GET",
            HttpMethod::Post => "POST",
            HttpMethod::Put => "PUT",
            HttpMethod::Delete => "DELETE",
            _ => unreachable!("no path takes another method"),
        }
    }

    /// The operation as OpenAPI has it. Its schemas and refusals go into the components.
    pub(super) fn write(
        &self,
        tag: &'static str,
        guard: Guard,
        components: &mut Components,
    ) -> path::Operation {
        let mut written = OperationBuilder::new()
            .operation_id(Some(self.id()))
            .tag(tag)
            .summary(Some(self.summary))
            .description(self.details);
        for parameter in self.parameters(components) {
            written = written.parameter(parameter);
        }
        if let Some(body) = self.body {
            let content = components.taken(body);
            let body = RequestBodyBuilder::new().required(Some(Required::True));
            written = written.request_body(Some(
                body.content("application/json", Content::new(Some(content))).build(),
            ));
        }
        for (status, answer) in self.responses(components) {
            written = written.response(status.to_string(), answer);
        }
        for (status, refusals) in self.refusals(guard) {
            written = written.response(status.to_string(), components.refusal(status, refusals));
        }
        for requirement in self.security() {
            written = written.security(requirement);
        }
        written.build()
    }

    fn parameters(&self, components: &mut Components) -> Vec<path::Parameter> {
        let mut parameters = Vec::new();
        for part in self.path.split('{').skip(1) {
            let (name, _) = part.split_once('}').expect("a parameter ends");
            let typed = self.places.iter().find(|(place, _)| *place == name);
            let schema = match typed {
                Some((_, schema)) => components.taken(*schema),
                None => ObjectBuilder::new().schema_type(Type::String).into(),
            };
            let parameter = ParameterBuilder::new().name(name).parameter_in(ParameterIn::Path);
            parameters.push(parameter.required(Required::True).schema(Some(schema)).build());
        }
        if let Some(query) = self.query {
            let query = query(&mut components.taken).to_value();
            let required = query["required"].as_array().cloned().unwrap_or_default();
            let none = serde_json::Map::new();
            for (name, schema) in query["properties"].as_object().unwrap_or(&none) {
                let is_required = required.iter().any(|needed| needed == name);
                let mut schema = schema.clone();
                let description = schema.as_object_mut().and_then(|it| it.remove("description"));
                let description = description.and_then(|text| text.as_str().map(str::to_owned));
                let required = if is_required { Required::True } else { Required::False };
                let parameter = ParameterBuilder::new()
                    .name(name)
                    .parameter_in(ParameterIn::Query)
                    .required(required)
                    .description(description)
                    .schema(Some(as_openapi(never_null(schema))));
                parameters.push(parameter.build());
            }
        }
        parameters
    }

    /// The answers that do not follow from reasons, by status.
    fn responses(&self, components: &mut Components) -> Vec<(u16, Response)> {
        let mut by_status: BTreeMap<u16, ResponseBuilder> = BTreeMap::new();
        for Answer { status, content } in &self.answers {
            let response = by_status
                .remove(status)
                .unwrap_or_else(|| ResponseBuilder::new().description(description(*status)));
            let response = match content {
                None => response,
                Some((media, None)) => response.content(*media, ContentBuilder::new().build()),
                Some((media, Some(schema))) => {
                    response.content(*media, Content::new(Some(components.sent(*schema))))
                }
            };
            by_status.insert(*status, response);
        }
        by_status.into_iter().map(|(status, response)| (status, response.build())).collect()
    }

    /// The refusals, by status: those of the handler, and those of what stands before it.
    fn refusals(&self, guard: Guard) -> BTreeMap<u16, Refusals> {
        let mut all: BTreeMap<u16, Refusals> = BTreeMap::new();
        let mut add = |status: u16, reason: Reason| {
            all.entry(status).or_default().reasons.insert(code(reason));
        };
        let mut reasons = self.reasons.clone();
        if guard != Guard::Open {
            add(StatusCode::REQUEST_TIMEOUT.as_u16(), Reason::TooSlow);
            reasons.extend([Reason::TooFast, Reason::Busy, Reason::Broken]);
        }
        if guard == Guard::Accounts {
            reasons.push(Reason::Unavailable);
            if self.method != HttpMethod::Get {
                reasons.push(Reason::ForeignPage);
            }
        }
        if self.body.is_some() {
            for status in [400, 415, 422] {
                add(status, Reason::Malformed);
            }
            add(StatusCode::PAYLOAD_TOO_LARGE.as_u16(), Reason::TooLong);
        }
        if self.query.is_some() {
            reasons.push(Reason::Malformed);
        }
        let signed_out = [Reason::SignedOut, Reason::TwoIdentities];
        match self.key {
            Key::Nothing | Key::Maybe(_) => {}
            Key::Account => reasons.extend(signed_out.into_iter().chain([Reason::TokenScope])),
            Key::Member => reasons.extend(signed_out.into_iter().chain([
                Reason::TokenScope,
                Reason::IdentityReplaced,
                Reason::Malformed,
            ])),
            Key::Guest => reasons.extend(
                signed_out.into_iter().chain([Reason::IdentityReplaced, Reason::Malformed]),
            ),
            Key::Token(_) => reasons
                .extend(signed_out.into_iter().chain([Reason::TokenScope, Reason::WrongToken])),
            Key::MaybeAnybody(_) => reasons.extend(signed_out.into_iter().chain([
                Reason::TokenScope,
                Reason::WrongToken,
                Reason::IdentityReplaced,
            ])),
        }
        for reason in reasons {
            add(refused(reason).0.as_u16(), reason);
        }
        if !self.places.is_empty() {
            all.entry(StatusCode::BAD_REQUEST.as_u16()).or_default().has_plain = true;
        }
        all
    }

    /// Any one of these is enough.
    fn security(&self) -> Vec<SecurityRequirement> {
        let no_scope: [&str; 0] = [];
        let nothing = SecurityRequirement::default();
        let session = SecurityRequirement::new("session", no_scope);
        let identity = SecurityRequirement::new("identity", no_scope);
        let token = |scope: &str| SecurityRequirement::new("token", [scope]);
        match self.key {
            Key::Nothing => Vec::new(),
            Key::Account => vec![session],
            Key::Member => vec![session, identity],
            Key::Guest => vec![identity],
            Key::Token(scope) => vec![session, token(scope)],
            Key::Maybe(scope) => vec![nothing, session, token(scope)],
            Key::MaybeAnybody(scope) => vec![nothing, session, token(scope), identity],
        }
    }
}

/// The refusals of one status.
#[derive(Default)]
pub(super) struct Refusals {
    reasons: BTreeSet<String>,
    /// Whether there may be plain text instead.
    has_plain: bool,
}

/// The code of a reason on the wire.
fn code(reason: Reason) -> String {
    let code = serde_json::to_value(reason).expect("a reason is a word");
    code.as_str().expect("a reason is a word").to_owned()
}

/// What all operations refer to.
pub(super) struct Components {
    pub(super) taken: SchemaGenerator,
    pub(super) sent: SchemaGenerator,
    pub(super) refusals: BTreeMap<String, Response>,
}

impl Components {
    pub(super) fn new() -> Self {
        let settings = || {
            SchemaSettings::draft2020_12()
                .with(|it| it.definitions_path = "/components/schemas".into())
        };
        Self {
            taken: settings().for_deserialize().into_generator(),
            sent: settings().for_serialize().into_generator(),
            refusals: BTreeMap::new(),
        }
    }

    fn taken(&mut self, schema: SchemaOf) -> RefOr<schema::Schema> {
        as_openapi(schema(&mut self.taken).to_value())
    }

    fn sent(&mut self, schema: SchemaOf) -> RefOr<schema::Schema> {
        as_openapi(schema(&mut self.sent).to_value())
    }

    /// One response for all operations that are refused with this status for the same reasons.
    fn refusal(
        &mut self,
        status: u16,
        Refusals { reasons, has_plain }: Refusals,
    ) -> RefOr<Response> {
        let mut name = status.to_string();
        for reason in &reasons {
            name = format!("{name}-{reason}");
        }
        let codes = reasons.iter().map(|code| format!("`{code}`")).collect::<Vec<_>>().join(", ");
        let mut response = ResponseBuilder::new();
        let mut texts = Vec::new();
        if !reasons.is_empty() {
            texts.push(format!("Refused: {codes}."));
            let refusal = Ref::from_schema_name("Refusal");
            response = response.content("application/json", Content::new(Some(refusal)));
        }
        if has_plain {
            name += "-path";
            texts.push("The path is of another form: a sentence in plain text.".to_owned());
            response = response.content("text/plain", ContentBuilder::new().build());
        }
        if matches!(status, 429 | 503) {
            let seconds = HeaderBuilder::new()
                .schema(ObjectBuilder::new().schema_type(Type::Integer).build())
                .description(Some("After how many seconds to try again, if that is known."));
            response = response.header("Retry-After", seconds.build());
        }
        let reference = RefOr::Ref(Ref::from_response_name(&name));
        self.refusals.insert(name, response.description(texts.join(" ")).build());
        reference
    }
}

/// A schema in the form of `utoipa`, which knows references and what parameters have.
fn as_openapi(schema: Value) -> RefOr<schema::Schema> {
    serde_json::from_value(schema).expect("a schema of a parameter or a reference")
}

/// A parameter is absent, never null.
fn never_null(mut schema: Value) -> Value {
    if let Some(other) = schema["anyOf"].as_array().and_then(|some| some.first()).cloned() {
        return other;
    }
    if let Some(Value::Array(types)) = schema.get_mut("type")
        && let Some(first) = types.first().cloned()
    {
        schema["type"] = first;
    }
    schema
}

fn description(status: u16) -> &'static str {
    match status {
        200 => "The answer.",
        201 => "Made.",
        202 => "Not yet: ask again.",
        204 => "Done.",
        304 => "Not changed since the answer whose tag the caller has named.",
        404 => "There is none.",
        414 => "The address is too long.",
        501 => "The server cannot do this.",
        503 => "Not now.",
        other => unreachable!("nothing answers {other}"),
    }
}
