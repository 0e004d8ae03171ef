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

use std::fmt::Write as _;

use analysis::{Block, Edge};
use cranelift_entity::EntityRef;
use ptx_parser::{Flow, Guard, Inst, Kernel, Memory, Modifier, Operand, Reg, Space, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use super::collective;
use super::row_graph::{RowGraph, RowNode};
use super::segment::{Emitter, Lanes, Start, Way, bytes_of, indent, without_unused_labels};
use crate::cuts::{Cut, CutKind, Cuts, is_barrier, is_collective};
use crate::forms::Forms;
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

/// What is known of a kernel whose blocks are run row by row.
pub(crate) struct Rows<'a> {
    pub(crate) forms: &'a Forms,
    /// True if lanes meet at the cuts that lockstep demands; false if none is needed in rows.
    pub(crate) lanes_meet: bool,
    /// True if each row must be a warp.
    pub(crate) rows_are_warps: bool,
    /// True if lanes of a piece do not depend on each other, whatever their order.
    pub(crate) independent: bool,
    /// True if each lane runs by itself from one barrier to the next, whatever the others do.
    pub(crate) alone: bool,
}

impl Rows<'_> {
    /// Returns true if lanes of a row meet in front of an instruction, or execute it together.
    pub(crate) fn meets(&self, kernel: &Kernel, cuts: &Cuts, inst: Inst) -> bool {
        cuts.at_inst(inst).is_some_and(|cut| match cuts.cuts[cut].kind {
            CutKind::Implicit(_) => self.lanes_meet,
            _ => is_collective(kernel, inst),
        })
    }
}

/// The most registers of a kernel whose lanes keep them on the stack.
const MOST_ON_STACK: usize = 2000;

/// The code of the segment behind one cut, as it is written.
struct Writer<'w> {
    /// Names of registers are those of one lane.
    lane: Emitter<'w>,
    /// Those that have a form are scalars.
    scalar: Emitter<'w>,
    /// Lanes that have parted.
    alone: Emitter<'w>,
    rows: &'w Rows<'w>,
    cuts: &'w Cuts,
    graph: &'w RowGraph,
    symbol: &'w str,
    cut: Cut,
    text: String,
    /// Statements that are executed once, in front of the open loop.
    scalars: String,
    /// The instructions of the open loop over lanes.
    open: Vec<Inst>,
    open_writes: bool,
    open_regs: FxHashSet<Reg>,
    /// The places where lanes part, and the block where they meet again.
    froms: Vec<(Start, Option<Block>)>,
    refusals: Vec<Refusal>,
    /// The variable that says which lanes execute a block, in code that some lanes pass over.
    mask: Option<String>,
    /// Registers that are read where some lanes may not have written them. Nobody uses what those lanes read.
    loose: FxHashSet<Reg>,
    /// True if a row may end with its registers kept for each thread.
    notes_apart: bool,
    /// Those of `froms` behind which the form of a register may not hold.
    unformed: Vec<usize>,
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
        let mut needs_turns = rows.rows_are_warps;
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
                match rows.rows_are_warps {
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
        if rows.rows_are_warps {
            let _ = writeln!(
                text,
                "    if (!pxrw_has_rows(cta)) {{\n        pxrw_start(cta);\n        return pxrw_turns_{symbol}(cta, given);\n    }}"
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

impl Writer<'_> {
    /// The function that runs a row from the cut to the next barriers.
    fn function(&mut self, state: &Declarations, row_state: &Declarations) -> String {
        let graph = self.graph;
        let mut nodes = Vec::new();
        for (number, node) in graph.nodes.iter().enumerate() {
            if self.rows.alone {
                if number == 0 {
                    let from = self.from(node.start, None);
                    let _ = writeln!(self.text, "from = {from};\ngoto {}_lanes;", self.name());
                    nodes.push(std::mem::take(&mut self.text));
                }
                continue;
            }
            if number > 0 {
                let _ = writeln!(self.text, "{}:;", self.label(node.start.block));
            }
            self.node(number, node);
            nodes.push(std::mem::take(&mut self.text));
        }
        let lanes = self.lanes();
        let mut code = self.reached(&nodes, &lanes);
        let end = format!("{}_end", self.name());
        let _ = writeln!(code, "goto {end};");
        code += &lanes;
        let _ = writeln!(code, "{end}:;");
        let code = without_unused_labels(&code);
        let mut head = String::new();
        let data = &self.cuts.cuts[self.cut];
        let analyses = self.lane.analyses;
        let is_entry = data.kind == CutKind::Entry;
        let mentioned = words(&code);
        // The stack of a host thread has no room for the registers of the largest kernels.
        let storage = if self.lane.kernel.regs().count() > MOST_ON_STACK { "static __thread " } else { "" };
        let mut loads = String::new();
        for reg in self.lane.kernel.regs() {
            let ty = self.lane.ty(reg);
            let live = data.live.contains(&reg);
            for name in self.lane.variables(reg) {
                match self.rows.forms.stride(reg) {
                    Some(_) if mentioned.contains(format!("u_{name}").as_str()) => {
                        let value = if live { format!("row_{name}[row]") } else { "0".to_owned() };
                        let _ = writeln!(head, "{ty} u_{name} = {value};\n(void)u_{name};");
                    }
                    None if mentioned.contains(format!("v_{name}").as_str()) => {
                        let zeros = match (self.loose.contains(&reg), ty) {
                            (false, _) => "",
                            (true, "pxrw_u128") => " = {{0, 0}}",
                            (true, _) => " = {0}",
                        };
                        let _ = writeln!(head, "{storage}{ty} v_{name}[PXRW_WARP_SIZE]{zeros};\n(void)v_{name};");
                        if live {
                            let _ = writeln!(loads, "    v_{name}[l] = s_{name}[first + l];");
                        } else if is_entry && analyses.liveness.live_in(analyses.cfg.entry()).contains(&reg) {
                            // Some way may read it before anything has written it.
                            let zero = if ty == "pxrw_u128" { "(pxrw_u128){0, 0}" } else { "0" };
                            let _ = writeln!(loads, "    v_{name}[l] = {zero};");
                        }
                    }
                    _ => {}
                }
            }
        }
        if !loads.is_empty() {
            let _ = write!(head, "PXRW_FOR_LANES {{\n{loads}}}\n");
        }
        for node in &graph.nodes {
            let mask = mask(node.start.block);
            if mentioned.contains(mask.as_str()) {
                let _ = writeln!(head, "uint8_t {mask}[PXRW_WARP_SIZE];");
            }
        }
        if mentioned.contains("taken") {
            head += "uint32_t taken = 0;\n";
        }
        if mentioned.contains("from") {
            head += "uint32_t from = 0;\n";
        }
        if mentioned.contains("tid") {
            head += "const pxrw_dim3 tid = {x, y, z};\n(void)tid;\n";
        }
        if mentioned.contains("lane") || mentioned.contains("warp") || mentioned.contains("group") {
            head += "const uint32_t warp = first / PXRW_WARP_SIZE, lane = first % PXRW_WARP_SIZE;\n(void)warp;\n(void)lane;\n";
        }
        if mentioned.contains("group") {
            head += "const uint32_t group = pxrw_first_lanes(lanes);\n(void)group;\n";
        }
        let body = format!("{head}{code}");
        let mut text = format!(
            "PXRW_INLINE enum pxrw_pause pxrw_row_{}_{}(pxrw_cta *cta, const unsigned char *given, const unsigned char *params, uint32_t x, \
             uint32_t y,\n    uint32_t z, uint32_t first, uint32_t row, const uint32_t lanes)\n{{\n    \
             (void)cta, (void)given, (void)params, (void)x, (void)y, (void)z, (void)first, (void)row, (void)lanes;\n",
            self.symbol,
            self.cut.index()
        );
        text += &declarations(state, &body);
        text += &declarations(row_state, &body);
        indent(&nested(&body), 4, &mut text);
        text += "    return PXRW_DONE;\n}\n";
        text
    }

    /// The texts of the nodes that something leads to.
    fn reached(&self, nodes: &[String], lanes: &str) -> String {
        let number_of: FxHashMap<String, usize> = self
            .graph
            .nodes
            .iter()
            .enumerate()
            .skip(1)
            .map(|(number, node)| (self.label(node.start.block), number))
            .collect();
        let mut seen: FxHashSet<usize> = FxHashSet::from_iter([0]);
        let mut work: Vec<&str> = vec![lanes];
        work.extend(nodes.first().map(String::as_str));
        while let Some(text) = work.pop() {
            for target in text.split("goto ").skip(1).filter_map(|rest| Some(rest.split_once(';')?.0)) {
                if let Some(&number) = number_of.get(target)
                    && seen.insert(number)
                {
                    work.extend(nodes.get(number).map(String::as_str));
                }
            }
        }
        nodes.iter().enumerate().filter(|(number, _)| seen.contains(number)).map(|(_, text)| text.as_str()).collect()
    }

    fn name(&self) -> String {
        format!("c{}", self.cut.index())
    }

    fn label(&self, block: Block) -> String {
        format!("c{}_b{}", self.cut.index(), block.index())
    }

    fn refuse(&mut self, refusal: Refusal) {
        self.refusals.push(refusal);
    }

    /// The code of a block, from its first instruction in this segment.
    fn node(&mut self, number: usize, node: &RowNode) {
        let kernel = self.lane.kernel;
        let block = node.start.block;
        let insts = self.lane.analyses.cfg.insts(block);
        for (index, &inst) in insts.iter().enumerate().skip(node.start.index) {
            if let Some(cut) = self.cuts.at_inst(inst).filter(|_| is_barrier(kernel, inst)) {
                self.flush(None);
                self.arrive(cut);
                return;
            }
            if !self.straight(block, index, inst) && self.control(number, inst, Start { block, index, left: None }) {
                return;
            }
        }
        self.flush(None);
        match node.through {
            Some(next) => self.go(next),
            None => self.leave(),
        }
    }

    /// An instruction of a block that does not end it; returns false for one that does.
    fn straight(&mut self, block: Block, index: usize, inst: Inst) -> bool {
        let kernel = self.lane.kernel;
        if self.rows.meets(kernel, self.cuts, inst) {
            self.flush(None);
            if is_collective(kernel, inst) {
                if let Err(refusal) = self.collective(inst) {
                    self.refuse(refusal);
                }
                return true;
            }
        }
        match kernel.properties(inst).flow {
            Flow::Next if self.rows.forms.is_scalar(kernel, inst) => {
                self.scalar(inst, Start { block, index, left: None });
            }
            Flow::Call if self.lane.may_end(inst) => return false,
            Flow::Next | Flow::Call => self.open(inst),
            _ => return false,
        }
        true
    }

    /// Code that lanes of a row run through together although they have parted: each block is executed by those lanes whose way leads through it. Of the blocks that lanes
    /// have come to, the first one in the order of the control flow is next. `block` ends in the branch at which they part.
    fn masked(&mut self, number: usize, block: Block) {
        let region = self.graph.region(number);
        let nodes: Vec<&RowNode> = region.iter().filter_map(|&number| self.graph.nodes.get(number)).collect();
        let blocks: FxHashMap<Block, usize> =
            nodes.iter().enumerate().map(|(order, node)| (node.start.block, order)).collect();
        let mut zeros = String::new();
        for node in &nodes {
            let _ = write!(zeros, " {}[l] = 0;", mask(node.start.block));
        }
        let _ = writeln!(self.text, "PXRW_FOR_LANES {{{zeros} }}");
        self.lead(&blocks, block, false);
        for (order, node) in nodes.iter().enumerate() {
            let here = node.start.block;
            let _ = writeln!(self.text, "{}_m{number}_{order}:;\nif (pxrw_any({}, lanes)) {{", self.name(), mask(here));
            self.mask = Some(mask(here));
            for (index, &inst) in self.lane.analyses.cfg.insts(here).iter().enumerate() {
                self.straight(here, index, inst);
            }
            self.flush(None);
            self.mask = None;
            self.lead(&blocks, here, true);
            for succ in self.lane.analyses.cfg.distinct_succs(here) {
                if let Some(&back) = blocks.get(&succ).filter(|&&back| back <= order) {
                    let _ = writeln!(
                        self.text,
                        "if (pxrw_any({}, lanes)) goto {}_m{number}_{back};",
                        mask(succ),
                        self.name()
                    );
                }
            }
            self.text += "}\n";
        }
        match self.graph.stop(number) {
            Some(stop) => self.go(stop),
            None => self.leave(),
        }
    }

    /// Leads the lanes that execute a block to those behind it; all lanes unless it is masked.
    fn lead(&mut self, region: &FxHashMap<Block, usize>, block: Block, masked: bool) {
        let kernel = self.lane.kernel;
        let cfg = &self.lane.analyses.cfg;
        let guard = cfg.terminator(block).and_then(|inst| kernel.inst(inst).guard);
        self.loose.extend(guard.map(|guard| guard.reg));
        let mut code = String::new();
        if masked {
            let _ = write!(code, " const uint8_t now = {0}[l]; (void)now; {0}[l] = 0;", mask(block));
        }
        for succ in cfg.succs(block).iter().filter(|succ| region.contains_key(&succ.block)) {
            let condition = guard.map(|guard| {
                let taken = match self.rows.forms.stride(guard.reg) {
                    Some(_) => self.scalar.names.reg(guard.reg).to_owned(),
                    None => format!("v_{}[l]", self.lane.names.reg(guard.reg)),
                };
                let negated = guard.negated != (succ.edge == Edge::Fallthrough);
                if negated { format!("!{taken}") } else { taken }
            });
            let all: Vec<String> = masked.then(|| "now".to_owned()).into_iter().chain(condition).collect();
            let value = if all.is_empty() { "1".to_owned() } else { all.join(" & ") };
            let _ = write!(code, " {}[l] |= (uint8_t)({value});", mask(succ.block));
        }
        if !code.is_empty() {
            let _ = writeln!(self.text, "PXRW_FOR_LANES {{{code} }}");
        }
    }

    /// Goes to the beginning of a block. Where its code follows, the jump is left out by the caller's text.
    fn go(&mut self, block: Block) {
        let _ = writeln!(self.text, "goto {};", self.label(block));
    }

    /// The threads end.
    fn leave(&mut self) {
        if self.graph.targets.len() > 1 {
            self.text += "PXRW_FOR_LANES cta->at[first + l] = PXRW_END;\n";
        }
        let _ = writeln!(self.text, "goto {}_end;", self.name());
    }

    /// The lanes come to a barrier.
    fn arrive(&mut self, cut: Cut) {
        let mut lanes = String::new();
        for &reg in &self.cuts.cuts[cut].live {
            for name in self.lane.variables(reg) {
                match self.rows.forms.stride(reg) {
                    Some(_) if self.graph.defined.contains(&reg) => {
                        let _ = writeln!(self.text, "row_{name}[row] = u_{name};");
                    }
                    None if self.graph.defined.contains(&reg) => {
                        let _ = write!(lanes, "s_{name}[first + l] = v_{name}[l]; ");
                    }
                    _ => {}
                }
            }
        }
        if self.graph.targets.len() > 1 {
            let _ = write!(lanes, "cta->at[first + l] = {};", cut.index());
        }
        if !lanes.is_empty() {
            let _ = writeln!(self.text, "PXRW_FOR_LANES {{ {} }}", lanes.trim_end());
        }
        let _ = writeln!(self.text, "goto {}_end;", self.name());
    }

    /// A statement that is executed once.
    fn scalar(&mut self, inst: Inst, at: Start) {
        let kernel = self.lane.kernel;
        let reads = kernel.properties(inst).memory == Memory::Read && !self.is_constant(inst);
        let check = self.rows.forms.check(inst);
        let clashes = kernel.defs(inst).iter().any(|reg| self.open_regs.contains(reg));
        if check.is_some() || clashes || reads && self.open_writes {
            self.flush(None);
        }
        if let Some(check) = check {
            let base = self.scalar.names.reg(check.reg).to_owned();
            let extends = if check.signed { "s32" } else { "u32" };
            let condition = format!("!pxrw_is_row_{extends}({base}, INT64_C({}), lanes)", check.stride);
            match self.cuts.part(inst) {
                Some(cut) => {
                    self.text += &std::mem::take(&mut self.scalars);
                    let _ = writeln!(self.text, "if ({condition}) {{");
                    if self.graph.targets.iter().any(Option::is_some) {
                        self.text += "pxrw_note_apart(cta, row);\n";
                        self.notes_apart = true;
                    }
                    self.take_turns(inst, cut);
                    self.text += "}\n";
                }
                None => {
                    let from = self.from(at, None);
                    self.unformed.push(from);
                    let _ = writeln!(self.scalars, "if ({condition}) {{ from = {from}; goto {}_lanes; }}", self.name());
                }
            }
        }
        match self.scalar.statement(inst) {
            Ok(text) => self.scalars += &text,
            Err(refusal) => self.refuse(refusal),
        }
    }

    /// Returns true for a load of what no thread writes.
    fn is_constant(&self, inst: Inst) -> bool {
        let kernel = self.lane.kernel;
        kernel.opcode(inst).is_noncoherent()
            || matches!(kernel.properties(inst).space, Some(Space::Const | Space::Param))
    }

    /// Adds an instruction to the open loop.
    fn open(&mut self, inst: Inst) {
        let kernel = self.lane.kernel;
        self.open.push(inst);
        self.open_regs.extend(kernel.uses(inst));
        self.open_regs.extend(kernel.defs(inst));
        self.open_regs.extend(kernel.inst(inst).guard.map(|guard| guard.reg));
        self.open_writes |= !matches!(kernel.properties(inst).memory, Memory::None | Memory::Read);
    }

    /// Writes the open loop; with a guard, it counts the lanes in which that holds.
    fn flush(&mut self, counted: Option<Guard>) {
        self.text += &std::mem::take(&mut self.scalars);
        let insts = std::mem::take(&mut self.open);
        self.open_regs.clear();
        self.open_writes = false;
        if insts.is_empty() && counted.is_none() {
            return;
        }
        let mut code = String::new();
        for &inst in &insts {
            if self.lane.kernel.properties(inst).flow == Flow::Call {
                match self.lane.call(inst) {
                    Ok(call) => code += &call,
                    Err(refusal) => self.refuse(refusal),
                }
                continue;
            }
            match self.lane.statement(inst) {
                Ok(statement) => code += &statement,
                Err(refusal) => self.refuse(refusal),
            }
        }
        let mut more = Vec::new();
        if let Some(guard) = counted {
            self.text += "taken = 0;\n";
            let _ = writeln!(code, "taken += {};", self.lane.names.reg(guard.reg));
            more.push(guard.reg);
        }
        let text = self.for_lanes(&insts, &more, &code, true);
        self.text += &text;
        if self.mask.is_some() {
            for &inst in &insts {
                self.loose.extend(self.lane.kernel.uses(inst));
                self.loose.extend(self.lane.kernel.defs(inst));
            }
        }
    }

    /// A loop over lanes around the statements of some instructions of one block.
    fn for_lanes(&self, insts: &[Inst], more: &[Reg], code: &str, may_vectorise: bool) -> String {
        let emitter = &self.lane;
        let kernel = emitter.kernel;
        let (cfg, liveness) = (&emitter.analyses.cfg, &emitter.analyses.liveness);
        let live_in: Vec<Reg> = insts.first().map(|&inst| liveness.live_before(kernel, cfg, inst)).unwrap_or_default();
        let live_out: Vec<Reg> = insts.last().map(|&inst| liveness.live_after(kernel, cfg, inst)).unwrap_or_default();
        let mut defined: FxHashSet<Reg> = FxHashSet::default();
        let mut read: FxHashSet<Reg> = more.iter().copied().collect();
        for &inst in insts {
            defined.extend(kernel.defs(inst));
            read.extend(kernel.uses(inst));
            read.extend(kernel.inst(inst).guard.map(|guard| guard.reg));
        }
        let mut mentioned: Vec<Reg> = defined.iter().chain(&read).copied().collect();
        mentioned.sort_unstable();
        mentioned.dedup();
        let all = words(code);
        let (mut head, mut tail) = (String::new(), String::new());
        for &reg in &mentioned {
            let ty = emitter.ty(reg);
            if let Some(stride) = self.rows.forms.stride(reg) {
                let name = emitter.names.reg(reg);
                if all.contains(name) {
                    let _ = writeln!(head, "const {ty} {name} = {};", along(&format!("u_{name}"), ty, stride));
                }
                if let Some(address) = emitter.names.row_address(reg).filter(|address| all.contains(*address)) {
                    let _ = writeln!(
                        head,
                        "const int64_t {address} = (int64_t)(int32_t)u_{name} + INT64_C({stride}) * (int64_t)l;"
                    );
                }
                continue;
            }
            for name in emitter.variables(reg).into_iter().filter(|name| all.contains(name.as_str())) {
                let kept = live_in.contains(&reg) || more.contains(&reg) && !defined.contains(&reg);
                let zero = if ty == "pxrw_u128" { "{0, 0}" } else { "0" };
                let value = if kept { format!("v_{name}[l]") } else { zero.to_owned() };
                let _ = writeln!(head, "{ty} {name} = {value};");
                let is_kept = defined.contains(&reg) && live_out.contains(&reg);
                if !read.contains(&reg) && !is_kept {
                    let _ = writeln!(head, "(void){name};");
                }
                if is_kept {
                    let _ = writeln!(tail, "v_{name}[l] = {name};");
                }
            }
        }
        let mut text = String::new();
        if may_vectorise && self.rows.independent {
            text += "PXRW_INDEPENDENT\n";
        }
        text += "PXRW_FOR_LANES {\n";
        let body = match &self.mask {
            Some(mask) => format!("{}{head}if ({mask}[l]) {{\n{code}{tail}}}\n", lane_head(&all)),
            None => format!("{}{head}{code}{tail}", lane_head(&all)),
        };
        indent(&body, 4, &mut text);
        text + "}\n"
    }

    /// Branches and ends. Returns true if nothing of the block follows.
    fn control(&mut self, number: usize, inst: Inst, at: Start) -> bool {
        let kernel = self.lane.kernel;
        let guard = kernel.inst(inst).guard;
        let flow = kernel.properties(inst).flow;
        if flow == Flow::Call {
            // What follows in its block is run by those lanes that it has not ended.
            self.flush(None);
            self.leave_row_for_good(inst, at);
            return true;
        }
        if flow == Flow::Trap || flow == Flow::IndirectBranch && !self.uniform(inst) {
            return self.part_always(number, inst, at);
        }
        let taken = |writer: &mut Writer<'_>| match flow {
            Flow::Branch => {
                let cfg = &writer.lane.analyses.cfg;
                let target = cfg.succs(at.block).iter().find(|succ| succ.edge == Edge::Taken);
                match target {
                    Some(target) => writer.go(target.block),
                    None => {
                        let refusal = writer.lane.view(inst).refuse("only branches to labels are translated");
                        writer.refuse(refusal);
                    }
                }
            }
            Flow::IndirectBranch => {
                let switch = writer.switch(inst);
                match switch {
                    Ok(switch) => writer.text += &switch,
                    Err(refusal) => writer.refuse(refusal),
                }
            }
            _ => writer.leave(),
        };
        let Some(guard) = guard else {
            self.flush(None);
            taken(self);
            return true;
        };
        if self.rows.forms.is_uniform(guard.reg) {
            self.flush(None);
            let condition = self.scalar.view(inst).guard(guard);
            let _ = writeln!(self.text, "if ({condition}) {{");
            taken(self);
            self.text += "}\n";
            return false;
        }
        if self.graph.is_masked(number) {
            self.flush(None);
            self.masked(number, at.block);
            return true;
        }
        self.flush(Some(guard));
        let (all, none) = if guard.negated { ("0", "lanes") } else { ("lanes", "0") };
        let _ = writeln!(self.text, "if (taken == {all}) {{");
        taken(self);
        let _ = writeln!(self.text, "}}\nif (taken != {none}) {{");
        self.leave_row(number, inst, at);
        self.text += "}\n";
        false
    }

    /// Returns true if an instruction reads only what is the same for all lanes.
    fn uniform(&self, inst: Inst) -> bool {
        self.lane.kernel.uses(inst).iter().all(|&reg| self.rows.forms.is_uniform(reg))
    }

    /// The switch of a branch table whose index is the same for all lanes.
    fn switch(&self, inst: Inst) -> Result<String, Refusal> {
        let view = self.scalar.view(inst);
        let cfg = &self.lane.analyses.cfg;
        let index = view.source(0, Type::U32)?;
        let mut text = format!("switch ({index}) {{\n");
        let targets = self.lane.kernel.branch_targets(inst);
        for (number, &label) in targets.iter().enumerate() {
            let target = cfg.label_block(label).ok_or_else(|| view.refuse("a target is missing"))?;
            // An index behind the list has no meaning; the last target is as good as any.
            let case = if number + 1 == targets.len() { "default".to_owned() } else { format!("case {number}u") };
            let _ = writeln!(text, "{case}: goto {};", self.label(target));
        }
        Ok(text + "}\n")
    }

    /// Lanes run by themselves from an instruction on, whatever they do there.
    fn part_always(&mut self, number: usize, inst: Inst, at: Start) -> bool {
        self.flush(None);
        self.leave_row(number, inst, at);
        true
    }

    /// Lanes part at an instruction: each runs by itself up to where they meet again, or takes turns with the others of its warp.
    fn leave_row(&mut self, number: usize, inst: Inst, at: Start) {
        if let Some(cut) = self.cuts.part(inst) {
            self.take_turns(inst, cut);
            return;
        }
        let stop = self.graph.stop(number);
        let from = self.from(at, stop);
        let _ = writeln!(self.text, "from = {from};\ngoto {}_lanes;", self.name());
    }

    /// The same, for lanes that do not meet again before the next barrier.
    fn leave_row_for_good(&mut self, inst: Inst, at: Start) {
        if let Some(cut) = self.cuts.part(inst) {
            self.take_turns(inst, cut);
            return;
        }
        let from = self.from(at, None);
        let _ = writeln!(self.text, "from = {from};\ngoto {}_lanes;", self.name());
    }

    fn from(&mut self, at: Start, stop: Option<Block>) -> usize {
        self.froms.push((at, stop));
        self.froms.len() - 1
    }

    /// The warp takes turns from a cut on.
    fn take_turns(&mut self, inst: Inst, cut: Cut) {
        let emitter = &self.lane;
        let live = emitter.analyses.liveness.live_before(emitter.kernel, &emitter.analyses.cfg, inst);
        let mut lanes = String::new();
        for &reg in &live {
            for name in emitter.variables(reg) {
                let value = match self.rows.forms.stride(reg) {
                    Some(stride) => along(&format!("u_{name}"), emitter.ty(reg), stride),
                    None => format!("v_{name}[l]"),
                };
                let _ = writeln!(lanes, "s_{name}[first + l] = {value};");
            }
        }
        let mut text = String::from("PXRW_FOR_LANES {\n");
        indent(&lanes, 4, &mut text);
        let _ = writeln!(
            text,
            "    cta->at[first + l] = {};\n}}\n{{\n    pxrw_isolate(cta, first / PXRW_WARP_SIZE);\n    \
             const enum pxrw_pause pause = pxrw_rejoin(cta, first / PXRW_WARP_SIZE, pxrw_turns_{}(cta, given));\n    \
             if (pause != PXRW_DONE)\n        return pause;\n}}",
            cut.index(),
            self.symbol
        );
        for reg in emitter.kept(self.cuts) {
            if self.rows.forms.stride(reg).is_some() {
                let name = emitter.names.reg(reg);
                let _ = writeln!(text, "row_{name}[row] = s_{name}[first];");
            }
        }
        if self.graph.targets.len() > 1 {
            text += "pxrw_note_parted(cta, first, row, lanes);\n";
        }
        self.text += &text;
        let _ = writeln!(self.text, "goto {}_end;", self.name());
    }

    /// An operation that all lanes of a warp execute together.
    fn collective(&mut self, inst: Inst) -> Result<(), Refusal> {
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
    fn for_operands(&self, inst: Inst, code: &str) -> String {
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

    /// The code of lanes that have parted.
    fn lanes(&mut self) -> String {
        if self.froms.is_empty() {
            return String::new();
        }
        let emitter = self.alone;
        let kernel = emitter.kernel;
        let (cfg, liveness) = (&emitter.analyses.cfg, &emitter.analyses.liveness);
        let several = self.graph.targets.len() > 1;
        let mut lanes = Lanes::default();
        // Blocks that lanes of some beginning come to before they meet.
        let mut inner: FxHashSet<Block> = FxHashSet::default();
        let mut stops: FxHashMap<Block, Vec<usize>> = FxHashMap::default();
        for (number, (start, stop)) in self.froms.iter().enumerate() {
            if let Some(stop) = *stop {
                stops.entry(stop).or_default().push(number);
            }
            let mut seen: FxHashSet<Block> = FxHashSet::default();
            let mut work: Vec<Block> = self.graph.after(&emitter, self.cuts, *start);
            while let Some(block) = work.pop() {
                if Some(block) != *stop && seen.insert(block) {
                    work.extend(self.graph.after(&emitter, self.cuts, Start::of(block)));
                }
            }
            inner.extend(seen);
        }
        let ends = format!("{}_lanes", self.name());
        let keep = |live: &[Reg]| {
            let mut text = String::new();
            for &reg in live.iter().filter(|&&reg| self.rows.forms.stride(reg).is_none()) {
                for name in emitter.variables(reg) {
                    let _ = write!(text, "v_{name}[l] = {name}; ");
                }
            }
            text
        };
        for (&block, numbers) in &stops {
            let live: Vec<Reg> =
                liveness.live_in(block).iter().copied().filter(|reg| self.graph.defined.contains(reg)).collect();
            let kept = keep(&live);
            let text = if inner.contains(&block) {
                let conditions: Vec<String> = numbers.iter().map(|number| format!("from == {number}")).collect();
                format!("{{ if ({}) {{ {kept}continue; }} goto {ends}_b{}; }}", conditions.join(" || "), block.index())
            } else {
                format!("{{ {kept}continue; }}")
            };
            lanes.stops.insert(block, text);
        }
        for &target in &self.graph.targets {
            let Some(cut) = target else { continue };
            let mut text = String::new();
            for &reg in &self.cuts.cuts[cut].live {
                let form = self.rows.forms.stride(reg);
                if form.is_none() && !self.graph.defined.contains(&reg) {
                    continue;
                }
                for name in emitter.variables(reg) {
                    let _ = write!(text, "s_{name}[thread] = {name}; ");
                    if form.is_some() {
                        let _ = write!(text, "if (l == 0) row_{name}[row] = {name}; ");
                    }
                }
            }
            if several {
                let _ = write!(text, "cta->at[thread] = {}; ", cut.index());
            }
            lanes.arrivals.insert(cut, format!("{}\n", text.trim_end()));
        }
        lanes.leave =
            if several { "{ cta->at[thread] = PXRW_END; continue; }".to_owned() } else { "continue;".to_owned() };
        let starts = self.froms.iter().map(|(start, _)| *start).collect();
        let segment = emitter.segment_of(ends.clone(), Way::Lanes, starts, lanes);
        let code = match emitter.body(&segment) {
            Ok(code) => code,
            Err(more) => {
                self.refusals.extend(more);
                return String::new();
            }
        };
        let mut live: FxHashSet<Reg> = FxHashSet::default();
        for (start, _) in &self.froms {
            match cfg.insts(start.block).get(start.index) {
                Some(&inst) => live.extend(liveness.live_before(kernel, cfg, inst)),
                None => live.extend(liveness.live_out(start.block).iter().copied()),
            }
        }
        self.loose.extend(live.iter().copied());
        let all = words(&code);
        let mut head = String::new();
        for reg in kernel.regs() {
            let ty = emitter.ty(reg);
            for name in emitter.variables(reg).into_iter().filter(|name| all.contains(name.as_str())) {
                let zero = if ty == "pxrw_u128" { "{0, 0}" } else { "0" };
                let value = match self.rows.forms.stride(reg) {
                    _ if !live.contains(&reg) => zero.to_owned(),
                    Some(stride) => along(&format!("u_{name}"), ty, stride),
                    None => format!("v_{name}[l]"),
                };
                let _ = writeln!(head, "{ty} {name} = {value};\n(void){name};");
            }
        }
        let mut body = format!("{}{head}", lane_head(&all));
        if !all.contains("thread") {
            body = body.replace("(void)thread;\n", "");
        }
        body += "switch (from) {\n";
        for number in 1..self.froms.len() {
            let _ = writeln!(body, "case {number}: goto {ends}_f{number};");
        }
        let _ = writeln!(body, "default: goto {ends}_f0;\n}}");
        body += &code;
        let mut text = format!("{ends}:;\nPXRW_FOR_LANES {{\n");
        indent(&body, 4, &mut text);
        text += "}\n";
        if segment.traps {
            text += "if (cta->trapped)\n    return PXRW_TRAPPED;\n";
        }
        let mut joins = String::new();
        for (block, numbers) in &stops {
            for number in numbers {
                let _ = writeln!(joins, "case {number}: goto {};", self.label(*block));
            }
        }
        if !joins.is_empty() {
            let _ = write!(text, "switch (from) {{\n{joins}default: break;\n}}\n");
        }
        let leaves = self.graph.targets.iter().any(Option::is_some);
        if several {
            text += "pxrw_note_parted(cta, first, row, lanes);\n";
        }
        if !self.unformed.is_empty() && leaves {
            let conditions: Vec<String> = self.unformed.iter().map(|number| format!("from == {number}")).collect();
            let _ = writeln!(text, "if ({})\n    pxrw_note_apart(cta, row);", conditions.join(" || "));
        }
        text
    }
}

/// A text with its lines indented by the braces around them; labels stand further left.
fn nested(text: &str) -> String {
    let mut out = String::new();
    let mut depth = 0usize;
    for line in text.lines().map(str::trim) {
        let closes = line.chars().take_while(|&c| c == '}').count();
        let by = 4 * depth.saturating_sub(closes);
        let by = if line.ends_with(":;") { by.saturating_sub(4) } else { by };
        let _ = writeln!(out, "{:by$}{line}", "");
        let (opened, closed) = (line.matches('{').count(), line.matches('}').count());
        depth = (depth + opened).saturating_sub(closed);
    }
    out
}

/// The variable that says which lanes execute a block.
fn mask(block: Block) -> String {
    format!("m_b{}", block.index())
}

/// The variables of a lane that code mentions.
fn lane_head(words: &FxHashSet<&str>) -> String {
    let mut text = String::new();
    let has = |word: &str| words.contains(word);
    let (lane, warp) = (has("lane"), has("warp"));
    if has("thread") || lane || warp || has("local") {
        text += "const uint32_t thread = first + l;\n(void)thread;\n";
    }
    if lane || warp {
        text += "const uint32_t lane = thread % PXRW_WARP_SIZE, warp = thread / PXRW_WARP_SIZE;\n(void)lane;\n(void)warp;\n";
    }
    if has("tid") {
        text += "const pxrw_dim3 tid = {x + l, y, z};\n(void)tid;\n";
    }
    if has("local") {
        text += "unsigned char *const local = cta->local + (size_t)thread * cta->local_bytes;\n(void)local;\n";
    }
    text
}
