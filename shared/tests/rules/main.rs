//! Tests of the rules through [`Position`](fivefold_shared::rules::Position) and
//! [`Board`](fivefold_shared::rules::Board): drawn cases, vectors, properties and slow twins.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod forbidden;
mod outcome;
mod properties;
mod renju_vectors;
mod slow_renju;
mod symmetry;
mod wire;
