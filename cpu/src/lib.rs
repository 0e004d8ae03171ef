//! Translates PTX kernels to C (Guo, Zhang and Shen, "Correctly Treating Synchronizations in Compiling Fine-Grained SPMD-Threaded Programs for CPU", PACT 2011).
//!
//! A kernel becomes a function that runs a block. Its threads are iterations of loops, and those loops are cut where threads meet (`cuts`): at barriers, at the
//! operations that lanes of a warp execute together, where a loop may wait for another thread, and where lanes depend on executing in lockstep (`implicit`). Between two
//! cuts lies a segment (`emit/segment.rs`). If threads meet at barriers of the whole block alone, but for lanes of a warp, a block is run row by row: lanes execute each piece
//! of code as a loop that the compiler vectorises (`emit/rows/`), and what is the same for all of them is a scalar (`forms`). Otherwise lanes of warps take turns
//! (`emit/turns.rs`), also in functions whose calls stay (`emit/stacked.rs`). What an instruction computes is the text of one file for each group
//! (`emit/instruction.rs`), with functions of the runtime (`runtime/*.h`), which stand at the head of every translation.
//!
//! [`translate`] makes the C text, [`Build`] compiles it or takes it from the [`Cache`], and [`Object`] loads and launches it.

mod build;
mod cache;
mod compile;
mod cuts;
mod emit;
mod error;
mod explain;
#[cfg(test)]
mod fakes;
mod forms;
mod implicit;
mod loaded;
mod possible;
mod refusal;
mod sequence;

use ptx_parser::{Kernel, Module};

pub use build::{Build, Built};
pub use cache::{Cache, Key};
pub use compile::Compiler;
pub use error::Error;
pub use explain::{Cut, Dependence, Siblings, Synchronisation};
pub use loaded::{Ending, Launch, Object, Sink, Spot};
pub use possible::translate_possible;
pub use refusal::Refusal;

/// How implicit synchronisation is treated (Guo et al., Sections II, VI-A and VI-B).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sync {
    /// Loops over threads between barriers. Lanes of a warp are not in lockstep.
    Basic,
    /// Lanes of a warp meet in front of every access to memory that they share.
    Merging,
    /// Lanes of a warp meet where a dependence between them would not be preserved.
    #[default]
    Splitting,
}

impl Sync {
    /// All of them.
    pub const ALL: &'static [Sync] = &[Sync::Basic, Sync::Merging, Sync::Splitting];

    /// Returns its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Sync::Basic => "basic",
            Sync::Merging => "merging",
            Sync::Splitting => "splitting",
        }
    }

    /// Says in one line what it is.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Sync::Basic => {
                "Thread loops end at barriers only; code that relies on lanes in lockstep gives other results"
            }
            Sync::Merging => "Lanes of a warp meet at every access to memory that they share",
            Sync::Splitting => "Lanes of a warp meet where they depend on each other",
        }
    }
}

/// How kernels are translated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The treatment of implicit synchronisation.
    pub sync: Sync,
}

/// A translated kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Its name in the PTX.
    pub name: String,
    /// Its name in C: the function that launches it is this with `_launch_packed` behind it.
    pub symbol: String,
    /// The bytes of its parameters, which are laid out as in PTX.
    pub param_bytes: u64,
}

/// The C text of kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation {
    /// The file, which needs no other.
    pub source: String,
    /// The header that declares what it offers.
    pub header: String,
    /// The kernels, in the order of the PTX.
    pub kernels: Vec<Interface>,
    /// What was assumed, and what may differ from a GPU: a sentence for each.
    pub notes: Vec<String>,
    /// What is known of the lanes of warps, for each kernel in the order of the PTX.
    pub synchronisation: Vec<Synchronisation>,
}

/// Translates kernels of a module: those with the given names, or all.
///
/// # Errors
/// Every instruction and declaration that is not translated, and names that no kernel has.
pub fn translate(module: &Module, kernels: Option<&[&str]>, options: &Options) -> Result<Translation, Vec<Refusal>> {
    let all: Vec<&Kernel> = emit::entries(module).collect();
    let chosen: Vec<&Kernel> = match kernels {
        None => all,
        Some(wanted) => {
            let missing = wanted.iter().filter(|name| !all.iter().any(|kernel| kernel.name() == **name));
            let missing: Vec<Refusal> =
                missing.map(|name| Refusal::declaration(name, name, "the module has no such kernel")).collect();
            if !missing.is_empty() {
                return Err(missing);
            }
            all.into_iter().filter(|kernel| wanted.contains(&kernel.name())).collect()
        }
    };
    emit::translate(module, &chosen, options)
}
