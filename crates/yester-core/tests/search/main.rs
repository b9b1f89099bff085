//! What the searches promise, on spaces of all kinds.

mod promise;
mod shape;
mod synthetic;
mod wrapper;
