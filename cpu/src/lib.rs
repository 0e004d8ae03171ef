//! Translates PTX kernels to C (Guo, Zhang and Shen, "Correctly Treating Synchronizations in Compiling Fine-Grained SPMD-Threaded Programs for CPU", PACT 2011).
//!
//! A kernel becomes a function that runs a block. Its threads are iterations of loops, and those loops are cut where threads meet: at barriers, and at the operations
//! that lanes of a warp execute together.

mod emit;
mod refusal;

pub use refusal::Refusal;
