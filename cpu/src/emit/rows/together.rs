//! Operations that the lanes of a warp execute together.

use std::fmt::Write as _;

use ptx_parser::{Inst, Operand};

use super::writer::{Writer, lane_head};
use super::{along, words};
use crate::emit::collective;
use crate::emit::segment::indent;
use crate::refusal::Refusal;

impl Writer<'_> {
    /// An operation that all lanes of a warp execute together.
    pub(super) fn collective(&mut self, inst: Inst) -> Result<(), Refusal> {
        let kernel = self.lane.kernel;
        let view = self.lane.view(inst);
        let guard = kernel.inst(inst).guard;
        let part = self.cuts.part(inst);
        let mut close = 0;
        if let Some(guard) = guard {
            if self.rows.forms.is_uniform(guard.reg) {
                let _ = writeln!(self.text, "if ({}) {{", self.scalar.view(inst).guard(guard));
            } else {
                self.flush(Some(guard));
                if let Some(cut) = part {
                    self.text += "if (taken != 0 && taken != lanes) {\n";
                    self.take_turns(inst, cut);
                    self.text += "}\n";
                }
                let _ = writeln!(self.text, "if (taken {} lanes) {{", if guard.negated { "!=" } else { "==" });
            }
            close += 1;
        }
        if let Some(members) = collective::members(&view)? {
            let last = kernel.operands(inst).last();
            let needs_all = match last {
                Some(Operand::Int(mask)) if *mask as u32 == u32::MAX => None,
                Some(Operand::Reg(reg)) if self.rows.forms.stride(*reg).is_none() => {
                    let code = format!("taken += ({members} & group) == group;\n");
                    self.text += "taken = 0;\n";
                    self.text += &self.for_lanes(&[], &[*reg], &code, true);
                    Some("taken != lanes".to_owned())
                }
                _ => {
                    let members = collective::members(&self.scalar.view(inst))?.unwrap_or_default();
                    Some(format!("({members} & group) != group"))
                }
            };
            if let (Some(condition), Some(cut)) = (needs_all, part) {
                let _ = writeln!(self.text, "if ({condition}) {{");
                self.take_turns(inst, cut);
                self.text += "}\n";
            }
        }
        let operands = collective::operands(&view)?;
        if !operands.is_empty() {
            // It is executed where the instruction is, though its results are not yet there.
            let text = self.for_operands(inst, &operands);
            self.text += &text;
        }
        let resumption = collective::resume(&view)?;
        self.text += "{\n";
        indent(resumption.for_group.trim_start(), 4, &mut self.text);
        if !resumption.for_lane.trim().is_empty() {
            let text = self.for_lanes(&[inst], &[], &resumption.for_lane, false);
            indent(&text, 4, &mut self.text);
        }
        self.text += "}\n";
        for _ in 0..close {
            self.text += "}\n";
        }
        Ok(())
    }

    /// The loop in which lanes leave the operands of an operation.
    pub(super) fn for_operands(&self, inst: Inst, code: &str) -> String {
        let kernel = self.lane.kernel;
        let all = words(code);
        let mut head = String::new();
        for reg in kernel.uses(inst) {
            let ty = self.lane.ty(reg);
            for name in self.lane.variables(reg).into_iter().filter(|name| all.contains(name.as_str())) {
                let value = match self.rows.forms.stride(reg) {
                    Some(stride) => along(&format!("u_{name}"), ty, stride),
                    None => format!("v_{name}[l]"),
                };
                let _ = writeln!(head, "const {ty} {name} = {value};");
            }
        }
        let mut text = String::from("PXRW_FOR_LANES {\n");
        indent(&format!("{}{head}{code}", lane_head(&all)), 4, &mut text);
        text + "}\n"
    }
}
