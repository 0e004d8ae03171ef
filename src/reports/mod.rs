//! Reports as text and as JSON.

pub(crate) mod ccc;
pub(crate) mod run;
