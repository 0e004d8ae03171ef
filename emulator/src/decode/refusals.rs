//! Refusals of instructions, and their consequences.
//!
//! Instructions of units that the emulator does not model are refused by name ([`super::instructions`]); the files of the groups
//! refuse what they do not know. Decoding goes on behind a refusal, so that one message names all that is in the way.

use std::sync::Arc;

use ptx_parser::Inst;

use super::{Decoder, Frame, MAX_INSTRUCTIONS, View};
use crate::api::error::{Error, Site};

impl<'m> Decoder<'m> {
    /// Remembers why an instruction is not run and goes on to find the others. An error that is about the whole
    /// program, or one too many, ends decoding.
    pub(super) fn refuse(&mut self, error: Error) -> Result<(), Error> {
        const MOST: usize = 64;
        let one = matches!(error, Error::Unsupported { .. } | Error::UnknownSymbol { .. });
        if !one || self.drafts.insts.len() >= MAX_INSTRUCTIONS {
            return Err(error);
        }
        self.current.pending = None;
        // The same instruction may be refused in every expansion of its function.
        if !self.refused.contains(&error) {
            self.refused.push(error);
        }
        if self.refused.len() < MOST { Ok(()) } else { self.refusals() }
    }

    /// All that was refused, as one error.
    pub(super) fn refusals(&mut self) -> Result<(), Error> {
        let mut list = std::mem::take(&mut self.refused);
        match list.len() {
            0 => Ok(()),
            1 => Err(list.remove(0)),
            _ => Err(Error::Several(list)),
        }
    }

    /// Returns where an instruction is, for messages, and the number of the source file.
    pub(super) fn position(&self, frame: &Frame<'m>, inst: Inst) -> (Site, u32) {
        let ptx_line = frame.kernel.text_position(inst).map_or(0, |at| at.line);
        let loc = frame.kernel.loc(inst);
        let (file, line) = loc.map_or((0, 0), |loc| (loc.file, loc.line));
        let name = self.module.file(file).filter(|_| line > 0).map(Arc::from);
        (Site { ptx_line, file: name, line }, file)
    }

    /// The error that an instruction is not run.
    pub(super) fn unsupported(&self, view: &View<'_, 'm>, reason: impl Into<String>) -> Error {
        let (site, _) = self.position(view.frame, view.inst);
        Error::Unsupported { site, opcode: view.opcode.text().into(), reason: reason.into() }
    }
}
