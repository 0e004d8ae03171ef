//! Golden rewrites, ptxas acceptance, differential runs and properties.
//!
//! What the tests of the whole workspace share: programs with their expected output ([`golden`]), random kernels
//! ([`generate`]), differential runs of them ([`differential`]), random kernels whose threads wait for each other
//! ([`synchronise`]), or whose lanes rely on lockstep ([`lockstep`]), random graphs of calls ([`call_graphs`]), random CUDA sources ([`random_sources`]), the files of the workspace ([`workspace_sources`]), PTX that was saved beside CUDA sources ([`saved`]), races that a rewrite adds ([`races`]), mutated texts ([`mutations`]), launches with known
//! results ([`cases`]), kernels of the kinds that samples show ([`samples`]), and independent models of what the PTX ISA says ([`reference`](mod@reference)).

pub mod call_graphs;
pub mod cases;
pub mod differential;
pub mod generate;
pub mod golden;
pub mod lockstep;
pub mod mutations;
pub mod progress;
pub mod races;
pub mod random_sources;
pub mod reference;
pub mod samples;
pub mod saved;
pub mod synchronise;
pub mod translated;
pub mod translated_forms;
pub mod workspace_sources;
