//! A kernel as a function of C in which lanes of warps take turns: it runs a block until its threads have ended or wait for another block.
//!
//! Each cut is a case of a switch over positions: the lanes of a warp that are at a cut run its segment one after the other, each up to the next cut.
//!
//! ```c
//! static enum pxrw_pause pxrw_turns_k(pxrw_cta *cta, const unsigned char *params)
//! {
//!     uint32_t *const s_r1 = …;                  // registers that are live at a cut, one element for each thread
//!     for (;;) {
//!         for each warp, while some of its lanes are ready at `position`:
//!             switch (position) {
//!             case 0:                            // the entry
//!                 for each lane { …; s_r1[thread] = r1; pxrw_bar(…, 1, …); }
//!                 break;
//!             case 1:                            // behind the barrier
//! ```

use ptx_parser::Inst;

use super::segment::{Emitter, Way, indent};
use super::{collective, stacked};
use crate::cuts::{Cut, CutKind, Cuts};
use crate::refusal::Refusal;

impl Emitter<'_> {
    /// Returns the function `pxrw_turns_SYMBOL`.
    ///
    /// # Errors
    /// Instructions that are not translated.
    pub(crate) fn turns(&self, cuts: &Cuts, symbol: &str) -> Result<String, Vec<Refusal>> {
        let mut text =
            format!("static enum pxrw_pause pxrw_turns_{symbol}(pxrw_cta *cta, const unsigned char *params)\n{{\n");
        text += &self.state(cuts).0;
        text += "    (void)params;\n    for (;;) {\n        int ran = 0;\n        for (uint32_t warp = 0; warp < cta->warps; ++warp) {\n";
        text += "            uint32_t position, group;\n            while ((group = pxrw_pick(cta, warp, &position)) != 0) {\n";
        text += "                ran = 1;\n                switch (position) {\n";
        let mut refusals = Vec::new();
        let functions: Vec<_> = match self.first > 0 {
            true => self.stacked.emitters(self.module, self.functions).collect(),
            false => Vec::new(),
        };
        let mut add = |emitter: &Emitter<'_>, cuts: &Cuts| {
            for cut in cuts.cuts.keys() {
                match emitter.case(cuts, cut) {
                    Ok(case) => text += &case,
                    Err(more) => refusals.extend(more),
                }
            }
        };
        functions.iter().for_each(|(emitter, cuts)| add(emitter, cuts));
        add(self, cuts);
        text += "                }\n                pxrw_settle(cta, warp);\n                if (cta->trapped)\n                    return PXRW_TRAPPED;\n";
        text += "            }\n        }\n        if (cta->live_warps == 0)\n            return PXRW_DONE;\n        if (pxrw_resume(cta))\n            return PXRW_WAITS;\n";
        text += "        if (!ran)\n            return PXRW_STUCK;\n    }\n}\n";
        if refusals.is_empty() { Ok(text) } else { Err(refusals) }
    }

    /// The case of the switch for one cut.
    fn case(&self, cuts: &Cuts, cut: Cut) -> Result<String, Vec<Refusal>> {
        let data = &cuts.cuts[cut];
        let mut segment = self.segment(Way::Turns, Some(cut));
        let mut text = format!("                case {}: {{ /* {} */\n", self.position(cut), self.describe(data.kind));
        let prologue = match data.kind {
            CutKind::Collective(inst) => Some(collective::resume(&self.view(inst)).map_err(|refusal| vec![refusal])?),
            CutKind::Barrier(inst) => collective::resume_barrier(&self.view(inst)).map_err(|refusal| vec![refusal])?,
            CutKind::Call(inst) => {
                let taken = stacked::resume(self.functions, &self.view(inst)).map_err(|refusal| vec![refusal])?;
                Some(collective::Resumption { for_group: String::new(), for_lane: taken })
            }
            _ => None,
        };
        if let Some(prologue) = &prologue {
            text += &prologue.for_group;
        }
        text += "                    for (uint32_t rest = group; rest != 0; rest &= rest - 1) {\n";
        let mut body = String::from(
            "const uint32_t lane = pxrw_lowest(rest), thread = warp * PXRW_WARP_SIZE + lane;\n\
             const pxrw_dim3 tid = cta->tid[thread];\n(void)tid;\n",
        );
        let prologue_inst = match data.kind {
            CutKind::Collective(inst) | CutKind::Barrier(inst) | CutKind::Call(inst) => Some(inst),
            _ => None,
        };
        if let (Some(inst), Some(_)) = (prologue_inst, &prologue) {
            for reg in self.kernel.defs(inst) {
                segment.defined.insert(reg);
                if !segment.mentioned.contains(&reg) {
                    segment.mentioned.push(reg);
                }
            }
        }
        let mut code = prologue.map(|prologue| prologue.for_lane).unwrap_or_default();
        code += &self.body(&segment)?;
        let declared = self.declare(&segment, &data.live, &code);
        body += &match self.frame {
            Some(frame) => frame.declare(&format!("{declared}{code}")),
            None => "unsigned char *const local = cta->local + (size_t)thread * cta->local_bytes;\n(void)local;\n"
                .to_owned(),
        };
        body += &declared;
        body += &code;
        indent(&body, 24, &mut text);
        text += "                    }\n                    break;\n                }\n";
        Ok(text)
    }

    /// Says what a cut is.
    pub(crate) fn describe(&self, kind: CutKind) -> String {
        let at = |inst: Inst| {
            let line = self.kernel.text_position(inst).map_or(String::new(), |at| format!(", line {}", at.line));
            format!("`{}`{line}", self.kernel.opcode(inst).text())
        };
        match kind {
            CutKind::Entry => "the entry".to_owned(),
            CutKind::Barrier(inst) => format!("behind {}", at(inst)),
            CutKind::Collective(inst) => at(inst),
            CutKind::Implicit(inst) => format!("in front of {}", at(inst)),
            CutKind::Part(inst) => format!("where lanes part at {}", at(inst)),
            CutKind::Call(inst) => format!("behind {}", at(inst)),
            CutKind::Turn => "the head of a loop that may wait".to_owned(),
        }
    }
}
