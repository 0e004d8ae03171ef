//! A kernel as a function of C with loops over the threads of a block, which end at barriers: for kernels whose threads meet at barriers of the whole block alone.
//!
//! ```c
//! static enum pxrw_pause pxrw_loops_k(pxrw_cta *cta, const unsigned char *params)
//! {
//!     uint32_t position = 0;
//!     for (;;)
//!         switch (position) {
//!         case 0:
//!             for (z …) for (y …) for (x …) { …; s_r1[thread] = r1; }
//!             position = 1;
//!             break;
//! ```
//!
//! If a segment has several ends, each thread notes its position. All threads must be at one barrier, or all at their end. Otherwise the block goes on with lanes that take
//! turns (`super::turns`).

use std::fmt::Write as _;

use analysis::Shapes;
use cranelift_entity::EntityRef;
use ptx_parser::{Inst, Kernel, Modifier, Operand};

use super::segment::{Emitter, Way, indent};
use crate::cuts::{Cut, CutKind, Cuts};
use crate::refusal::Refusal;

/// The number of the barrier that all threads of a block come to, if an instruction is one of those.
fn whole_block_barrier(kernel: &Kernel, inst: Inst) -> Option<u64> {
    let opcode = kernel.opcode(inst);
    let special = [Modifier::Red, Modifier::Arrive, Modifier::Cluster, Modifier::Wait];
    if kernel.inst(inst).guard.is_some() || opcode.has_any(&special) {
        return None;
    }
    match kernel.operands(inst) {
        [] => Some(0),
        [Operand::Int(number)] => u64::try_from(*number).ok().filter(|&number| number < 16),
        _ => None,
    }
}

/// Returns true if the threads of a kernel meet at barriers of the whole block alone, but for what lockstep orders.
pub(crate) fn apply(kernel: &Kernel, cuts: &Cuts) -> bool {
    cuts.cuts.values().all(|cut| match cut.kind {
        CutKind::Entry | CutKind::Implicit(_) => true,
        CutKind::Barrier(inst) => whole_block_barrier(kernel, inst).is_some(),
        _ => false,
    })
}

impl Emitter<'_> {
    /// Returns the function `pxrw_loops_SYMBOL`, and whether it needs `pxrw_turns_SYMBOL`: where threads part, and for blocks of another shape than those that are given.
    ///
    /// # Errors
    /// Instructions that are not translated.
    pub(crate) fn loops(
        &self,
        cuts: &Cuts,
        symbol: &str,
        shapes: Option<Shapes>,
    ) -> Result<(String, bool), Vec<Refusal>> {
        let mut text =
            format!("static enum pxrw_pause pxrw_loops_{symbol}(pxrw_cta *cta, const unsigned char *given)\n{{\n");
        let bytes = self.names.param_bytes.max(1);
        // A copy that nobody else can write to, so that the compiler reads each parameter once.
        let _ = writeln!(
            text,
            "    PXRW_ALIGN(16) unsigned char params[{bytes}];\n    memcpy(params, given, {});",
            self.names.param_bytes
        );
        if let Some(shapes) = shapes {
            let _ = writeln!(
                text,
                "    if (!pxrw_has_shape(cta, UINT64_C({:#x}))) {{\n        pxrw_start(cta);\n        return pxrw_turns_{symbol}(cta, given);\n    }}",
                shapes.bits()
            );
        }
        text += &self.state(cuts).0;
        text += "    uint32_t position = 0;\n    (void)params;\n    for (;;)\n        switch (position) {\n";
        let mut refusals = Vec::new();
        let mut parts = false;
        let is_run = |cut: &Cut| !matches!(cuts.cuts[*cut].kind, CutKind::Implicit(_));
        for cut in cuts.cuts.keys().filter(is_run) {
            match self.loop_of(cuts, cut, symbol) {
                Ok((case, may_part)) => {
                    text += &case;
                    parts |= may_part;
                }
                Err(more) => refusals.extend(more),
            }
        }
        text += "        default:\n            return PXRW_DONE;\n        }\n}\n";
        if !refusals.is_empty() {
            return Err(refusals);
        }
        if parts {
            let barriers = cuts.cuts.values().map(|cut| match cut.kind {
                CutKind::Barrier(inst) => whole_block_barrier(self.kernel, inst).unwrap_or(0),
                _ => 0,
            });
            let barriers: Vec<String> = barriers.map(|barrier| barrier.to_string()).collect();
            text = format!("static const uint8_t pxrw_barriers_{symbol}[] = {{{}}};\n{text}", barriers.join(", "));
        }
        Ok((text, parts || shapes.is_some()))
    }

    /// The case of one cut, and whether threads may part there.
    fn loop_of(&self, cuts: &Cuts, cut: Cut, symbol: &str) -> Result<(String, bool), Vec<Refusal>> {
        let data = &cuts.cuts[cut];
        let segment = self.segment(Way::Loops, Some(cut));
        let mut text = format!(
            "        case {}: /* {} */\n            PXRW_FOR_THREADS(cta) {{\n",
            cut.index(),
            self.describe(data.kind)
        );
        let code = self.body(&segment)?;
        let mut body = String::new();
        let mentions = |word: &str| code.contains(word);
        if mentions("lane") || mentions("warp") {
            body += "const uint32_t warp = thread / PXRW_WARP_SIZE, lane = thread % PXRW_WARP_SIZE;\n(void)warp;\n(void)lane;\n";
        }
        if mentions("tid") {
            body += "const pxrw_dim3 tid = {x, y, z};\n";
        }
        if mentions("local") {
            body += "unsigned char *const local = cta->local + (size_t)thread * cta->local_bytes;\n";
        }
        body += "(void)thread;\n";
        body += &self.declare(&segment, &data.live, &code);
        body += &code;
        indent(&body, 16, &mut text);
        text += "            }\n";
        if segment.traps {
            text += "            if (cta->trapped)\n                return PXRW_TRAPPED;\n";
        }
        let parts = segment.targets.len() > 1;
        match segment.targets.first() {
            Some(Some(next)) if !parts => {
                let _ = writeln!(text, "            position = {};\n            break;", next.index());
            }
            Some(None) if !parts => text += "            return PXRW_DONE;\n",
            None => text += "            return PXRW_DONE;\n",
            _ => {
                let _ = writeln!(
                    text,
                    "            if (!pxrw_agree(cta, &position)) {{\n                pxrw_part(cta, pxrw_barriers_{symbol});\n                \
                     return pxrw_turns_{symbol}(cta, given);\n            }}\n            break;"
                );
            }
        }
        Ok((text, parts))
    }
}
