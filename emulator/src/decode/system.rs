//! Calls of functions that the system provides.

use ptx_parser::{Offset, Operand};

use super::rows::Width;
use super::variables::Location;
use super::{Decoder, View};
use crate::api::error::Error;
use crate::exec::calls::{SystemCall, SystemFunction};
use crate::exec::frame::REGISTER;
use crate::exec::op::{NONE, Op};
use crate::memory::access::{Access, Kind};
use crate::program::registers::TAG64;

impl<'m> Decoder<'m> {
    /// A call of a function without a body.
    pub(super) fn system_call(
        &mut self,
        view: &View<'_, 'm>,
        name: &str,
        results: &[Operand],
        arguments: &[Operand],
    ) -> Result<(), Error> {
        let Some((function, expected)) = SystemFunction::named(name) else {
            return Err(self.unsupported(view, format!("the module has no body of the function `{name}`")));
        };
        if arguments.len() != expected || results.len() > 1 {
            return Err(self.unsupported(view, format!("`{name}` has another number of parameters or results")));
        }
        let id = self.behind_guard(view);
        let around = self.current.pending.take();
        let mut list = vec![NONE, 0, REGISTER];
        if let Some(result) = results.first() {
            list = self.triple(view, result)?.to_vec();
        }
        for argument in arguments {
            list.extend(self.triple(view, argument)?);
        }
        let start = self.list(&list);
        let call = self.form::<SystemCall>(function);
        self.drafts.push(Op { a: start, e: list.len() as u32 / 3, id, ..call });
        if function == SystemFunction::AssertFail {
            self.drafts.dataflow.set_failing(self.drafts.current);
        }
        if matches!(function, SystemFunction::Allocate | SystemFunction::Free) {
            // What one thread did to memory that it gave back is over for another one that is given it.
            self.drafts.insts[id].access = Some(Access::ordering(Kind::Fence, None));
        }
        if let Some(around) = around {
            self.drafts.start(around);
        }
        Ok(())
    }

    /// Returns where an operand is: a row, an offset, a length; see `exec/frame.rs`.
    fn triple(&mut self, view: &View<'_, 'm>, operand: &Operand) -> Result<[u32; 3], Error> {
        let symbol = match *operand {
            Operand::Sink => return Ok([NONE, 0, REGISTER]),
            Operand::Symbol(symbol, Offset::ZERO) => symbol,
            _ => {
                let row = self.value(view, operand, ptx_parser::Type::B64)?;
                if Width::of_row(row) == Width::Pred {
                    return Err(self.unsupported(view, "a predicate cannot be passed"));
                }
                return Ok([row, 0, REGISTER]);
            }
        };
        let bytes = self.actual_bytes(view, operand).min(8) as u32;
        match self.place(view, symbol)? {
            Location::Local(at) => Ok([NONE, at as u32, bytes]),
            Location::Frame(at) => Ok([self.stack_rows().fp | TAG64, at as u32, bytes]),
            _ => Err(self.unsupported(view, "only variables in .param can be passed by memory")),
        }
    }
}
