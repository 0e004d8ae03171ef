//! What a program is compared as: M, S, and M after the elimination.

use ptx_parser::Module;
use serde::{Deserialize, Serialize};
use ssde_ptx::{Done, Meeting, meetings, treat};

use super::delayed::labelled;
use super::program::{Form, Optimisation, Program};
use crate::error::Error;
use crate::variant::Variant;

/// A version of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Version {
    /// As for threads of a CPU.
    Mimd,
    /// Restructured by hand.
    Simt,
    /// M after the elimination.
    Rewritten,
}

impl Version {
    /// All of them, as in the paper's tables.
    pub const ALL: [Version; 3] = [Version::Mimd, Version::Simt, Version::Rewritten];

    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Version::Mimd => "M",
            Version::Simt => "S",
            Version::Rewritten => "M+SSDE",
        }
    }
}

/// A program as PTX of one level.
pub(crate) struct Versions {
    pub(super) program: Program,
    pub(super) optimisation: Optimisation,
    mimd: Variant,
    simt: Variant,
    /// M after the elimination, or why there is none.
    pub(crate) rewritten: Result<Variant, String>,
    /// The number of loops of M that are found.
    pub(super) found: usize,
    /// Where AWARE delays reconvergence in M.
    meetings: Vec<Meeting>,
}

impl Versions {
    /// From the PTX of both forms.
    ///
    /// # Errors
    /// A text that does not parse.
    pub(crate) fn new(program: Program, optimisation: Optimisation, ptx: &str) -> Result<Versions, Error> {
        let mut module = Module::parse(ptx)?;
        let name = program.kernel(Form::Mimd);
        let variant = |version: Version, kernel: &str, ptx: &str| Variant {
            name: version.name().into(),
            ptx: ptx.into(),
            kernel: kernel.into(),
        };
        let meetings = module.kernel(&name).map(meetings).unwrap_or_default();
        let treated = treat(&mut module, &name);
        let found = treated.as_ref().map_or(0, |treated| treated.found.findings.len());
        let rewritten = match treated.map(|treated| treated.done) {
            Some(Done::Refused(refusal)) => Err(refusal.to_string()),
            Some(Done::Lockstep) => Err("a loop of it needs lanes that run in lockstep".to_owned()),
            Some(Done::Clean | Done::Rewritten { .. }) | None => {
                Ok(variant(Version::Rewritten, &name, &module.to_string()))
            }
        };
        let simt = variant(Version::Simt, &program.kernel(Form::Simt), ptx);
        Ok(Versions {
            program,
            optimisation,
            mimd: variant(Version::Mimd, &name, ptx),
            simt,
            rewritten,
            found,
            meetings,
        })
    }

    /// A version, if there is one.
    pub(crate) fn get(&self, version: Version) -> Option<&Variant> {
        match version {
            Version::Mimd => Some(&self.mimd),
            Version::Simt => Some(&self.simt),
            Version::Rewritten => self.rewritten.as_ref().ok(),
        }
    }

    /// The text of M with labels where its lanes are to meet, and what AWARE is told.
    pub(super) fn delayed(&self) -> (String, Vec<device::Reconvergence>) {
        labelled(&self.mimd.ptx, &self.meetings)
    }
}
