//! Markers, which tools find again by their ids after any edit.
//!
//! The table of markers holds where each one stands. Whatever changes the order of the statements goes through [`Kernel::set_stmts`], which
//! brings the table up to date; [`Kernel::verify`] checks it. Other statements have no such table, because nearly all are instructions.

use crate::entities::Marker;
use crate::kernel::Kernel;
use crate::stmt::{Origin, Stmt, StmtKind};
use crate::tables::{MarkerData, Name};

impl Kernel {
    /// All markers, those included that stand nowhere. Those of the source come first, in textual order.
    pub fn markers(&self) -> impl ExactSizeIterator<Item = Marker> + use<> {
        self.markers.keys()
    }

    /// The text of a marker, without the slashes and the final blanks. It begins with `#`.
    #[must_use]
    pub fn marker_text(&self, marker: Marker) -> &str {
        self.resolve(&self.markers[marker].text)
    }

    /// The index in [`Kernel::stmts`] of the statement of a marker; `None` for one that does not stand in the body.
    #[must_use]
    pub fn index_of(&self, marker: Marker) -> Option<usize> {
        self.markers[marker].index.map(|index| index as usize)
    }

    /// Makes a marker. It stands nowhere until a [`Patch`](crate::Patch) inserts its statement ([`Kernel::marker_stmt`]). The text begins with
    /// `#` and has one line.
    pub fn new_marker(&mut self, text: &str) -> Marker {
        self.markers.push(MarkerData { text: Name::Made(Box::new(text.trim_end().into())), index: None })
    }

    /// The statement of a marker, on a line of its own.
    #[must_use]
    pub fn marker_stmt(&self, marker: Marker) -> Stmt {
        Stmt { kind: StmtKind::Marker(marker), origin: Origin::Made }
    }

    /// Puts other statements in the place of all. Returns those that were there.
    pub(crate) fn set_stmts(&mut self, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let before = std::mem::replace(&mut self.stmts, stmts);
        if !self.markers.is_empty() {
            self.markers.values_mut().for_each(|data| data.index = None);
            for (index, stmt) in self.stmts.iter().enumerate() {
                if let StmtKind::Marker(marker) = stmt.kind
                    && let Some(data) = self.markers.get_mut(marker)
                {
                    // A text has fewer statements than bytes, of which there are less than 2^32.
                    data.index = Some(index as u32);
                }
            }
        }
        before
    }

    /// Takes out statements that do not fulfil a condition.
    pub(crate) fn retain_stmts(&mut self, condition: impl FnMut(&Stmt) -> bool) {
        let mut stmts = std::mem::take(&mut self.stmts);
        stmts.retain(condition);
        self.set_stmts(stmts);
    }
}
