//! The statements of a body, in textual order.

use smallvec::SmallVec;

use crate::entities::{Inst, Label, LocId, Marker, Symbol};
use crate::tables::{HOME_TOP, Span};

/// A position in the user's source, from a `.loc` directive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Loc {
    /// Index of a `.file` directive of the module.
    pub file: u32,
    /// Line, counted from 1; 0 means that the compiler knows none.
    pub line: u32,
    /// Column, counted from 1; 0 means unknown.
    pub column: u32,
    /// The place at which the function holding this position was inlined: file, line, column.
    pub inlined_at: Option<(u32, u32, u32)>,
}

/// The origin of a statement's text.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// In the source, with the blanks and comments before it.
    Source(Span),
    /// Nowhere: it is printed from its parts.
    Made,
    /// Written in a fragment, for what has no parts to print it from.
    Text(Box<OwnText>),
}

/// A text that stands in no source.
#[derive(Clone, Debug)]
pub(crate) struct OwnText {
    /// Tells it from all others.
    pub(crate) number: u64,
    pub(crate) text: Box<str>,
}

impl Origin {
    /// A text that stands in no source, with a number that nothing else has.
    pub(crate) fn text(number: u64, text: impl Into<Box<str>>) -> Origin {
        Origin::Text(Box::new(OwnText { number, text: text.into() }))
    }

    /// A number by which registers know the statement that declares them.
    pub(crate) fn home(&self) -> u64 {
        match self {
            Origin::Source(span) => u64::from(span.start),
            Origin::Made => HOME_TOP,
            Origin::Text(own) => own.number,
        }
    }
}

/// One statement of a body. Its text runs from the end of the statement before it to its own end, with a comment that
/// stands behind it on its line, so that the texts of all statements together are the body's text.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The kind of the statement.
    pub kind: StmtKind,
    pub(crate) origin: Origin,
}

/// The kinds of statements. A kernel has about as many statements as lines. So data that is large and rare is boxed.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// An instruction.
    Inst(Inst),
    /// A label definition.
    Label(Label),
    /// A source position for what follows, see [`Kernel::loc_of`](crate::Kernel::loc_of).
    Loc(LocId),
    /// A comment `//#…`, which tools use to mark places, see [`Kernel::marker_text`](crate::Kernel::marker_text).
    Marker(Marker),
    /// A register declaration.
    Registers,
    /// Variable declarations.
    Variables(Box<SmallVec<[Symbol; 2]>>),
    /// `{`: a scope opens.
    Open,
    /// `}`: a scope closes.
    Close,
    /// `name: .branchtargets a, b;`
    BranchTargets(Symbol, Box<Box<[Label]>>),
    /// Any other directive: `.pragma`, `.callprototype`, …
    Directive,
}

// Larger ones make reading slower.
const _: () = assert!(size_of::<Stmt>() <= 32);
