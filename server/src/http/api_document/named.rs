//! Types of `fivefold-shared` in schemas of the server. Their own schemas are in
//! `docs/protocol/messages.schema.json`, where they have the same names.

use std::{any::type_name, borrow::Cow, marker::PhantomData};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// Refers to the schema of a type by its name.
pub(crate) struct Named<T>(PhantomData<T>);

impl<T> Named<T> {
    fn name() -> &'static str {
        let path = type_name::<T>();
        path.rsplit_once("::").map_or(path, |(_, name)| name)
    }
}

impl<T> JsonSchema for Named<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Self::name().into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"$ref": format!("#/components/schemas/{}", Self::name())})
    }
}
