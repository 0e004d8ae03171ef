//! The code of an if-conversion ([`crate::emit::if_conversion`]): the conditions of the ways.
//!
//! A comparison that makes the condition of a branch and nothing else becomes one that makes the conditions of both ways, and-ed with that of
//! the way to it: `setp.gt.and.s32 yes|no, x, 3, way`. Of anything else that makes a condition, the conditions of the ways are computed
//! behind it.

use analysis::{Block, Edge};
use cranelift_entity::PrimaryMap;
use ptx_parser::{Code, Error, Guard, Inst, Label, Operand, Reg, Stmt, StmtKind, Type};
use rustc_hash::FxHashMap;

use crate::emit::if_conversion::Conversion;
use crate::emit::register_copies::Copies;
use crate::emit::{Work, collection_cost};
use crate::plan::path::Paths;
use crate::plan::path_id::PathId;

/// The target of a way that is not merged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Block(Block),
    /// The end of the iteration.
    Tail,
}

/// The statements of a conversion as they are put together. The condition of a way is a predicate, or its opposite.
#[derive(Default)]
struct Merged {
    stmts: Vec<Stmt>,
    /// The conditions of the ways to each merged block.
    ways: FxHashMap<Block, Vec<Guard>>,
    /// Those to each region.
    wants: FxHashMap<PathId, Vec<Guard>>,
    /// Those to everything else but the join, in the order in which they were met.
    others: Vec<(Guard, Target)>,
    /// True if there is a way to the join.
    joins: bool,
}

impl Work<'_> {
    /// Merges what is behind a root into it. Gives back how many instructions more that takes than what was there, where a warp came to all of
    /// it.
    pub(crate) fn convert(
        &mut self,
        conversion: &Conversion,
        copies: &PrimaryMap<PathId, Copies>,
    ) -> Result<f64, Error> {
        let root = conversion.root;
        let mut merged = Merged::default();
        self.split(conversion, root, None, &mut merged)?;
        for &block in &conversion.merged {
            let ways = merged.ways.remove(&block).unwrap_or_default();
            let way = match ways.as_slice() {
                [only] => *only,
                _ => {
                    let (reg, mut code) = (self.predicate(), Code::new());
                    any(&mut code, reg, &ways, self.machinery.names.test);
                    merged.stmts.extend(self.kernel.build(code)?);
                    reg.into()
                }
            };
            self.split(conversion, block, Some(way), &mut merged)?;
        }
        for &index in &conversion.regions {
            let want = self.machinery.stages[index].want;
            let ways = merged.wants.remove(&index).unwrap_or_default();
            let mut code = Code::new();
            any(&mut code, want, &ways, self.machinery.names.test);
            self.context(index, copies, Some(want.into()), &mut code);
            merged.stmts.extend(self.kernel.build(code)?);
        }
        self.go_on(conversion, &mut merged)?;
        let count = conversion.merged.iter().map(|&block| self.edit.cfg.insts(block).len()).sum::<usize>();
        let before = count + usize::from(self.terminator_stmt(root).is_some());
        let added = collection_cost::instructions_of(&merged.stmts) as f64 - before as f64;
        match self.terminator_stmt(root) {
            Some((terminator, _)) => {
                self.patch.insert_before(terminator, merged.stmts);
                self.patch.remove(terminator);
            }
            None => self.append(root, merged.stmts),
        }
        Ok(added)
    }

    fn predicate(&mut self) -> Reg {
        self.kernel.new_reg("ccc_way", Type::Pred)
    }

    /// The instructions of a block that lanes come to under a condition, all of them if none, and the conditions under which they go on.
    fn split(
        &mut self,
        conversion: &Conversion,
        block: Block,
        way: Option<Guard>,
        out: &mut Merged,
    ) -> Result<(), Error> {
        let edit = self.edit;
        let successor = |falls: bool| {
            let mut successors = edit.cfg.succs(block).iter();
            successors.find(|successor| (successor.edge == Edge::Fallthrough) == falls).map(|successor| successor.block)
        };
        let (taken, passed) = (successor(false), successor(true));
        let needs = |to: Option<Block>| to.filter(|&to| conversion.needs(to, &edit.paths));
        let guard = self.terminator_stmt(block).and_then(|(_, inst)| self.kernel.inst(inst).guard);
        let comparison = conversion.comparisons.get(&block).copied();
        let compared = guard.zip(comparison).map(|(guard, inst)| {
            let mut result = |to| needs(to).map(|to| self.result(conversion, to));
            let (yes, no) = (result(taken), result(passed));
            let (holds, fails) = if guard.negated { (no, yes) } else { (yes, no) };
            let code = self.compare(inst, holds, fails, way);
            ((inst, code), (yes.map(Guard::from), no.map(Guard::from)))
        });
        let (code, ways) = compared.unzip();
        self.gather(conversion, block, code, out)?;
        let (taken_way, passed_way) = match (ways, guard) {
            (Some(ways), _) => ways,
            (None, Some(guard)) => {
                let yes = self.condition(guard, needs(taken).is_some(), way, out)?;
                (yes, self.condition(!guard, needs(passed).is_some(), way, out)?)
            }
            (None, None) => (way, way),
        };
        for (to, way) in [(taken, taken_way), (passed, passed_way)] {
            if let Some(to) = to {
                conversion.lead(to, way, &edit.paths, edit.header, out);
            }
        }
        Ok(())
    }

    /// Takes the instructions of a block out of their place, with other code for one of them. Those of the root stay, but for that one.
    fn gather(
        &mut self,
        conversion: &Conversion,
        block: Block,
        mut other: Option<(Inst, Code)>,
        out: &mut Merged,
    ) -> Result<(), Error> {
        let merged = block != conversion.root;
        let last = self.terminator_stmt(block).map(|(stmt, _)| stmt);
        let stmts = self.edit.cfg.stmts_of(self.kernel, block);
        let stmts = stmts.take_while(|&(index, _)| last.is_none_or(|last| index < last));
        let stmts: Vec<(usize, Stmt)> = stmts.map(|(index, stmt)| (index, stmt.clone())).collect();
        for (index, stmt) in stmts {
            match stmt.kind {
                StmtKind::Inst(inst) if other.as_ref().is_some_and(|(replaced, _)| inst == *replaced) => {
                    let stmts = self.kernel.build(other.take().map(|(_, code)| code).unwrap_or_default())?;
                    self.patch.remove(index);
                    match merged {
                        true => out.stmts.extend(stmts),
                        false => self.patch.insert_before(index, stmts),
                    }
                }
                StmtKind::Inst(_) if merged => {
                    self.patch.remove(index);
                    out.stmts.push(stmt);
                }
                StmtKind::Loc(_) if merged => out.stmts.push(stmt),
                _ => {}
            }
        }
        last.filter(|_| merged).into_iter().for_each(|last| self.patch.remove(last));
        Ok(())
    }

    /// The condition of a way that a guard decides about, where it matters.
    fn condition(
        &mut self,
        guard: Guard,
        matters: bool,
        way: Option<Guard>,
        out: &mut Merged,
    ) -> Result<Option<Guard>, Error> {
        match way {
            _ if !matters => Ok(None),
            None => Ok(Some(guard)),
            Some(way) => {
                let (reg, test, mut code) = (self.predicate(), self.machinery.names.test, Code::new());
                assign(&mut code, reg, way);
                assign(&mut code, test, guard);
                code.ins().and(Type::Pred, reg, reg, test);
                out.stmts.extend(self.kernel.build(code)?);
                Ok(Some(reg.into()))
            }
        }
    }

    /// The predicate for the way to a block: the flag of a region that there is no other way to, else a new one.
    fn result(&mut self, conversion: &Conversion, to: Block) -> Reg {
        let region = conversion.region(to, &self.edit.paths);
        let only = region.filter(|&index| {
            let region = &self.edit.paths[index].region;
            let outside = self.edit.cfg.preds(to).iter().filter(|&&pred| !region.takes(pred));
            let ways: usize =
                outside.map(|&pred| self.edit.cfg.succs(pred).iter().filter(|s| s.block == to).count()).sum();
            ways == 1
        });
        match only {
            Some(index) => self.machinery.stages[index].want,
            None => self.predicate(),
        }
    }

    /// A comparison whose result, and its opposite, go to new predicates; under a condition, both are false where that is.
    fn compare(&self, inst: Inst, holds: Option<Reg>, fails: Option<Reg>, way: Option<Guard>) -> Code {
        let mut code = Code::new();
        let result = match (holds, fails) {
            (None, None) => return code,
            (Some(holds), None) => holds.into(),
            (holds, Some(fails)) => Operand::Pair(holds.unwrap_or(self.machinery.names.test).into(), fails.into()),
        };
        let sources = self.kernel.operands(inst).iter().skip(1).copied();
        let operands = std::iter::once(result).chain(sources).chain(way.map(Operand::from));
        let opcode = self.kernel.opcode(inst);
        match way.and_then(|_| opcode.under_predicate()) {
            Some(opcode) => code.ins().with_opcode(&opcode, operands),
            None => code.ins().with_opcode(opcode, operands),
        }
        code
    }

    /// The branches at the end: to what is neither merged nor collected.
    fn go_on(&mut self, conversion: &Conversion, out: &mut Merged) -> Result<(), Error> {
        let join = conversion.join.filter(|_| out.joins).map(Target::Block);
        let others = std::mem::take(&mut out.others);
        // Each lane has one of the ways, so that the last one needs no condition.
        let Some(default) = join.or_else(|| others.last().map(|&(_, target)| target)) else { return Ok(()) };
        let mut code = Code::new();
        for &(way, target) in others.iter().filter(|(_, target)| *target != default) {
            code.when(way).bra(self.target(target));
        }
        if self.next(conversion) != default {
            code.ins().bra(self.target(default));
        }
        out.stmts.extend(self.kernel.build(code)?);
        Ok(())
    }

    fn target(&mut self, target: Target) -> Label {
        match target {
            Target::Block(block) => self.label(block),
            Target::Tail => self.machinery.tail(),
        }
    }

    /// Returns what stands behind a root once the merged blocks and the regions are gone.
    fn next(&self, conversion: &Conversion) -> Target {
        let edit = self.edit;
        let gone = |block: Block| {
            let mut left = edit.paths.iter().filter(|(_, path)| path.region.takes(block));
            conversion.merged.contains(&block)
                || left.any(|(index, path)| path.region.entry != block || conversion.regions.contains(&index))
        };
        let next = edit.cfg.blocks().find(|&block| block > conversion.root && !gone(block));
        next.map_or(Target::Tail, Target::Block)
    }
}

impl Conversion {
    /// The region that begins at a block and is collected here.
    fn region(&self, block: Block, paths: &Paths) -> Option<PathId> {
        self.regions.iter().copied().find(|&index| paths[index].region.entry == block)
    }

    /// Returns true if the condition of the way to a block matters: not where lanes without another one go. (Where all ways meet may be a block that
    /// is merged: behind steps stands what belongs to the task, which has a copy of it.)
    fn needs(&self, to: Block, paths: &Paths) -> bool {
        self.region(to, paths).is_some() || self.merged.contains(&to) || self.join != Some(to)
    }

    /// Notes a way, with its condition if that matters.
    fn lead(&self, to: Block, way: Option<Guard>, paths: &Paths, header: Block, out: &mut Merged) {
        if self.merged.contains(&to) {
            out.ways.entry(to).or_default().extend(way);
            return;
        }
        let mut behind = to;
        if let Some(index) = self.region(to, paths) {
            out.wants.entry(index).or_default().extend(way);
            behind = paths[index].region.exit;
        }
        if self.join == Some(behind) {
            out.joins = true;
        } else if let Some(way) = way {
            out.others.push((way, if behind == header { Target::Tail } else { Target::Block(behind) }));
        }
    }
}

/// Sets a predicate to a condition.
fn assign(code: &mut Code, to: Reg, condition: Guard) {
    if condition != to.into() {
        code.ins().test(to, condition);
    }
}

/// Sets a predicate to whether any of some conditions holds; `free` may be overwritten.
fn any(code: &mut Code, to: Reg, conditions: &[Guard], free: Reg) {
    let [first, others @ ..] = conditions else { return code.ins().set(to, false) };
    assign(code, to, *first);
    for &other in others {
        let mut reg = other.reg;
        if other.negated {
            assign(code, free, other);
            reg = free;
        }
        code.ins().or(Type::Pred, to, to, reg);
    }
}
