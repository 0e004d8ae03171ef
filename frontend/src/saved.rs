//! The compiler's output for a translation unit, as text. With it, the unit can be rewritten without a compiler.

use std::collections::BTreeMap;

use annotate::Marking;

use crate::internal_names;
use crate::marked::{Marked, Origin, Text};
use crate::{Compiled, Error};

/// The compiler's output for a translation unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// The PTX of the source.
    pub ptx: String,
    /// The PTX of the marked texts, for each way of marking that was asked for, in the order of [`Marking::ALL`].
    pub marked: Vec<SavedMarked>,
}

/// The compiler's output for a marked text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedMarked {
    /// The way of marking.
    pub marking: Marking,
    /// The PTX, or the reason why there is none.
    pub ptx: Result<String, String>,
    /// The loops of which the compiler does not take the markers, with what it says of them.
    pub not_taken: BTreeMap<u32, String>,
}

impl Saved {
    /// Replaces the names that are internal to a translation unit by those of another compilation of the same unit.
    #[must_use]
    pub fn with_internal_names_of(self, other: &Saved) -> Saved {
        let rename = |marked: SavedMarked| {
            let ptx = marked.ptx.map(|ptx| internal_names::renamed(ptx, &other.ptx));
            SavedMarked { ptx, ..marked }
        };
        Saved {
            ptx: internal_names::renamed(self.ptx, &other.ptx),
            marked: self.marked.into_iter().map(rename).collect(),
        }
    }

    /// Reads the unit, which the compiler must have optimised. A rewrite of it that asks for a way of marking that was not saved notes it ([`Compiled::is_missing`]).
    ///
    /// # Errors
    /// [`Error::Ptx`].
    pub fn compiled(self) -> Result<Compiled, Error> {
        let compiled = Compiled::of_ptx(self.ptx)?;
        if self.marked.is_empty() {
            return Ok(compiled);
        }
        let mut saved = self.marked;
        let marked = Marking::ALL.map(|marking| match saved.iter().position(|one| one.marking == marking) {
            Some(index) => {
                let SavedMarked { ptx, not_taken, .. } = saved.swap_remove(index);
                Marked::compiled(marking, ptx.map(|ptx| Text { ptx, not_taken }))
            }
            None => Marked::new(marking, Vec::new()),
        });
        Ok(Compiled { marked: marked.into(), origin: Origin::Saved, ..compiled })
    }
}

impl Compiled {
    /// Returns what the compiler made, in the ways of marking that were asked for until now.
    #[must_use]
    pub fn saved(&self) -> Saved {
        let asked = self.marked.iter().filter_map(|marked| {
            let (ptx, not_taken) = match marked.asked()? {
                Ok(text) => (Ok(internal_names::renamed(text.ptx.clone(), &self.ptx)), text.not_taken.clone()),
                Err(problem) => (Err(problem.to_owned()), BTreeMap::new()),
            };
            Some(SavedMarked { marking: marked.marking, ptx, not_taken })
        });
        Saved { ptx: self.ptx.clone(), marked: asked.collect() }
    }

    /// Compiles the text that is marked in one way, if it was not yet.
    pub fn compile_marked(&self, marking: Marking) {
        for marked in self.marked.iter().filter(|marked| marked.marking == marking) {
            // What comes of it is asked for later.
            let _ = marked.ptx(&self.origin, &self.directives);
        }
    }

    /// Returns true if a way of marking was asked for that was not saved.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self.origin, Origin::Saved) && self.marked.iter().any(Marked::is_missing)
    }
}
