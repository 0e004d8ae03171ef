//! Labels: which one a branch means.
//!
//! A label belongs to the scope that defines it, before or behind the branches to it. A mention therefore waits until the
//! scope closes in which it stands; if that scope does not define the label, it waits on in the scope around it.

use rustc_hash::FxHashSet;
use smallvec::smallvec;

use super::lexical::broken;
use super::names::Names;
use super::scope::{Done, Labels, Mention, Table, User, Waiting, several};
use crate::entities::{Inst, Label};
use crate::operand::Operand;
use crate::suggest::nearest;
use crate::tables::LabelData;

impl<'a> Names<'a> {
    /// A scope ends: branches to its labels find them, the others wait on outside.
    pub(super) fn close_labels(&mut self, mut labels: Labels<'a>) {
        for (name, label) in &labels.defined {
            for mention in labels.waiting.remove(name).into_iter().flatten() {
                self.settle(mention.user, *label);
            }
        }
        match self.labels() {
            Some(outside) => wait_on(&mut outside.waiting, labels.waiting),
            None => self.settle_outermost(labels.waiting),
        }
    }

    fn settle(&mut self, user: User, label: Label) {
        match user {
            User::Operand(inst, index) => {
                // A statement that failed behind the label has left no instruction.
                let run = self.kernel.insts.get(inst).map(|data| data.operands.indices());
                if let Some(operand) = run.and_then(|run| self.kernel.pool.get_mut(run)?.get_mut(index)) {
                    *operand = Operand::Label(label);
                }
            }
            User::Table(table, index) => {
                if let Some(place) = self.tables.get_mut(table).and_then(|table| table.labels.get_mut(index)) {
                    *place = Some(label);
                }
            }
        }
    }

    /// The body ends: a fragment may go to the labels of its kernel, everything else is an error, unless the label may stand where
    /// the text could not be read.
    fn settle_outermost(&mut self, waiting: Waiting<'a>) {
        // A colon alone has lost the name in front of it, which may be any.
        if self.skipped.iter().any(|piece| piece.starts_with(':')) {
            return;
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
        let unread: FxHashSet<&str> = self.skipped.iter().flat_map(|piece| piece.split(|c| !is_name(c))).collect();
        for (name, mentions) in waiting.into_iter().filter(|(name, _)| !unread.contains(name)) {
            match self.outer.and_then(|outer| outer.label(name)) {
                Some(Some(label)) => mentions.iter().for_each(|mention| self.settle(mention.user, label)),
                Some(None) => mentions.iter().for_each(|mention| self.fails.add(several(mention.at, "label"))),
                None => {
                    let message = format!("no label `{name}` is defined here");
                    let labels = self.kernel.labels.keys().map(|label| self.kernel.label_name(label));
                    let help = match nearest(name, labels.filter(|other| *other != name)) {
                        Some(other) => format!("there is a label `{other}`"),
                        None => "a branch reaches the labels of its own scope and of those around it".to_owned(),
                    };
                    for mention in mentions {
                        self.fails.add(broken(mention.at, message.clone(), Some(&help)));
                    }
                }
            }
        }
    }

    pub(crate) fn define_label(&mut self, name: &'a str) -> Done<Label> {
        if let Some(label) = self.labels().and_then(|labels| labels.defined.get(name).copied()) {
            self.fails.add(broken(name, format!("label `{name}` is defined twice"), Some("rename one of the two")));
            return Ok(label);
        }
        // A fragment may define a label that was made for it.
        let made = match self.outer.filter(|_| self.depth() == 1).and_then(|outer| outer.label(name)) {
            Some(Some(label)) => Some(label),
            Some(None) => return Err(several(name, "label")),
            None => None,
        };
        let text = self.name(name);
        let label = made.unwrap_or_else(|| self.kernel.labels.push(LabelData { name: text }));
        if let Some(labels) = self.labels() {
            labels.defined.insert(name, label);
        }
        Ok(label)
    }

    fn wait(&mut self, mention: Mention<'a>) {
        if let Some(labels) = self.labels() {
            labels.waiting.entry(mention.at).or_default().push(mention);
        }
    }

    pub(crate) fn await_label(&mut self, name: &'a str, inst: Inst, index: usize) {
        self.wait(Mention { at: name, user: User::Operand(inst, index) });
    }

    /// Returns true if a branch has one operand, and that a label.
    pub(crate) fn is_branch(&self, inst: Inst) -> bool {
        // The label itself is not known before its scope closes.
        matches!(self.kernel.operands(inst), [Operand::Sink | Operand::Label(_)])
    }

    /// A `.branchtargets` list that stands at statement `stmt`.
    pub(crate) fn await_table(&mut self, stmt: usize, labels: &[&'a str]) {
        let table = self.tables.len();
        self.tables.push(Table { stmt, labels: vec![None; labels.len()] });
        for (index, &name) in labels.iter().enumerate() {
            self.wait(Mention { at: name, user: User::Table(table, index) });
        }
    }
}

/// Adds mentions to those of the scope around; the smaller map goes into the larger one, so that deep nesting stays cheap.
fn wait_on<'a>(outside: &mut Waiting<'a>, mut inside: Waiting<'a>) {
    if inside.len() > outside.len() {
        std::mem::swap(outside, &mut inside);
    }
    for (name, mut mentions) in inside {
        let list = outside.entry(name).or_insert_with(|| smallvec![]);
        if mentions.len() > list.len() {
            std::mem::swap(list, &mut mentions);
        }
        list.append(&mut mentions);
    }
}
