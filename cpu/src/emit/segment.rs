//! Segments: the code that a thread runs by itself from one cut to the next ones, as statements of C.
//!
//! Registers are variables of C that are declared at the head of a segment. Those that are live at a cut are kept in arrays of the block, `s_NAME`, with an element
//! for each thread.

use std::fmt::Write as _;

use analysis::{Analyses, Block, Edge};
use cranelift_entity::EntityRef;
use ptx_parser::{Component, Flow, Inst, Kernel, Reg};
use rustc_hash::{FxHashMap, FxHashSet};

use super::names::{ModuleNames, Names};
use super::stacked::{self, Frame, Stacked};
use super::view::View;
use super::{collective, instruction};
use crate::cuts::{Cut, CutKind, Cuts, is_barrier, is_collective};
use crate::refusal::Refusal;

/// A kernel or function with all that its text is made from.
#[derive(Clone, Copy)]
pub(crate) struct Emitter<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) analyses: &'a Analyses,
    pub(crate) names: &'a Names,
    pub(crate) module: &'a ModuleNames,
    pub(crate) functions: &'a super::function::Functions<'a>,
    /// The cuts; `None` in a function, whose threads run to its end.
    pub(crate) cuts: Option<&'a Cuts>,
    /// The functions in which threads meet.
    pub(crate) stacked: &'a Stacked<'a>,
    /// The number in front of the positions of its cuts.
    pub(crate) first: u32,
    /// The frame of one of these functions; `None` for a kernel, and for a function whose threads run to its end.
    pub(crate) frame: Option<&'a Frame>,
}

/// A part of the code that a thread runs by itself.
pub(crate) struct Segment {
    /// Part of the labels.
    name: String,
    way: Way,
    /// The places where it begins. Where there are several, each has a label.
    starts: Vec<Start>,
    /// The blocks that it reaches from their beginning, in the order of the control flow.
    blocks: Vec<Block>,
    /// The registers that it may write.
    pub(crate) defined: FxHashSet<Reg>,
    /// The registers that it mentions, in their order.
    pub(crate) mentioned: Vec<Reg>,
    read: FxHashSet<Reg>,
    /// True if a thread may execute `trap`.
    pub(crate) traps: bool,
    /// How it is left, if lanes of a row run it.
    lanes: Lanes,
}

/// The place where the code of a block begins.
#[derive(Clone, Copy)]
pub(crate) struct Start {
    pub(crate) block: Block,
    /// The first instruction.
    pub(crate) index: usize,
    /// The cut in front of that instruction which the thread has just left; `None` where it comes from another block.
    pub(crate) left: Option<Cut>,
}

/// The statements by which a lane of a row leaves a segment (`super::rows`).
#[derive(Clone, Debug, Default)]
pub(crate) struct Lanes {
    /// In front of blocks where lanes meet again.
    pub(crate) stops: FxHashMap<Block, String>,
    /// At barriers.
    pub(crate) arrivals: FxHashMap<Cut, String>,
    /// At the end of the kernel.
    pub(crate) leave: String,
}

/// The way in which the threads of a segment are run, which decides how they end it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// Lanes of a warp that are at one position (`super::turns`).
    Turns,
    /// Lanes of a row that have parted, one behind the other (`super::rows`).
    Lanes,
    /// A function, which returns.
    Function,
}

impl Start {
    /// The beginning of a block.
    pub(crate) fn of(block: Block) -> Start {
        Start { block, index: 0, left: None }
    }
}

impl<'a> Emitter<'a> {
    /// The position of a cut.
    pub(crate) fn position(&self, cut: Cut) -> u32 {
        stacked::position(self, cut)
    }

    /// The index of a thread in the arrays of registers.
    fn slot(&self) -> &'static str {
        if self.frame.is_some() { "0" } else { "thread" }
    }

    pub(crate) fn view(&self, inst: Inst) -> View<'a> {
        View { kernel: self.kernel, inst, names: self.names, module: self.module }
    }

    /// The variables of a register: one, or one for each component.
    pub(crate) fn variables(&self, reg: Reg) -> Vec<String> {
        variables(self.kernel, self.names, reg)
    }

    pub(crate) fn ty(&self, reg: Reg) -> &'static str {
        self.names.ty(self.kernel, reg)
    }

    /// Finds what a segment consists of.
    pub(crate) fn segment(&self, way: Way, from: Option<Cut>) -> Segment {
        let (name, start) = match (self.cuts, from) {
            (Some(cuts), Some(cut)) => {
                let data = &cuts.cuts[cut];
                let left = Some(cut).filter(|&cut| self.is_implicit(cut));
                (format!("c{}", self.position(cut)), Start { block: data.block, index: data.index, left })
            }
            _ => ("f".to_owned(), Start::of(self.analyses.cfg.entry())),
        };
        self.segment_of(name, way, vec![start], Lanes::default())
    }

    /// Finds what a segment with given beginnings consists of. Blocks where lanes meet again are not part of it.
    pub(crate) fn segment_of(&self, name: String, way: Way, starts: Vec<Start>, lanes: Lanes) -> Segment {
        let cfg = &self.analyses.cfg;
        let mut reached: FxHashSet<Block> = FxHashSet::default();
        let mut insts: Vec<Inst> = Vec::new();
        let mut work = starts.clone();
        while let Some(Start { block, index, left }) = work.pop() {
            let mut stopped = false;
            for (at, &inst) in cfg.insts(block).iter().enumerate().skip(index) {
                insts.push(inst);
                let cut = self.cut_at(way, inst);
                // A guarded barrier or operation is passed by the lanes whose guard is false; all lanes meet in front of an instruction.
                if let Some(cut) = cut
                    && !(at == index && Some(cut) == left)
                    && (self.kernel.inst(inst).guard.is_none() || self.is_implicit(cut))
                {
                    stopped = true;
                    break;
                }
            }
            if stopped {
                continue;
            }
            for succ in cfg.distinct_succs(block) {
                let is_cut = self.cuts.is_some_and(|cuts| cuts.at_block(succ).is_some());
                let is_end = lanes.stops.get(&succ).is_some_and(|stop| stop.ends_with("continue; }"));
                if !is_cut && !is_end && reached.insert(succ) {
                    work.push(Start::of(succ));
                }
            }
        }
        let blocks = cfg.reverse_postorder().iter().copied().filter(|block| reached.contains(block)).collect();
        let (mut defined, mut read) = (FxHashSet::default(), FxHashSet::default());
        let mut mentioned = Vec::new();
        for &inst in &insts {
            let defs = self.kernel.defs(inst);
            let uses = self.kernel.uses(inst);
            mentioned.extend(defs.iter().chain(&uses).copied());
            mentioned.extend(self.kernel.inst(inst).guard.map(|guard| guard.reg));
            defined.extend(defs);
            read.extend(uses);
            read.extend(self.kernel.inst(inst).guard.map(|guard| guard.reg));
        }
        mentioned.sort_unstable();
        mentioned.dedup();
        let traps = insts.iter().any(|&inst| self.functions.may_trap(self.kernel, inst));
        Segment { name, way, starts, blocks, defined, mentioned, read, traps, lanes }
    }

    /// The cut at an instruction. Lanes of a row that run by themselves stop at barriers alone: where lanes meet, rows are not left.
    fn cut_at(&self, way: Way, inst: Inst) -> Option<Cut> {
        let cut = self.cuts.and_then(|cuts| cuts.at_inst(inst))?;
        (way != Way::Lanes || is_barrier(self.kernel, inst) && !self.is_implicit(cut)).then_some(cut)
    }

    pub(crate) fn is_implicit(&self, cut: Cut) -> bool {
        self.cuts.is_some_and(|cuts| matches!(cuts.cuts[cut].kind, CutKind::Implicit(_)))
    }

    /// The statements of a segment.
    pub(crate) fn body(&self, segment: &Segment) -> Result<String, Vec<Refusal>> {
        let mut text = String::new();
        let mut refusals = Vec::new();
        let next_of = |index: usize| segment.blocks.get(index).copied();
        for (number, &start) in segment.starts.iter().enumerate() {
            if segment.way == Way::Lanes {
                let _ = writeln!(text, "{}_f{number}:;", segment.name);
            }
            let next = if number + 1 == segment.starts.len() { next_of(0) } else { None };
            self.block(segment, start, next, &mut text, &mut refusals);
        }
        for (index, &block) in segment.blocks.iter().enumerate() {
            let _ = writeln!(text, "{}_b{}:;", segment.name, block.index());
            self.block(segment, Start::of(block), next_of(index + 1), &mut text, &mut refusals);
        }
        if !refusals.is_empty() {
            return Err(refusals);
        }
        // Labels that nothing leads to would be warnings. Those of lanes that have parted are seen with the code around them.
        if segment.way == Way::Lanes { Ok(text) } else { Ok(without_unused_labels(&text)) }
    }

    /// The statements of one block from a place on. `next` is the block whose statements follow.
    fn block(
        &self,
        segment: &Segment,
        Start { block, index: first, left }: Start,
        next: Option<Block>,
        text: &mut String,
        refusals: &mut Vec<Refusal>,
    ) {
        let cfg = &self.analyses.cfg;
        let insts = cfg.insts(block);
        for (index, &inst) in insts.iter().enumerate().skip(first) {
            let cut = self.cut_at(segment.way, inst);
            if let Some(cut) = cut
                && !(index == first && Some(cut) == left)
            {
                let guard = if self.is_implicit(cut) { None } else { self.kernel.inst(inst).guard };
                match self.arrive(segment, inst, cut) {
                    Ok(arrival) => match guard {
                        Some(guard) => {
                            let _ = writeln!(text, "if ({}) {{\n{arrival}}}", self.view(inst).guard(guard));
                        }
                        None => {
                            *text += &arrival;
                            return;
                        }
                    },
                    Err(refusal) => {
                        refusals.push(refusal);
                        return;
                    }
                }
                continue;
            }
            if self.kernel.properties(inst).flow == Flow::Next {
                match self.statement(inst) {
                    Ok(statement) => *text += &statement,
                    Err(refusal) => refusals.push(refusal),
                }
                continue;
            }
            if let Err(refusal) = self.control(segment, block, inst, text) {
                refusals.push(refusal);
            }
        }
        // What follows the last instruction.
        let through = cfg.succs(block).iter().find(|succ| succ.edge == Edge::Fallthrough);
        match through {
            Some(succ) => {
                let edge = self.edge(segment, succ.block);
                if next != Some(succ.block) || edge.starts_with('{') {
                    *text += &format!("{edge}\n");
                }
            }
            None if cfg.exits(block) && insts.last().is_none_or(|&inst| self.ends_open(inst)) => {
                *text += &format!("{}\n", self.leave(segment))
            }
            None => {}
        }
    }

    /// Returns true if a thread may go past the last instruction of a block that has no successor.
    fn ends_open(&self, inst: Inst) -> bool {
        let flow = self.kernel.properties(inst).flow;
        self.kernel.inst(inst).guard.is_some() || matches!(flow, Flow::Next | Flow::Call)
    }

    /// A statement, under its guard.
    pub(crate) fn statement(&self, inst: Inst) -> Result<String, Refusal> {
        let view = self.view(inst);
        let statement = instruction::emit(&view)?;
        Ok(match self.kernel.inst(inst).guard {
            Some(guard) => format!("if ({}) {{ {statement} }}\n", view.guard(guard)),
            None => format!("{statement}\n"),
        })
    }

    /// The end of a thread, or of a function.
    fn leave(&self, segment: &Segment) -> String {
        match segment.way {
            Way::Turns if self.frame.is_some() => "{ pxrw_return(cta, thread); continue; }".to_owned(),
            Way::Turns => EXIT.to_owned(),
            Way::Lanes => segment.lanes.leave.clone(),
            Way::Function => "return 0;".to_owned(),
        }
    }

    /// The end of a thread, also in a function that is called.
    fn end(&self, segment: &Segment) -> String {
        match segment.way {
            Way::Function => "return 1;".to_owned(),
            Way::Turns => EXIT.to_owned(),
            Way::Lanes => self.leave(segment),
        }
    }

    /// Returns true for a call in which a thread may end.
    pub(crate) fn may_end(&self, inst: Inst) -> bool {
        self.kernel.properties(inst).flow == Flow::Call
            && (self.functions.may_trap(self.kernel, inst) || self.functions.may_exit(self.kernel, inst))
    }

    /// The call of a function in which no thread ends, under its guard.
    pub(crate) fn call(&self, inst: Inst) -> Result<String, Refusal> {
        let view = self.view(inst);
        let call = self.functions.call(&view, "{ }")?;
        Ok(match self.kernel.inst(inst).guard {
            Some(guard) => format!("if ({}) {{ {} }}\n", view.guard(guard), call.trim_end()),
            None => format!("{}\n", call.trim_end()),
        })
    }

    /// Branches, calls and ends.
    pub(crate) fn control(
        &self,
        segment: &Segment,
        block: Block,
        inst: Inst,
        text: &mut String,
    ) -> Result<(), Refusal> {
        let view = self.view(inst);
        let cfg = &self.analyses.cfg;
        let what = match self.kernel.properties(inst).flow {
            Flow::Branch => {
                let taken = cfg.succs(block).iter().find(|succ| succ.edge == Edge::Taken);
                let taken = taken.ok_or_else(|| view.refuse("only branches to labels are translated"))?;
                self.edge(segment, taken.block)
            }
            Flow::IndirectBranch => {
                let index = view.source(0, ptx_parser::Type::U32)?;
                let mut switch = format!("switch ({index}) {{\n");
                for (number, label) in self.kernel.branch_targets(inst).into_iter().enumerate() {
                    let target = cfg.label_block(label).ok_or_else(|| view.refuse("a target is missing"))?;
                    let _ = writeln!(switch, "case {number}u: {}", self.edge(segment, target));
                }
                // An index behind the list has no meaning; the last target is as good as any.
                let last = self.kernel.branch_targets(inst).last().and_then(|&label| cfg.label_block(label));
                let last = last.ok_or_else(|| view.refuse("its list of targets is missing"))?;
                let _ = writeln!(switch, "default: {}\n}}", self.edge(segment, last));
                switch
            }
            Flow::Return => self.leave(segment),
            Flow::Exit => self.end(segment),
            Flow::Trap => {
                let line = self.kernel.text_position(inst).map_or(0, |at| at.line);
                format!("{{ pxrw_trap(cta, warp, lane, {line}u); {} }}", self.end(segment))
            }
            Flow::Call => self.functions.call(&view, &self.end(segment))?,
            Flow::Next => String::new(),
        };
        match self.kernel.inst(inst).guard {
            Some(guard) => {
                let _ = writeln!(text, "if ({}) {{ {} }}", view.guard(guard), what.trim_end());
            }
            None => {
                let _ = writeln!(text, "{}", what.trim_end());
            }
        }
        Ok(())
    }

    /// Goes to a block: to its label, or to the cut at its head.
    fn edge(&self, segment: &Segment, target: Block) -> String {
        if let Some(stop) = segment.lanes.stops.get(&target) {
            return stop.clone();
        }
        match self.cuts.and_then(|cuts| cuts.at_block(target)) {
            Some(cut) => {
                format!(
                    "{{ {}pxrw_yield(cta, warp, lane, {}); continue; }}",
                    self.save(segment, cut),
                    self.position(cut)
                )
            }
            None => format!("goto {}_b{};", segment.name, target.index()),
        }
    }

    /// Keeps the registers that are live at a cut and may have changed.
    fn save(&self, segment: &Segment, cut: Cut) -> String {
        let Some(cuts) = self.cuts else { return String::new() };
        let mut text = String::new();
        for &reg in cuts.cuts[cut].live.iter().filter(|reg| segment.defined.contains(reg)) {
            for name in self.variables(reg) {
                let _ = write!(text, "s_{name}[{}] = {name}; ", self.slot());
            }
        }
        text
    }

    /// Comes to a cut at an instruction.
    fn arrive(&self, segment: &Segment, inst: Inst, cut: Cut) -> Result<String, Refusal> {
        let view = self.view(inst);
        if segment.way == Way::Lanes {
            let arrival = segment.lanes.arrivals.get(&cut).cloned().unwrap_or_default();
            return Ok(format!("{arrival}continue;\n"));
        }
        let save = self.save(segment, cut);
        let arrival = match segment.way {
            _ if is_barrier(self.kernel, inst) => {
                format!("{}\n", collective::arrive_barrier(&view, self.position(cut))?)
            }
            _ if is_collective(self.kernel, inst) => format!("{}\n", collective::arrive(&view, self.position(cut))?),
            _ if self.is_implicit(cut) => format!("pxrw_meet(cta, warp, lane, {});\n", self.position(cut)),
            _ => self.stacked.call(self.functions, &view, self.position(cut))?,
        };
        let save = if save.is_empty() { save } else { format!("{}\n", save.trim_end()) };
        Ok(format!("{save}{arrival}continue;\n"))
    }

    /// Declares the registers that the code of a segment mentions. Those that are live where it begins are taken from the state of the block, the others are 0.
    pub(crate) fn declare(&self, segment: &Segment, live: &[Reg], code: &str) -> String {
        let mut text = String::new();
        let words: FxHashSet<&str> = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
        for &reg in &segment.mentioned {
            let ty = self.ty(reg);
            for name in self.variables(reg).into_iter().filter(|name| words.contains(name.as_str())) {
                let _ = match live.contains(&reg) {
                    true => writeln!(text, "{ty} {name} = s_{name}[{}];", self.slot()),
                    false if ty == "pxrw_u128" => writeln!(text, "{ty} {name} = {{0, 0}};"),
                    false => writeln!(text, "{ty} {name} = 0;"),
                };
                if !segment.read.contains(&reg) {
                    let _ = writeln!(text, "(void){name};");
                }
            }
        }
        text
    }

    /// The registers that are live at a cut, the largest first, so that the array of each is aligned.
    pub(crate) fn kept(&self, cuts: &Cuts) -> Vec<Reg> {
        kept(self.names, self.kernel, cuts)
    }

    /// The declarations of the arrays of registers that are live at a cut, and the bytes of all of a thread.
    pub(crate) fn state(&self, cuts: &Cuts) -> (String, u64) {
        let (mut text, mut state) = (String::new(), 0);
        for (name, ty) in kept_variables(self.kernel, self.names, cuts) {
            let _ = writeln!(text, "    {ty} *const s_{name} = ({ty} *)(cta->state + (size_t)cta->threads * {state});");
            state += bytes_of(ty);
        }
        (text, state)
    }

    /// The body of a function, whose threads run from its beginning to its end.
    ///
    /// # Errors
    /// Instructions that are not translated.
    pub(crate) fn function_body(&self) -> Result<String, Vec<Refusal>> {
        let segment = self.segment(Way::Function, None);
        let code = self.body(&segment)?;
        let mut text = self.declare(&segment, &[], &code);
        text += &code;
        let mut indented = String::new();
        indent(&text, 4, &mut indented);
        Ok(indented)
    }
}

/// The end of a thread that takes turns.
const EXIT: &str = "{ pxrw_exit(cta, warp, lane); continue; }";

/// The variables of a register: one, or one for each component.
fn variables(kernel: &Kernel, names: &Names, reg: Reg) -> Vec<String> {
    let name = names.reg(reg);
    match kernel.reg(reg).lanes {
        0 | 1 => vec![name.to_owned()],
        lanes => Component::ALL.iter().take(lanes.into()).map(|c| format!("{name}_{}", c.text())).collect(),
    }
}

/// The registers that are live at cuts, the largest first, so that each is aligned behind those before it.
fn kept(names: &Names, kernel: &Kernel, cuts: &Cuts) -> Vec<Reg> {
    let mut kept: Vec<Reg> = cuts.cuts.values().flat_map(|cut| cut.live.iter().copied()).collect();
    kept.sort_unstable();
    kept.dedup();
    kept.sort_by_key(|&reg| std::cmp::Reverse(bytes_of(names.ty(kernel, reg))));
    kept
}

/// Their variables, with their types.
pub(crate) fn kept_variables(kernel: &Kernel, names: &Names, cuts: &Cuts) -> Vec<(String, &'static str)> {
    kept(names, kernel, cuts)
        .into_iter()
        .flat_map(|reg| variables(kernel, names, reg).into_iter().map(move |name| (name, names.ty(kernel, reg))))
        .collect()
}

/// A text without the labels that no `goto` in it names, and without jumps to where it goes on anyway.
pub(crate) fn without_unused_labels(text: &str) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let jumps = |index: usize, line: &str| {
        let target = line.trim().strip_prefix("goto ").and_then(|rest| rest.strip_suffix(';'));
        let next = lines.get(index + 1).and_then(|next| next.trim().strip_suffix(":;"));
        target.is_none() || target != next
    };
    let lines: Vec<&str> =
        lines.iter().enumerate().filter(|(index, line)| jumps(*index, line)).map(|(_, line)| *line).collect();
    let targets: FxHashSet<&str> = lines
        .iter()
        .flat_map(|line| line.split("goto ").skip(1))
        .filter_map(|rest| Some(rest.split_once(';')?.0))
        .collect();
    let is_needed = |line: &&str| line.trim_end().strip_suffix(":;").is_none_or(|label| targets.contains(label.trim()));
    lines.into_iter().filter(is_needed).collect()
}

/// The bytes of a type of C.
pub(crate) fn bytes_of(ty: &str) -> u64 {
    match ty {
        "uint8_t" => 1,
        "uint16_t" => 2,
        "uint32_t" | "float" => 4,
        "uint64_t" | "double" => 8,
        _ => 16,
    }
}

/// Indents lines; labels stand further left.
pub(crate) fn indent(text: &str, by: usize, out: &mut String) {
    for line in text.lines() {
        let by = if line.ends_with(":;") { by.saturating_sub(4) } else { by };
        let _ = writeln!(out, "{:by$}{line}", "");
    }
}
