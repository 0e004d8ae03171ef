//! The code of a row of lanes from one cut to the next barriers: what is executed once for all lanes, and loops over lanes around the rest.

use std::fmt::Write as _;

use analysis::Block;
use cranelift_entity::EntityRef;
use ptx_parser::{Flow, Guard, Inst, Memory, Mnemonic, Reg, Space, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{RowGraph, RowNode};
use super::masked::mask;
use super::{Declarations, Rows, along, declarations, words};
use crate::cuts::{Cut, CutKind, Cuts, is_barrier, is_collective};
use crate::emit::segment::{Emitter, Start, indent, without_unused_labels};
use crate::refusal::Refusal;

/// The most registers of a kernel whose lanes keep them on the stack.
const MOST_ON_STACK: usize = 2000;

/// The code of the segment behind one cut, as it is written.
pub(super) struct Writer<'w> {
    /// Names of registers are those of one lane.
    pub(super) lane: Emitter<'w>,
    /// Those that have a form are scalars.
    pub(super) scalar: Emitter<'w>,
    /// Lanes that have parted.
    pub(super) alone: Emitter<'w>,
    pub(super) rows: &'w Rows<'w>,
    pub(super) cuts: &'w Cuts,
    pub(super) graph: &'w RowGraph,
    pub(super) symbol: &'w str,
    pub(super) cut: Cut,
    pub(super) text: String,
    /// Statements that are executed once, in front of the open loop.
    pub(super) scalars: String,
    /// The instructions of the open loop over lanes.
    pub(super) open: Vec<Inst>,
    pub(super) open_writes: bool,
    pub(super) open_regs: FxHashSet<Reg>,
    /// The places where lanes part, and the block where they meet again.
    pub(super) froms: Vec<(Start, Option<Block>)>,
    pub(super) refusals: Vec<Refusal>,
    /// The variable that says which lanes execute a block, in code that some lanes pass over.
    pub(super) mask: Option<String>,
    /// Registers that are read where some lanes may not have written them. Nobody uses what those lanes read.
    pub(super) loose: FxHashSet<Reg>,
    /// True if a row may end with its registers kept for each thread.
    pub(super) notes_apart: bool,
    /// Those of `froms` behind which the form of a register may not hold.
    pub(super) unformed: Vec<usize>,
}

impl Writer<'_> {
    /// The function that runs a row from the cut to the next barriers.
    pub(super) fn function(&mut self, state: &Declarations, row_state: &Declarations) -> String {
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
        // Read once: then the compiler knows that it is the base of all addresses.
        let code = code.replace("(cta->shared + ", "(pxrw_shared + ");
        if code.contains("(pxrw_shared + ") {
            head += "unsigned char *const pxrw_shared = cta->shared;\n";
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
    pub(super) fn reached(&self, nodes: &[String], lanes: &str) -> String {
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

    pub(super) fn name(&self) -> String {
        format!("c{}", self.cut.index())
    }

    pub(super) fn label(&self, block: Block) -> String {
        format!("c{}_b{}", self.cut.index(), block.index())
    }

    pub(super) fn refuse(&mut self, refusal: Refusal) {
        self.refusals.push(refusal);
    }

    /// The code of a block, from its first instruction in this segment.
    pub(super) fn node(&mut self, number: usize, node: &RowNode) {
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
    pub(super) fn straight(&mut self, block: Block, index: usize, inst: Inst) -> bool {
        let kernel = self.lane.kernel;
        if self.rows.meetings.meet_at(kernel, self.cuts, inst) {
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

    /// Goes to the beginning of a block. Where its code follows, the jump is left out by the caller's text.
    pub(super) fn go(&mut self, block: Block) {
        let _ = writeln!(self.text, "goto {};", self.label(block));
    }

    /// The threads end.
    pub(super) fn leave(&mut self) {
        if self.graph.targets.len() > 1 {
            self.text += "PXRW_FOR_LANES cta->at[first + l] = PXRW_END;\n";
        }
        let _ = writeln!(self.text, "goto {}_end;", self.name());
    }

    /// The lanes come to a barrier.
    pub(super) fn arrive(&mut self, cut: Cut) {
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
    pub(super) fn scalar(&mut self, inst: Inst, at: Start) {
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
        for reg in self.widened(inst) {
            for name in self.scalar.variables(reg) {
                let _ = writeln!(self.scalars, "PXRW_OPAQUE({name});");
            }
        }
    }

    /// The registers of 64 bits in which an instruction leaves a number without a sign of 32 bits or fewer: gcc makes wrong addresses of such a scalar and a vector.
    fn widened(&self, inst: Inst) -> Vec<Reg> {
        let kernel = self.lane.kernel;
        let opcode = kernel.opcode(inst);
        let narrows = matches!(opcode.mnemonic(), Mnemonic::And | Mnemonic::Shr | Mnemonic::Bfe);
        let is_narrow = |reg: &Reg| kernel.reg(*reg).ty != Type::Pred && kernel.reg(*reg).ty.bits() < 64;
        let has_sign = opcode.types().last().is_some_and(|ty| matches!(ty, Type::S8 | Type::S16 | Type::S32));
        if !narrows && (has_sign || !kernel.uses(inst).iter().any(is_narrow)) {
            return Vec::new();
        }
        let is_wide = |reg: &Reg| kernel.reg(*reg).ty.bits() == 64 && self.scalar.names.float(*reg).is_none();
        kernel.defs(inst).into_iter().filter(is_wide).collect()
    }

    /// Returns true for a load of what no thread writes.
    pub(super) fn is_constant(&self, inst: Inst) -> bool {
        let kernel = self.lane.kernel;
        kernel.opcode(inst).is_noncoherent()
            || matches!(kernel.properties(inst).space, Some(Space::Const | Space::Param))
    }

    /// Adds an instruction to the open loop.
    pub(super) fn open(&mut self, inst: Inst) {
        let kernel = self.lane.kernel;
        self.open.push(inst);
        self.open_regs.extend(kernel.uses(inst));
        self.open_regs.extend(kernel.defs(inst));
        self.open_regs.extend(kernel.inst(inst).guard.map(|guard| guard.reg));
        self.open_writes |= !matches!(kernel.properties(inst).memory, Memory::None | Memory::Read);
    }

    /// Writes the open loop; with a guard, it counts the lanes in which that holds.
    pub(super) fn flush(&mut self, counted: Option<Guard>) {
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
    pub(super) fn for_lanes(&self, insts: &[Inst], more: &[Reg], code: &str, may_vectorise: bool) -> String {
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
}

/// A text with its lines indented by the braces around them; labels stand further left.
pub(super) fn nested(text: &str) -> String {
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

/// The variables of a lane that code mentions.
pub(super) fn lane_head(words: &FxHashSet<&str>) -> String {
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
