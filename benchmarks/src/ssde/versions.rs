//! The versions of a program that are compared: M, S, and M after the elimination.

use device::{Branch, Reconvergence};
use ptx_parser::Module;
use serde::{Deserialize, Serialize};
use ssde_ptx::{Done, Meeting, meetings, treat};

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
    /// The points to which AWARE delays reconvergence in M.
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
    pub(super) fn delayed(&self) -> (String, Vec<Reconvergence>) {
        labelled(&self.mimd.ptx, &self.meetings)
    }
}

/// Returns a text with labels at the points where AWARE's lanes may meet ([`ssde_ptx::meetings`]), and the points as a launch of it takes them.
///
/// A safe point may lie in the middle of straight-line code. Its label stands at the beginning of its line, so that all lines keep their numbers.
#[must_use]
pub fn labelled(ptx: &str, meetings: &[Meeting]) -> (String, Vec<Reconvergence>) {
    let name = |line: u32| format!("$pxrw_meet_{line}");
    let mut text = String::with_capacity(ptx.len() + 32 * meetings.len());
    for (number, line) in (1..).zip(ptx.split_inclusive('\n')) {
        if meetings.iter().any(|meeting| meeting.point == Some(number)) {
            text += &name(number);
            text += ": ";
        }
        text += line;
    }
    let wish =
        |meeting: &Meeting| Reconvergence { branch: Branch::Line(meeting.branch), point: meeting.point.map(name) };
    (text, meetings.iter().map(wish).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figure 1 of the paper.
    const LOCK: &str = ".version 9.0\n.target sm_90\n.address_size 64\n.global .u32 lock;\n.entry k() {\n\
        .reg .pred %p<2>; .reg .b32 %r<4>;\n\
        LOOP:\n\
        atom.global.cas.b32 %r1, [lock], 0, 1;\n\
        setp.ne.u32 %p1, %r1, 0;\n\
        @%p1 bra LOOP;\n\
        atom.global.exch.b32 %r2, [lock], 0;\n\
        mov.u32 %r3, 0;\n\
        ret;\n}\n";

    #[test]
    fn lanes_meet_behind_the_release_and_lines_keep_their_numbers() {
        let module = Module::parse(LOCK).unwrap();
        let found = meetings(module.kernel("k").unwrap());
        assert_eq!(found, [Meeting { branch: 10, point: Some(12) }]);
        let (text, wishes) = labelled(LOCK, &found);
        assert!(text.contains("\n$pxrw_meet_12: mov.u32 %r3, 0;\n"), "{text}");
        assert_eq!(text.lines().count(), LOCK.lines().count());
        assert_eq!(wishes[0].point.as_deref(), Some("$pxrw_meet_12"));
    }
}
