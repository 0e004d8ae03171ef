//! A kernel as a function of C that runs a block until its threads have ended or wait for another block.
//!
//! Each cut is a case of a switch over positions: the lanes of a warp that are at a cut run its segment one after the other, each up to the next cut.
//!
//! ```c
//! static enum pxrw_pause k_run(pxrw_cta *cta, const unsigned char *params)
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

use std::fmt::Write as _;

use analysis::{Analyses, Block, Edge};
use cranelift_entity::EntityRef;
use ptx_parser::{Component, Flow, Inst, Kernel, Reg};
use rustc_hash::FxHashSet;

use super::names::{ModuleNames, Names, c_type};
use super::view::View;
use super::{collective, instruction};
use crate::cuts::{Cut, CutKind, Cuts, is_barrier, is_collective};
use crate::refusal::Refusal;

/// What a kernel or function is emitted from.
pub(crate) struct Emitter<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) analyses: &'a Analyses,
    pub(crate) names: &'a Names,
    pub(crate) module: &'a ModuleNames,
    pub(crate) functions: &'a super::function::Functions<'a>,
    /// The cuts; `None` in a function, whose threads run to its end.
    pub(crate) cuts: Option<&'a Cuts>,
}

/// A part of the code that a thread runs by itself.
struct Segment {
    /// Part of the labels.
    name: String,
    start: Block,
    first: usize,
    /// The blocks that it reaches from their beginning, in the order of the control flow.
    blocks: Vec<Block>,
    /// The registers that it may write.
    defined: FxHashSet<Reg>,
    /// The registers that it mentions, in their order.
    mentioned: Vec<Reg>,
    read: FxHashSet<Reg>,
}

impl<'a> Emitter<'a> {
    pub(crate) fn view(&self, inst: Inst) -> View<'a> {
        View { kernel: self.kernel, inst, names: self.names, module: self.module }
    }

    /// The variables of a register: one, or one for each component.
    pub(crate) fn variables(&self, reg: Reg) -> Vec<String> {
        match self.kernel.reg(reg).lanes {
            0 | 1 => vec![self.names.reg(reg).to_owned()],
            lanes => Component::ALL
                .iter()
                .take(lanes.into())
                .map(|c| format!("{}_{}", self.names.reg(reg), c.text()))
                .collect(),
        }
    }

    fn ty(&self, reg: Reg) -> &'static str {
        c_type(self.kernel.reg(reg).ty)
    }

    /// Returns the function that runs a block, and the bytes of registers that it keeps for each thread.
    ///
    /// # Errors
    /// Instructions that are not translated.
    pub(crate) fn run_function(&self, cuts: &Cuts, symbol: &str) -> Result<(String, u64), Vec<Refusal>> {
        let mut kept: Vec<Reg> = cuts.cuts.values().flat_map(|cut| cut.live.iter().copied()).collect();
        kept.sort_unstable();
        kept.dedup();
        // The largest first, so that each array is aligned.
        kept.sort_by_key(|&reg| std::cmp::Reverse(bytes(self.ty(reg))));
        let mut text = String::new();
        let _ = writeln!(text, "static enum pxrw_pause {symbol}_run(pxrw_cta *cta, const unsigned char *params)\n{{");
        let mut state = 0;
        for &reg in &kept {
            let ty = self.ty(reg);
            for name in self.variables(reg) {
                let _ =
                    writeln!(text, "    {ty} *const s_{name} = ({ty} *)(cta->state + (size_t)cta->threads * {state});");
                state += bytes(ty);
            }
        }
        text += "    (void)params;\n    for (;;) {\n        int ran = 0;\n        for (uint32_t warp = 0; warp < cta->warps; ++warp) {\n";
        text += "            uint32_t position, group;\n            while ((group = pxrw_pick(cta, warp, &position)) != 0) {\n";
        text += "                ran = 1;\n                switch (position) {\n";
        let mut refusals = Vec::new();
        for cut in cuts.cuts.keys() {
            match self.case(cuts, cut) {
                Ok(case) => text += &case,
                Err(more) => refusals.extend(more),
            }
        }
        text += "                }\n                pxrw_settle(cta, warp);\n                if (cta->trapped)\n                    return PXRW_TRAPPED;\n";
        text += "            }\n        }\n        if (cta->live_warps == 0)\n            return PXRW_DONE;\n        if (pxrw_resume(cta))\n            return PXRW_WAITS;\n";
        text += "        if (!ran)\n            return PXRW_STUCK;\n    }\n}\n";
        if refusals.is_empty() { Ok((text, state)) } else { Err(refusals) }
    }

    /// The case of the switch for one cut.
    fn case(&self, cuts: &Cuts, cut: Cut) -> Result<String, Vec<Refusal>> {
        let data = &cuts.cuts[cut];
        let segment = self.segment(format!("c{}", cut.index()), data.block, data.index, Some(cut));
        let mut text = format!("                case {}: {{ /* {} */\n", cut.index(), self.describe(data.kind));
        let prologue = match data.kind {
            CutKind::Collective(inst) => Some(collective::resume(&self.view(inst)).map_err(|refusal| vec![refusal])?),
            CutKind::Barrier(inst) => collective::resume_barrier(&self.view(inst)).map_err(|refusal| vec![refusal])?,
            _ => None,
        };
        if let Some(prologue) = &prologue {
            text += &prologue.for_group;
        }
        text += "                    for (uint32_t rest = group; rest != 0; rest &= rest - 1) {\n";
        let mut body = String::from(
            "const uint32_t lane = pxrw_lowest(rest), thread = warp * PXRW_WARP_SIZE + lane;\n\
             const pxrw_dim3 tid = cta->tid[thread];\n\
             unsigned char *const local = cta->local + (size_t)thread * cta->local_bytes;\n\
             (void)tid;\n(void)local;\n",
        );
        let prologue_inst = match data.kind {
            CutKind::Collective(inst) | CutKind::Barrier(inst) => Some(inst),
            _ => None,
        };
        let mut mentioned = segment.mentioned.clone();
        let mut defined = segment.defined.clone();
        if let (Some(inst), Some(_)) = (prologue_inst, &prologue) {
            for reg in self.kernel.defs(inst) {
                defined.insert(reg);
                if !mentioned.contains(&reg) {
                    mentioned.push(reg);
                }
            }
        }
        for &reg in &mentioned {
            let ty = self.ty(reg);
            for name in self.variables(reg) {
                let _ = match data.live.contains(&reg) {
                    true => writeln!(body, "{ty} {name} = s_{name}[thread];"),
                    false if ty == "pxrw_u128" => writeln!(body, "{ty} {name} = {{0, 0}};"),
                    false => writeln!(body, "{ty} {name} = 0;"),
                };
                if !segment.read.contains(&reg) {
                    let _ = writeln!(body, "(void){name};");
                }
            }
        }
        if let Some(prologue) = prologue {
            body += &prologue.for_lane;
        }
        let segment = Segment { defined, mentioned, ..segment };
        let code = self.body(&segment, Some(cut))?;
        for (name, bytes) in self.names.call_params.iter().filter(|(name, _)| code.contains(name.as_str())) {
            let _ = writeln!(body, "PXRW_ALIGN(16) unsigned char {name}[{bytes}] = {{0}};");
        }
        body += &code;
        indent(&body, 24, &mut text);
        text += "                    }\n                    break;\n                }\n";
        Ok(text)
    }

    /// Says what a cut is.
    fn describe(&self, kind: CutKind) -> String {
        let at = |inst: Inst| {
            let line = self.kernel.text_position(inst).map_or(String::new(), |at| format!(", line {}", at.line));
            format!("`{}`{line}", self.kernel.opcode(inst).text())
        };
        match kind {
            CutKind::Entry => "the entry".to_owned(),
            CutKind::Barrier(inst) => format!("behind {}", at(inst)),
            CutKind::Collective(inst) => at(inst),
            CutKind::Implicit(inst) => format!("in front of {}", at(inst)),
            CutKind::Turn => "the head of a loop that may wait".to_owned(),
        }
    }

    /// Finds what a segment consists of.
    fn segment(&self, name: String, start: Block, first: usize, from: Option<Cut>) -> Segment {
        let cfg = &self.analyses.cfg;
        let mut reached: FxHashSet<Block> = FxHashSet::default();
        let mut insts: Vec<Inst> = Vec::new();
        let mut work = vec![(start, first)];
        while let Some((block, index)) = work.pop() {
            let mut stopped = false;
            for (at, &inst) in cfg.insts(block).iter().enumerate().skip(index) {
                insts.push(inst);
                let cut = self.cuts.and_then(|cuts| cuts.at_inst(inst));
                let is_own = (block, at) == (start, first) && index == first;
                // A guarded barrier or operation is passed by the lanes whose guard is false; all lanes meet in front of an instruction.
                if let Some(cut) = cut
                    && !(is_own && Some(cut) == from)
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
                if !is_cut && reached.insert(succ) {
                    work.push((succ, 0));
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
        Segment { name, start, first, blocks, defined, mentioned, read }
    }

    fn is_implicit(&self, cut: Cut) -> bool {
        self.cuts.is_some_and(|cuts| matches!(cuts.cuts[cut].kind, CutKind::Implicit(_)))
    }

    /// The statements of a segment.
    fn body(&self, segment: &Segment, from: Option<Cut>) -> Result<String, Vec<Refusal>> {
        let mut text = String::new();
        let mut refusals = Vec::new();
        let next_of = |index: usize| segment.blocks.get(index).copied();
        self.block(segment, segment.start, segment.first, from, next_of(0), &mut text, &mut refusals);
        for (index, &block) in segment.blocks.iter().enumerate() {
            let _ = writeln!(text, "{}_b{}:;", segment.name, block.index());
            self.block(segment, block, 0, None, next_of(index + 1), &mut text, &mut refusals);
        }
        // Labels that nothing leads to would be warnings.
        for &block in &segment.blocks {
            let label = format!("{}_b{}", segment.name, block.index());
            if !text.contains(&format!("goto {label};")) {
                text = text.replace(&format!("{label}:;\n"), "");
            }
        }
        if refusals.is_empty() { Ok(text) } else { Err(refusals) }
    }

    /// The statements of one block from an instruction on. `next` is the block whose statements follow.
    #[expect(clippy::too_many_arguments, reason = "it goes on with what the segment has become so far")]
    fn block(
        &self,
        segment: &Segment,
        block: Block,
        first: usize,
        from: Option<Cut>,
        next: Option<Block>,
        text: &mut String,
        refusals: &mut Vec<Refusal>,
    ) {
        let cfg = &self.analyses.cfg;
        let insts = cfg.insts(block);
        for (index, &inst) in insts.iter().enumerate().skip(first) {
            let cut = self.cuts.and_then(|cuts| cuts.at_inst(inst));
            if let Some(cut) = cut
                && !(Some(cut) == from && index == first && self.is_implicit(cut))
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
            None if cfg.exits(block) && insts.last().is_none_or(|&inst| self.ends_open(inst)) => *text += &self.leave(),
            None => {}
        }
    }

    /// Returns true if a thread may go past the last instruction of a block that has no successor.
    fn ends_open(&self, inst: Inst) -> bool {
        let flow = self.kernel.properties(inst).flow;
        self.kernel.inst(inst).guard.is_some() || matches!(flow, Flow::Next | Flow::Call)
    }

    /// A statement, under its guard.
    fn statement(&self, inst: Inst) -> Result<String, Refusal> {
        let view = self.view(inst);
        let statement = instruction::emit(&view)?;
        Ok(match self.kernel.inst(inst).guard {
            Some(guard) => format!("if ({}) {{ {statement} }}\n", view.guard(guard)),
            None => format!("{statement}\n"),
        })
    }

    /// The end of a thread, or of a function.
    fn leave(&self) -> String {
        match self.cuts {
            Some(_) => "{ pxrw_exit(cta, warp, lane); continue; }\n".to_owned(),
            None => "return;\n".to_owned(),
        }
    }

    /// Branches, calls and ends.
    fn control(&self, segment: &Segment, block: Block, inst: Inst, text: &mut String) -> Result<(), Refusal> {
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
            Flow::Return => self.leave(),
            Flow::Exit => match self.cuts {
                Some(_) => self.leave(),
                None => return Err(view.refuse("`exit` in a function that is called is not translated")),
            },
            Flow::Trap => {
                let line = self.kernel.text_position(inst).map_or(0, |at| at.line);
                format!(
                    "{{ pxrw_trap(cta, warp, lane, {line}u); {} }}",
                    if self.cuts.is_some() { "continue;" } else { "return;" }
                )
            }
            Flow::Call => self.functions.call(&view)?,
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
        match self.cuts.and_then(|cuts| cuts.at_block(target)) {
            Some(cut) => {
                format!("{{ {}pxrw_yield(cta, warp, lane, {}); continue; }}", self.save(segment, cut), cut.index())
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
                let _ = write!(text, "s_{name}[thread] = {name}; ");
            }
        }
        text
    }

    /// Comes to a cut at an instruction.
    fn arrive(&self, segment: &Segment, inst: Inst, cut: Cut) -> Result<String, Refusal> {
        let view = self.view(inst);
        let save = self.save(segment, cut);
        let arrival = match () {
            () if is_barrier(self.kernel, inst) => collective::arrive_barrier(&view, cut)?,
            () if is_collective(self.kernel, inst) => collective::arrive(&view, cut)?,
            () => format!("pxrw_meet(cta, warp, lane, {});", cut.index()),
        };
        let save = if save.is_empty() { save } else { format!("{}\n", save.trim_end()) };
        Ok(format!("{save}{arrival}\ncontinue;\n"))
    }

    /// The body of a function, whose threads run from its beginning to its end.
    ///
    /// # Errors
    /// Instructions that are not translated.
    pub(crate) fn function_body(&self) -> Result<String, Vec<Refusal>> {
        let segment = self.segment("f".to_owned(), self.analyses.cfg.entry(), 0, None);
        let mut text = String::new();
        for &reg in &segment.mentioned {
            let ty = self.ty(reg);
            for name in self.variables(reg) {
                let zero = if ty == "pxrw_u128" { "{0, 0}" } else { "0" };
                let _ = writeln!(text, "{ty} {name} = {zero};");
                if !segment.read.contains(&reg) {
                    let _ = writeln!(text, "(void){name};");
                }
            }
        }
        text += &self.body(&segment, None)?;
        let mut indented = String::new();
        indent(&text, 4, &mut indented);
        Ok(indented)
    }
}

/// The bytes of a type of C.
fn bytes(ty: &str) -> u64 {
    match ty {
        "uint8_t" => 1,
        "uint16_t" => 2,
        "uint32_t" => 4,
        "uint64_t" => 8,
        _ => 16,
    }
}

/// Indents lines; labels stand further left.
fn indent(text: &str, by: usize, out: &mut String) {
    for line in text.lines() {
        let by = if line.ends_with(":;") { by.saturating_sub(4) } else { by };
        let _ = writeln!(out, "{:by$}{line}", "");
    }
}
