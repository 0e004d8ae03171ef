//! Two accesses of an iteration that may have memory in common, as messages and reports name them.

use crate::origin::Origin;

/// An access that is assumed to meet another one nowhere, or that does.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AccessEntry {
    /// Its effect: `store to`, `load of`, `atomic on`, `call of`, `fence` …
    pub does: &'static str,
    /// The variable, parameter or function; `None` where it is not known.
    pub object: Option<String>,
    /// The opcode.
    pub opcode: String,
    /// Its place.
    pub at: Origin,
}

impl AccessEntry {
    /// Names the access without its place: "the store to `out`".
    #[must_use]
    pub fn text(&self) -> String {
        match &self.object {
            Some(object) if !self.does.is_empty() => format!("the {} `{object}`", self.does),
            _ => format!("`{}`", self.opcode),
        }
    }

    /// Names the access with its place, which is given in words.
    #[must_use]
    pub fn at(&self, place: &str) -> String {
        format!("{} at {place}", self.text())
    }
}

impl std::fmt::Display for AccessEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.at(&self.at.to_string()))
    }
}

/// Two accesses of one iteration.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AccessPair {
    /// The access in the path.
    pub path: AccessEntry,
    /// The access behind it.
    pub rest: AccessEntry,
    /// In which way they may be connected.
    pub link: Link,
}

/// The ways in which two accesses may be connected.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Link {
    /// Both could be to one place, in one iteration.
    Place,
    /// Both could be to one place, in two iterations.
    Iterations,
    /// The second one could wait for what other threads do when they see the first one.
    Answer,
    /// The second one could rely on what the first one has read.
    Order,
}

impl AccessPair {
    /// Returns true if what is assumed is the same with the two exchanged.
    pub(crate) fn is_mutual(&self) -> bool {
        !self.rest.does.is_empty() && matches!(self.link, Link::Place | Link::Iterations)
    }

    /// Says what is assumed of the two, each in the words that are given: of accesses that they never meet, of a barrier or a vote, which accesses nothing,
    /// that it is not there for the path.
    #[must_use]
    pub fn assumption(&self, path: &str, rest: &str) -> String {
        match self.rest.does {
            "" => format!("assumes that no thread relies on {rest} to come behind {path}"),
            _ => match self.link {
                Link::Place => format!("assumes that {path} and {rest} never meet"),
                Link::Iterations => format!("assumes that {path} and {rest} never meet in two iterations"),
                Link::Answer => format!("assumes that {rest} does not wait for an answer to {path}"),
                Link::Order => format!("assumes that {rest} need not come behind {path}"),
            },
        }
    }
}
