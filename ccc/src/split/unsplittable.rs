//! The reasons why one lane runs a task to its end.

use crate::origin::Origin;

/// The reason why one lane runs a task to its end, however long it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unsplittable {
    /// Nobody wants it otherwise.
    Off,
    /// The directive does not say that steps are independent of each other.
    Dependent,
    /// The path adds to a reduction, which belongs to the task.
    Reduces,
    /// Something belongs to the task that stands behind its steps.
    Behind {
        /// The place of what stands behind the steps.
        at: Origin,
    },
    /// The steps end in more than one way.
    Ends {
        /// The place where the loop is left, too.
        at: Origin,
    },
    /// A step needs what the one before has made, other than by adding a constant.
    Carries {
        /// The register that holds it.
        register: String,
    },
    /// The loop goes on by something else than comparing a counter with a bound.
    Condition {
        /// The place where that is decided.
        at: Origin,
    },
    /// The bound is made anew in each step.
    Bound {
        /// The opcode that makes it.
        opcode: String,
        /// The place where it is made.
        at: Origin,
    },
    /// Neither the bound nor the counter can be changed for a part.
    Used {
        /// The bound.
        bound: String,
    },
}

impl Unsplittable {
    /// The place that it is about, if it is about one.
    #[must_use]
    pub fn place(&self) -> Option<Origin> {
        match self {
            Unsplittable::Behind { at }
            | Unsplittable::Ends { at }
            | Unsplittable::Condition { at }
            | Unsplittable::Bound { at, .. } => Some(*at),
            _ => None,
        }
    }
}

impl std::fmt::Display for Unsplittable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unsplittable::Off => f.write_str("not wanted"),
            Unsplittable::Dependent => {
                f.write_str("only `#CCC for` says that the steps of a task are independent of each other")
            }
            Unsplittable::Reduces => f.write_str("the path adds to a reduction"),
            Unsplittable::Behind { .. } => {
                f.write_str("something behind the loop belongs to the task; braces end it earlier")
            }
            Unsplittable::Ends { .. } => f.write_str("the loop can be left in its middle"),
            Unsplittable::Carries { register } => write!(f, "each step needs {register} of the one before"),
            Unsplittable::Condition { .. } => f.write_str("the loop does not end when a counter reaches a bound"),
            Unsplittable::Bound { opcode, .. } => {
                write!(f, "its bound is made by `{opcode}` in each step; compute it before the loop")
            }
            Unsplittable::Used { bound } => {
                write!(f, "the steps use the counter, and the bound {bound} is not theirs alone")
            }
        }
    }
}
