//! Code that lanes of a row run through together although they have parted: masks say which of them execute a block.

use std::fmt::Write as _;

use analysis::{Analyses, Block, Edge, Loop};
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;

use super::graph::RowNode;
use super::writer::Writer;

impl Writer<'_> {
    /// Code that lanes of a row run through together although they have parted: each block is executed by those lanes whose way leads through it. Of the blocks that lanes
    /// have come to, the first one in the order of the nodes is next. An iteration of a loop begins when no lane is in the one before it: lanes go back to the header behind
    /// the last block of the loop. `block` ends in the branch at which they part.
    pub(super) fn masked(&mut self, number: usize, block: Block) {
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
            let Analyses { cfg, loops, .. } = self.lane.analyses;
            let back_to = |block: Block| {
                let back = blocks.get(&block).filter(|&&back| back <= order)?;
                Some(format!("if (pxrw_any({}, lanes)) goto {}_m{number}_{back};\n", mask(block), self.name()))
            };
            let ends_iteration = |succ: &Block| loops.around(here).any(|id| loops.header(id) == *succ);
            let succs = cfg.distinct_succs(here).into_iter().filter(|succ| !ends_iteration(succ));
            let others: String = succs.filter_map(back_to).collect();
            // Also if no lane of the iteration has executed this block; inner loops first.
            let is_last =
                |id: &Loop| nodes.iter().rposition(|node| loops.contains(*id, node.start.block)) == Some(order);
            let iterations: String =
                loops.around(here).filter(is_last).filter_map(|id| back_to(loops.header(id))).collect();
            let _ = write!(self.text, "{others}}}\n{iterations}");
        }
        match self.graph.stop(number) {
            Some(stop) => self.go(stop),
            None => self.leave(),
        }
    }

    /// Leads the lanes that execute a block to those behind it; all lanes unless it is masked.
    pub(super) fn lead(&mut self, region: &FxHashMap<Block, usize>, block: Block, masked: bool) {
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
}

/// The variable that says which lanes execute a block.
pub(super) fn mask(block: Block) -> String {
    format!("m_b{}", block.index())
}
