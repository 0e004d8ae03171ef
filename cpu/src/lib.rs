//! Translates PTX kernels to C (Guo, Zhang and Shen, "Correctly Treating Synchronizations in Compiling Fine-Grained SPMD-Threaded Programs for CPU", PACT 2011).
//!
//! A kernel becomes a function that runs a block. Its threads are iterations of loops, and those loops are cut where threads meet: at barriers, and at the operations
//! that lanes of a warp execute together.
//!
//! [`translate`] makes the C text, [`Build`] compiles it or takes it from the [`Cache`], and [`Object`] loads and launches it.

mod build;
mod cache;
mod compile;
mod emit;
mod error;
#[cfg(test)]
mod fakes;
mod loaded;
mod possible;
mod refusal;

pub use build::{Build, Built};
pub use cache::{Cache, Key};
pub use compile::Compiler;
pub use error::Error;
pub use loaded::{Ending, Launch, Object, Spot};
pub use possible::translate_possible;
pub use refusal::Refusal;

// STUB: begin. The translator replaces this up to `STUB: end`; only `ALL`, `name` and `about` of `Sync` are new.

/// The way in which implicit synchronisation of lanes is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sync {
    /// None but barriers.
    Basic,
    /// A thread loop for each statement.
    Merging,
    /// Thread loops are cut where data depends on other lanes.
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
            Sync::Merging => "A thread loop for each statement",
            Sync::Splitting => "Thread loops end where lanes depend on each other",
        }
    }
}

/// The settings of a translation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The way in which implicit synchronisation of lanes is kept.
    pub sync: Sync,
    /// Approximate instructions give the same bits as the emulator's.
    pub exact: bool,
}

/// A translated module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation {
    /// The C text.
    pub source: String,
    /// The declarations that a program needs to call it.
    pub header: String,
    /// The kernels.
    pub kernels: Vec<Interface>,
    /// Sentences about what was assumed.
    pub notes: Vec<String>,
}

/// A translated kernel as its callers see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The name in PTX.
    pub name: String,
    /// The name in C.
    pub symbol: String,
    /// The size of the parameter block in bytes.
    pub param_bytes: u64,
}

/// Translates kernels of a module; `None` stands for all.
///
/// # Errors
/// What has no translation.
pub fn translate(
    module: &ptx_parser::Module,
    kernels: Option<&[&str]>,
    _: &Options,
) -> Result<Translation, Vec<Refusal>> {
    let meant = |name: &str| kernels.is_none_or(|kernels| kernels.contains(&name));
    let named = module.kernels().iter().filter(|kernel| meant(kernel.name()));
    Err(named
        .map(|kernel| Refusal::declaration(kernel.name(), kernel.name(), "kernels are not translated yet"))
        .collect())
}
// STUB: end.
