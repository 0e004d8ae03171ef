//! The status of an opcode in the table: known, or unknown for a reason.

use std::fmt;

use super::lexicon::{nearest_mnemonic, nearest_modifier};

/// The status of an instruction in the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Typing {
    /// A form of the table has these modifiers; its operands can be held against it.
    Known,
    /// No form has them. The instruction parses and prints like any other, and every analysis assumes the worst.
    Opaque(Reason),
}

impl Typing {
    /// Returns true if the table has the form.
    #[must_use]
    pub fn is_known(&self) -> bool {
        matches!(self, Typing::Known)
    }
}

/// The reason why an opcode is opaque.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The table does not list the mnemonic.
    Mnemonic(Box<str>),
    /// No form of the mnemonic has the modifier.
    Modifier {
        /// The mnemonic.
        mnemonic: Box<str>,
        /// The modifier without its dot.
        modifier: Box<str>,
    },
    /// The modifier stands in other forms of the mnemonic, but not beside the others that are written here.
    Combination {
        /// The mnemonic.
        mnemonic: Box<str>,
        /// The modifier without its dot.
        modifier: Box<str>,
    },
    /// The modifier belongs to the name of the instruction, but does not stand where the name has it.
    Order {
        /// The modifier without its dot.
        modifier: Box<str>,
        /// The opcode as it should be.
        right: Box<str>,
    },
    /// A modifier is missing.
    Missing {
        /// The mnemonic.
        mnemonic: Box<str>,
        /// Those of which one would do, each with its dot.
        choices: Box<str>,
    },
}

impl Reason {
    /// A mnemonic or modifier that the table lists and that is written much like the unknown one.
    #[must_use]
    pub fn nearest(&self) -> Option<&'static str> {
        match self {
            Reason::Mnemonic(mnemonic) => nearest_mnemonic(mnemonic),
            Reason::Modifier { mnemonic, modifier } => nearest_modifier(mnemonic, modifier),
            Reason::Combination { .. } | Reason::Order { .. } | Reason::Missing { .. } => None,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Mnemonic(mnemonic) => write!(f, "unknown instruction `{mnemonic}`"),
            Reason::Modifier { mnemonic, modifier } => write!(f, "`.{modifier}` is no modifier of `{mnemonic}`"),
            Reason::Combination { mnemonic, modifier } => {
                write!(f, "`.{modifier}` cannot stand beside the other modifiers of this `{mnemonic}`")
            }
            Reason::Order { modifier, .. } => {
                write!(f, "`.{modifier}` is part of the instruction's name and does not stand where the name has it")
            }
            Reason::Missing { mnemonic, choices } => write!(f, "`{mnemonic}` needs a modifier here: {choices}"),
        }
    }
}
