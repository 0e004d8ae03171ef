//! Branches, and what becomes of lanes that part: each runs by itself up to where they meet again, or those of the warp take turns.

use std::fmt::Write as _;

use analysis::{Block, Edge};
use cranelift_entity::EntityRef;
use ptx_parser::{Flow, Inst, Reg, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use super::writer::{Writer, lane_head};
use super::{along, words};
use crate::cuts::Cut;
use crate::emit::segment::{Lanes, Start, Way, indent};
use crate::refusal::Refusal;

impl Writer<'_> {
    /// Branches and ends. Returns true if nothing of the block follows.
    pub(super) fn control(&mut self, number: usize, inst: Inst, at: Start) -> bool {
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
    pub(super) fn uniform(&self, inst: Inst) -> bool {
        self.lane.kernel.uses(inst).iter().all(|&reg| self.rows.forms.is_uniform(reg))
    }

    /// The switch of a branch table whose index is the same for all lanes.
    pub(super) fn switch(&self, inst: Inst) -> Result<String, Refusal> {
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
    pub(super) fn part_always(&mut self, number: usize, inst: Inst, at: Start) -> bool {
        self.flush(None);
        self.leave_row(number, inst, at);
        true
    }

    /// Lanes part at an instruction: each runs by itself up to where they meet again, or takes turns with the others of its warp.
    pub(super) fn leave_row(&mut self, number: usize, inst: Inst, at: Start) {
        if let Some(cut) = self.cuts.part(inst) {
            self.take_turns(inst, cut);
            return;
        }
        let stop = self.graph.stop(number);
        let from = self.from(at, stop);
        let _ = writeln!(self.text, "from = {from};\ngoto {}_lanes;", self.name());
    }

    /// The same, for lanes that do not meet again before the next barrier.
    pub(super) fn leave_row_for_good(&mut self, inst: Inst, at: Start) {
        if let Some(cut) = self.cuts.part(inst) {
            self.take_turns(inst, cut);
            return;
        }
        let from = self.from(at, None);
        let _ = writeln!(self.text, "from = {from};\ngoto {}_lanes;", self.name());
    }

    pub(super) fn from(&mut self, at: Start, stop: Option<Block>) -> usize {
        self.froms.push((at, stop));
        self.froms.len() - 1
    }

    /// The warp takes turns from a cut on.
    pub(super) fn take_turns(&mut self, inst: Inst, cut: Cut) {
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

    /// The code of lanes that have parted.
    pub(super) fn lanes(&mut self) -> String {
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
