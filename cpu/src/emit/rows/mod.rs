//! A kernel as a function of C that runs a block row by row: up to 32 consecutive lanes, which differ in `%tid.x` alone, execute each piece of code together, as a loop that
//! the compiler can vectorise. For kernels whose threads meet at barriers of the whole block alone; lanes of a warp may meet anywhere, where warps lie in rows.
//!
//! ```c
//! static inline enum pxrw_pause pxrw_row_k_0(…, uint32_t lanes)     // from the entry to the next barriers
//! {
//!     u_r1 = cta->ctaid.x * cta->block.x + tid.x;                  // the same for all lanes but for a stride (crate::forms): a scalar
//!     PXRW_FOR_LANES { r1 = u_r1 + 1u * l; p1 = r1 >= u_r2; taken += p1; }
//!     if (taken == lanes) goto c0_b2;                              // lanes agree
//!     if (taken != 0) { from = 0; goto c0_lanes; }                 // they part: each runs by itself up to where they meet again
//!     PXRW_FOR_LANES { …; v_f1[l] = f1; }                          // what varies is an array
//! ```
//!
//! Lanes that part run the code up to where their ways join one after the other. If lanes of the warp would have to meet on that way, the warp takes turns instead
//! (`super::turns`) until all of its lanes are at barriers or have ended.

mod graph;
mod masked;
mod parting;
mod together;
mod writer;

use std::fmt::Write as _;

use analysis::Shapes;
use cranelift_entity::EntityRef;
use ptx_parser::{Inst, Kernel, Modifier, Operand, Reg};
use rustc_hash::FxHashSet;

pub(crate) use self::graph::{RowGraph, around_meetings, may_run_alone};
use self::writer::Writer;
use super::segment::{Emitter, bytes_of};
use crate::cuts::{Cut, CutKind, Cuts, is_collective};
use crate::forms::Forms;
use crate::implicit::Meetings;
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

/// Returns true if the threads of a kernel meet at barriers of the whole block alone, but for lanes of a warp.
pub(crate) fn apply(kernel: &Kernel, cuts: &Cuts) -> bool {
    cuts.cuts.values().all(|cut| match cut.kind {
        CutKind::Entry | CutKind::Implicit(_) | CutKind::Collective(_) | CutKind::Part(_) => true,
        CutKind::Barrier(inst) => whole_block_barrier(kernel, inst).is_some(),
        CutKind::Turn | CutKind::Call(_) => false,
    })
}

/// Which blocks are run row by row, and where lanes meet in them.
#[derive(Clone, Copy)]
pub(crate) struct RowMeetings {
    /// True if lanes meet at the cuts that lockstep demands; false if none is needed in rows.
    lanes_meet: bool,
    /// True if each row must be a warp.
    pub(crate) rows_are_warps: bool,
    /// The shapes of blocks that are run row by row.
    pub(crate) shapes: Shapes,
}

impl RowMeetings {
    pub(crate) fn of(cuts: &Cuts, meetings: &Meetings) -> RowMeetings {
        let has = |is_such: fn(CutKind) -> bool| cuts.cuts.values().any(|cut| is_such(cut.kind));
        let has_implicit = has(|kind| matches!(kind, CutKind::Implicit(_)));
        let has_collective = has(|kind| matches!(kind, CutKind::Collective(_)));
        if !has_implicit && !has_collective {
            return RowMeetings { lanes_meet: false, rows_are_warps: false, shapes: Shapes::ALL };
        }
        if !has_collective && meetings.none_in.has(Shapes::ROWS) {
            return RowMeetings { lanes_meet: false, rows_are_warps: false, shapes: meetings.none_in };
        }
        // Where nothing says why lanes meet, they meet at all accesses, or at the ends of iterations alone.
        let is_needed = meetings.cuts.is_empty() || meetings.cuts.iter().any(|cut| cut.in_rows);
        RowMeetings { lanes_meet: has_implicit && is_needed, rows_are_warps: true, shapes: Shapes::ROWS }
    }

    /// Returns true if lanes of a row meet in front of an instruction, or execute it together.
    pub(crate) fn meet_at(&self, kernel: &Kernel, cuts: &Cuts, inst: Inst) -> bool {
        cuts.at_inst(inst).is_some_and(|cut| match cuts.cuts[cut].kind {
            CutKind::Implicit(_) => self.lanes_meet,
            _ => is_collective(kernel, inst),
        })
    }
}

/// What is known of a kernel whose blocks are run row by row.
pub(crate) struct Rows<'a> {
    pub(crate) forms: &'a Forms,
    pub(crate) meetings: RowMeetings,
    /// True if lanes of a piece do not depend on each other, whatever their order.
    pub(crate) independent: bool,
    /// True if each lane runs by itself from one barrier to the next, whatever the others do.
    pub(crate) alone: bool,
}

impl Emitter<'_> {
    /// Returns the functions that run a block row by row, of which the last is `pxrw_rows_SYMBOL`, whether they need `pxrw_turns_SYMBOL`, and the bytes of state that each thread
    /// needs for them beside those of [`Emitter::state`].
    ///
    /// # Errors
    /// Instructions that are not translated.
    pub(crate) fn rows(&self, cuts: &Cuts, rows: &Rows<'_>, symbol: &str) -> Result<(String, bool, u64), Vec<Refusal>> {
        let kernel = self.kernel;
        let formed = |reg: &Reg| rows.forms.stride(*reg).is_some();
        let all: Vec<Reg> = kernel.regs().collect();
        let scalar_names = self.names.prefixed("u_", all.iter().copied().filter(formed));
        let strided =
            |reg: &Reg| rows.forms.stride(*reg).is_some_and(|stride| stride != 0) && kernel.reg(*reg).ty.bits() == 32;
        let lane_names = self.names.with_row_addresses(all.iter().copied().filter(strided));
        let (state, row_state, row_bytes) = self.row_state(cuts, rows);
        let mut text = String::new();
        let mut run = String::new();
        let mut refusals = Vec::new();
        let mut needs_turns = !rows.meetings.shapes.has(Shapes::ALL);
        let mut parts = false;
        for cut in cuts.cuts.keys() {
            if !cuts.begins_row(cut) {
                continue;
            }
            let data = &cuts.cuts[cut];
            let mut graph = RowGraph::of(self, cuts, cut);
            graph.parts(self, cuts, rows);
            let mut writer = Writer {
                lane: Emitter { names: &lane_names, ..*self },
                scalar: Emitter { names: &scalar_names, ..*self },
                alone: *self,
                rows,
                cuts,
                graph: &graph,
                symbol,
                cut,
                text: String::new(),
                scalars: String::new(),
                open: Vec::new(),
                open_writes: false,
                open_regs: FxHashSet::default(),
                froms: Vec::new(),
                refusals: Vec::new(),
                mask: None,
                loose: FxHashSet::default(),
                notes_apart: false,
                unformed: Vec::new(),
            };
            let function = writer.function(&state, &row_state);
            if !writer.refusals.is_empty() {
                refusals.append(&mut writer.refusals);
                continue;
            }
            text += &function;
            let ends: Vec<Option<Cut>> = graph.targets.iter().copied().collect();
            let several = ends.len() > 1;
            let apart =
                several || (writer.notes_apart || !writer.unformed.is_empty()) && ends.iter().any(Option::is_some);
            parts |= apart;
            let _ = writeln!(
                text,
                "/* {1} */\nPXRW_SEGMENT enum pxrw_pause pxrw_segment_{symbol}_{0}(pxrw_cta *cta, const unsigned char *given, const unsigned char *params)\n{{\n    \
                 PXRW_FOR_ROWS(cta) {{\n        \
                 const enum pxrw_pause pause = lanes == 32u ? pxrw_row_{symbol}_{0}(cta, given, params, x, y, z, first, row, 32u)\n            \
                 {2}: pxrw_row_{symbol}_{0}(cta, given, params, x, y, z, first, row, lanes);\n        \
                 if (pause != PXRW_DONE)\n            return pause;\n    }}\n    return PXRW_DONE;\n}}\n",
                cut.index(),
                self.describe(data.kind),
                // Rows of tiles; rows that are warps have 16 lanes in few blocks.
                match rows.meetings.rows_are_warps {
                    true => String::new(),
                    false => format!(
                        ": lanes == 16u ? pxrw_row_{symbol}_{}(cta, given, params, x, y, z, first, row, 16u)\n            ",
                        cut.index()
                    ),
                }
            );
            let _ = writeln!(
                run,
                "        case {0}: /* {1} */\n            pause = pxrw_segment_{symbol}_{0}(cta, given, params);\n            \
                 if (pause != PXRW_DONE)\n                return pause;",
                cut.index(),
                self.describe(data.kind)
            );
            match ends.as_slice() {
                [Some(next)] if !apart => {
                    let _ = writeln!(run, "            position = {};\n            break;", next.index());
                }
                [] | [None] => run += "            return PXRW_DONE;\n",
                [Some(next)] => {
                    let _ = writeln!(
                        run,
                        "            position = {0};\n            if (cta->apart_rows) {{\n                \
                         pxrw_put(cta, {0});\n                return pxrw_part_{symbol}(cta, given);\n            }}\n            break;",
                        next.index()
                    );
                }
                _ => {
                    let _ = writeln!(
                        run,
                        "            if (!pxrw_agree(cta, &position))\n                return pxrw_part_{symbol}(cta, given);\n            break;"
                    );
                }
            }
        }
        if !refusals.is_empty() {
            return Err(refusals);
        }
        if parts {
            text += &self.part(cuts, rows, symbol, &state, &row_state);
        }
        needs_turns |= parts;
        let _ = write!(
            text,
            "static enum pxrw_pause pxrw_rows_{symbol}(pxrw_cta *cta, const unsigned char *given)\n{{\n    \
             PXRW_ALIGN(16) unsigned char params[{0}];\n    memcpy(params, given, {0});\n",
            self.names.param_bytes.max(1)
        );
        if !rows.meetings.shapes.has(Shapes::ALL) {
            let _ = writeln!(
                text,
                "    if (!pxrw_has_shape(cta, UINT64_C({:#x}))) {{\n        pxrw_start(cta);\n        return pxrw_turns_{symbol}(cta, given);\n    }}",
                rows.meetings.shapes.bits()
            );
        }
        text += "    uint32_t position = 0;\n    enum pxrw_pause pause;\n    pxrw_gather_rows(cta);\n    for (;;)\n        switch (position) {\n";
        text += &run;
        text += "        default:\n            return PXRW_DONE;\n        }\n}\n";
        Ok((text, needs_turns, row_bytes))
    }

    /// The declarations of what is kept at cuts, by the variable that is declared: for threads, and for rows; and the bytes of the latter for a row.
    fn row_state(&self, cuts: &Cuts, rows: &Rows<'_>) -> (Declarations, Declarations, u64) {
        let (text, first) = self.state(cuts);
        let name_of = |line: &str| {
            line.split_once("const ").and_then(|(_, rest)| rest.split_once(' ')).map(|(name, _)| name.to_owned())
        };
        let state = text.lines().filter_map(|line| Some((name_of(line)?, format!("{line}\n")))).collect();
        let mut at = first;
        let mut row_state = Vec::new();
        for reg in self.kept(cuts).into_iter().filter(|&reg| rows.forms.stride(reg).is_some()) {
            let ty = self.ty(reg);
            let name = format!("row_{}", self.names.reg(reg));
            // Those of 64 bits come first, behind which all are aligned.
            at = at.next_multiple_of(bytes_of(ty));
            let line = format!("    {ty} *const {name} = ({ty} *)(cta->state + (size_t)cta->threads * {at});\n");
            row_state.push((name, line));
            at += bytes_of(ty);
        }
        (state, row_state, at - first)
    }

    /// The function by which a block whose threads have parted goes on with lanes that take turns.
    fn part(
        &self,
        cuts: &Cuts,
        rows: &Rows<'_>,
        symbol: &str,
        state: &Declarations,
        row_state: &Declarations,
    ) -> String {
        let mut loops = String::new();
        for reg in self.kept(cuts) {
            if let Some(stride) = rows.forms.stride(reg) {
                let name = self.names.reg(reg);
                let ty = self.ty(reg);
                let value = along(&format!("row_{name}[row]"), ty, stride);
                let _ = writeln!(loops, "            PXRW_FOR_LANES s_{name}[first + l] = {value};");
            }
        }
        let barriers = cuts.cuts.values().map(|cut| match cut.kind {
            CutKind::Barrier(inst) => whole_block_barrier(self.kernel, inst).unwrap_or(0).to_string(),
            _ => "0".to_owned(),
        });
        let barriers = barriers.collect::<Vec<_>>().join(", ");
        let mut text = format!(
            "static enum pxrw_pause pxrw_part_{symbol}(pxrw_cta *cta, const unsigned char *given)\n{{\n    \
             static const uint8_t barriers[] = {{{barriers}}};\n"
        );
        text += &declarations(state, &loops);
        text += &declarations(row_state, &loops);
        if !loops.is_empty() {
            let _ = writeln!(
                text,
                "    PXRW_FOR_ROWS(cta) {{\n        (void)x;\n        if (!cta->apart[row]) {{\n{loops}        }}\n    }}"
            );
        }
        let _ = writeln!(text, "    pxrw_part(cta, barriers);\n    return pxrw_turns_{symbol}(cta, given);\n}}");
        text
    }
}

/// Declarations by the variable that each declares.
type Declarations = Vec<(String, String)>;

/// Those whose variables a text mentions.
fn declarations(all: &Declarations, text: &str) -> String {
    let words = words(text);
    all.iter().filter(|(name, _)| words.contains(name.as_str())).map(|(_, line)| line.as_str()).collect()
}

/// The words of a text of C.
fn words(text: &str) -> FxHashSet<&str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect()
}

/// The value of a lane of a register that has the form of a row.
fn along(base: &str, ty: &str, stride: i64) -> String {
    match (stride, ty) {
        (0, _) => base.to_owned(),
        (_, "uint64_t") => format!("{base} + UINT64_C({}) * l", stride.cast_unsigned()),
        (_, "uint32_t") => format!("{base} + {}u * l", stride as u32),
        _ => format!("({ty})({base} + {}u * l)", stride as u32),
    }
}
