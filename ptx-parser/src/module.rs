//! A whole PTX text: its items in order, of which the kernels are the ones that get rewritten.

use std::sync::Arc;

use crate::error::Errors;
use crate::kernel::Kernel;
use crate::position::Lines;
use crate::syntax;
use crate::tables::Span;
use crate::variable::Variable;

/// One top-level item. Its span runs from the end of the item before it to its own end.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) kind: ItemKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum ItemKind {
    /// `.version 9.0`
    Version(u32, u32),
    /// `.target sm_90, debug`
    Target(Vec<Box<str>>),
    /// `.address_size 64`
    AddressSize(u32),
    /// `.file 1 "name"`
    File(u32, Box<str>),
    /// A `.entry` or `.func`, as an index.
    Kernel(usize),
    /// Anything else: variables, `.section`, `.pragma`, `.alias`, …
    Directive,
    /// An item that an edit made or changed.
    Made(Box<Made>),
}

/// An item that has a text of its own.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    kind: ItemKind,
    /// The item with what stands before it; of a kernel, only what stands before it.
    pub(crate) text: String,
}

impl Item {
    /// An item with a text of its own.
    pub(crate) fn made(kind: ItemKind, text: String) -> Item {
        Item { kind: ItemKind::Made(Box::new(Made { kind, text })), span: Span::default() }
    }

    /// Returns what it is, edited or not.
    pub(crate) fn kind(&self) -> &ItemKind {
        match &self.kind {
            ItemKind::Made(made) => &made.kind,
            kind => kind,
        }
    }

    /// Its text, with what stands before it.
    pub(crate) fn text<'a>(&'a self, source: &'a str) -> &'a str {
        match &self.kind {
            ItemKind::Made(made) => &made.text,
            _ => source.get(self.span.start as usize..self.span.end as usize).unwrap_or(""),
        }
    }

    /// Counts on without a kernel that was removed.
    pub(crate) fn forget_kernel(&mut self, removed: usize) {
        let kind = match &mut self.kind {
            ItemKind::Made(made) => &mut made.kind,
            kind => kind,
        };
        if let ItemKind::Kernel(index) = kind
            && *index > removed
        {
            *index -= 1;
        }
    }
}

/// A PTX module.
///
/// [`Module::parse`] reads a text, `to_string()` writes it. What nobody edited is written byte for byte as it was read,
/// comments and blanks included.
#[derive(Clone, Debug)]
pub struct Module {
    pub(crate) source: Arc<str>,
    pub(crate) lines: Arc<Lines>,
    pub(crate) items: Vec<Item>,
    pub(crate) kernels: Vec<Kernel>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) tail: Span,
}

impl Module {
    /// Reads a PTX text.
    ///
    /// # Errors
    /// The places where the text does not follow the grammar, or breaks a rule that the representation needs
    /// (a register used without a declaration, a label defined twice).
    pub fn parse(text: &str) -> Result<Module, Errors> {
        syntax::module::parse(text)
    }

    /// The text that was read.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The PTX version, `(9, 0)`.
    #[must_use]
    pub fn version(&self) -> Option<(u32, u32)> {
        self.items.iter().find_map(|item| match *item.kind() {
            ItemKind::Version(major, minor) => Some((major, minor)),
            _ => None,
        })
    }

    /// Returns true if the module is a debug build: `.target sm_90, debug`.
    #[must_use]
    pub fn is_debug(&self) -> bool {
        self.target().iter().any(|word| &**word == "debug")
    }

    /// The words of the `.target` directive, `["sm_90"]`.
    #[must_use]
    pub fn target(&self) -> &[Box<str>] {
        let targets = self.items.iter().find_map(|item| match item.kind() {
            ItemKind::Target(words) => Some(words.as_slice()),
            _ => None,
        });
        targets.unwrap_or(&[])
    }

    /// The size of an address in bits, 32 or 64; 32 where the text does not say.
    #[must_use]
    pub fn address_size(&self) -> u32 {
        let sizes = self.items.iter().find_map(|item| match *item.kind() {
            ItemKind::AddressSize(bits) => Some(bits),
            _ => None,
        });
        sizes.unwrap_or(32)
    }

    /// The name of the source file that a [`Loc`](crate::Loc) refers to.
    #[must_use]
    pub fn file(&self, index: u32) -> Option<&str> {
        self.items.iter().find_map(|item| match item.kind() {
            ItemKind::File(number, name) if *number == index => Some(&**name),
            _ => None,
        })
    }

    /// The kernels and functions, prototypes included, in textual order.
    #[must_use]
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// The kernels and functions, to be edited.
    pub fn kernels_mut(&mut self) -> &mut [Kernel] {
        &mut self.kernels
    }

    /// The kernel or function of a name; the one with a body if there is a prototype too.
    #[must_use]
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        let named = || self.kernels.iter().filter(|kernel| kernel.name() == name);
        named().find(|kernel| kernel.has_body()).or_else(|| named().next())
    }

    /// The kernel or function that an item is.
    pub(crate) fn kernel_of(&self, item: &Item) -> Option<&Kernel> {
        match *item.kind() {
            ItemKind::Kernel(index) => self.kernels.get(index),
            _ => None,
        }
    }

    /// The variables that the module declares outside of kernels, in textual order.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }
}
