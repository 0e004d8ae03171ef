//! Construction of the [`Cfg`]: statements are cut into blocks, terminators become edges, and the reachable blocks are
//! put in order.

use ptx_parser::{Flow, Operand, StmtKind, Symbol};
use rustc_hash::FxHashMap;

use super::*;

/// Builds the graph.
pub(super) fn build(kernel: &Kernel) -> Cfg {
    let mut cfg = Cfg {
        blocks: PrimaryMap::new(),
        insts: Vec::with_capacity(kernel.inst_count()),
        block_of: SecondaryMap::with_capacity(kernel.inst_count()),
        label_block: SecondaryMap::with_capacity(kernel.labels().len()),
        rpo: Vec::new(),
        rpo_index: SecondaryMap::with_default(u32::MAX),
    };
    cfg.cut(kernel);
    cfg.connect(kernel);
    cfg.order();
    cfg
}

impl Cfg {
    /// Cuts the statements into blocks.
    fn cut(&mut self, kernel: &Kernel) {
        let mut current = self.open(0);
        // Whether the block has its terminator, and whether it holds an instruction or a marker.
        let (mut ended, mut filled) = (false, false);
        for (index, stmt) in kernel.stmts().iter().enumerate() {
            let starts = match stmt.kind {
                // Labels in a row start one block together. The entry block may be empty, so that nothing branches to
                // it.
                StmtKind::Label(_) => ended || filled || current == self.entry(),
                // A marker behind a terminator is passed on the way that falls through, not on the way over a label.
                StmtKind::Inst(_) | StmtKind::Marker(_) => ended,
                _ => false,
            };
            if starts {
                current = self.open(self.blocks[current].stmts.end);
                (ended, filled) = (false, false);
            }
            match stmt.kind {
                StmtKind::Label(label) => {
                    let data = &mut self.blocks[current];
                    data.label = data.label.or(Some(label));
                    self.label_block[label] = current.into();
                }
                StmtKind::Inst(inst) => {
                    self.insts.push(inst);
                    self.block_of[inst] = current.into();
                    ended = kernel.properties(inst).is_terminator();
                    filled = true;
                    let data = &mut self.blocks[current];
                    data.insts.end = self.insts.len();
                    data.terminator = ended.then_some(inst);
                    data.stmts.end = index + 1;
                }
                StmtKind::Marker(_) => filled = true,
                _ => {}
            }
            // What stands behind a terminator goes to the block that comes next.
            if !ended {
                self.blocks[current].stmts.end = index + 1;
            }
        }
        self.blocks[current].stmts.end = kernel.stmts().len();
    }

    fn open(&mut self, stmt: usize) -> Block {
        let inst = self.insts.len();
        self.blocks.push(BlockData {
            stmts: stmt..stmt,
            insts: inst..inst,
            terminator: None,
            label: None,
            exits: false,
            succs: SmallVec::new(),
            preds: SmallVec::new(),
        })
    }

    fn connect(&mut self, kernel: &Kernel) {
        let tables = branch_tables(kernel);
        let labelled: Vec<Block> =
            self.blocks.iter().filter(|(_, data)| data.label.is_some()).map(|(b, _)| b).collect();
        for block in self.blocks.keys() {
            let (mut succs, mut exits) = (SmallVec::<[Successor; 2]>::new(), false);
            let falls = match self.blocks[block].terminator {
                None => true,
                Some(inst) => {
                    match targets(kernel, inst, &tables) {
                        Targets::Leave => exits = true,
                        Targets::Labels(labels, edge) => {
                            for label in labels {
                                match self.label_block[label].expand() {
                                    Some(target) => add(&mut succs, target, edge),
                                    // The parser refuses a branch to a label that nothing defines; leaving is the
                                    // answer that keeps the graph well formed should one come by an edit.
                                    None => exits = true,
                                }
                            }
                        }
                        Targets::Anywhere => {
                            labelled.iter().for_each(|&target| add(&mut succs, target, Edge::Indirect))
                        }
                    }
                    kernel.inst(inst).guard.is_some()
                }
            };
            let next = Block::new(block.index() + 1);
            match falls {
                true if self.blocks.is_valid(next) => add(&mut succs, next, Edge::Fallthrough),
                fell_off => exits |= fell_off,
            }
            self.blocks[block].exits = exits || succs.is_empty();
            self.blocks[block].succs = succs;
        }
        for block in self.blocks.keys() {
            for target in self.distinct_succs(block) {
                self.blocks[target].preds.push(block);
            }
        }
    }

    /// Numbers the reachable blocks in reverse postorder, by a depth-first walk with an explicit stack.
    fn order(&mut self) {
        let entry = self.entry();
        let mut seen = SecondaryMap::<Block, bool>::with_capacity(self.blocks.len());
        seen[entry] = true;
        let mut stack = vec![(entry, 0usize)];
        while let Some((block, next)) = stack.last_mut() {
            match self.blocks[*block].succs.get(*next) {
                Some(successor) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[successor.block], true) {
                        stack.push((successor.block, 0));
                    }
                }
                None => {
                    self.rpo.push(*block);
                    stack.pop();
                }
            }
        }
        self.rpo.reverse();
        for (index, &block) in self.rpo.iter().enumerate() {
            self.rpo_index[block] = u32::try_from(index).unwrap_or(u32::MAX);
        }
    }
}

/// The targets of a terminator whose guard holds.
enum Targets {
    Leave,
    Labels(SmallVec<[Label; 2]>, Edge),
    /// The list of targets is not known.
    Anywhere,
}

fn targets(kernel: &Kernel, inst: Inst, tables: &FxHashMap<Symbol, SmallVec<[Label; 2]>>) -> Targets {
    match kernel.properties(inst).flow {
        Flow::Branch => match kernel.branch_target(inst) {
            Some(label) => Targets::Labels(SmallVec::from_slice(&[label]), Edge::Taken),
            None => Targets::Anywhere,
        },
        Flow::IndirectBranch => {
            let symbols = kernel.operands(inst).iter().filter_map(|operand| match operand {
                Operand::Symbol(symbol, _) => Some(*symbol),
                _ => None,
            });
            let labels = symbols.filter_map(|symbol| tables.get(&symbol)).next();
            labels.map_or(Targets::Anywhere, |labels| Targets::Labels(labels.clone(), Edge::Indirect))
        }
        _ => Targets::Leave,
    }
}

/// The lists of `.branchtargets`, collected once, since a kernel may hold as many tables as branches.
fn branch_tables(kernel: &Kernel) -> FxHashMap<Symbol, SmallVec<[Label; 2]>> {
    let mut tables = FxHashMap::<Symbol, SmallVec<[Label; 2]>>::default();
    for stmt in kernel.stmts() {
        if let StmtKind::BranchTargets(symbol, labels) = &stmt.kind {
            tables.entry(*symbol).or_default().extend(labels.iter().copied());
        }
    }
    tables
}

fn add(succs: &mut SmallVec<[Successor; 2]>, block: Block, edge: Edge) {
    let successor = Successor { block, edge };
    if !succs.contains(&successor) {
        succs.push(successor);
    }
}
