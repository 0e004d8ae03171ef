//! The code of an if-conversion ([`crate::write::if_conversion`]): the conditions of the ways, as PTX text.
//!
//! A comparison that makes the condition of a branch and nothing else becomes one that makes the conditions of both ways, and-ed with that of
//! the way to it: `setp.gt.and.s32 yes|no, x, 3, way`. Of anything else that makes a condition, the conditions of the ways are computed
//! behind it.

use analysis::{Block, Edge};
use ptx_parser::{Error, Guard, Inst, Stmt, StmtKind, Type};
use rustc_hash::FxHashMap;

use crate::plan::Path;
use crate::rank::worth;
use crate::write::Work;
use crate::write::copies::{Copies, new_reg};
use crate::write::if_conversion::Conversion;

/// The condition of a way: a predicate, or its opposite.
#[derive(Clone, Debug)]
struct Condition {
    reg: String,
    negated: bool,
}

impl Condition {
    fn holds(reg: String) -> Condition {
        Condition { reg, negated: false }
    }

    fn text(&self) -> String {
        format!("{}{}", if self.negated { "!" } else { "" }, self.reg)
    }
}

/// Where a way leads to that is not merged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Block(Block),
    /// The end of the iteration.
    Tail,
}

/// The code of a conversion as it is put together.
#[derive(Default)]
struct Code {
    stmts: Vec<Stmt>,
    /// The conditions of the ways to each merged block.
    ways: FxHashMap<Block, Vec<Condition>>,
    /// Those to each region.
    wants: FxHashMap<usize, Vec<Condition>>,
    /// Those to everything else but the join, in the order in which they were met.
    others: Vec<(Condition, Target)>,
    /// Whether there is a way to the join.
    joins: bool,
}

impl Work<'_> {
    /// Merges what is behind a root into it. Gives back how many instructions more that takes than what was there, where a warp came to all of
    /// it.
    pub(crate) fn convert(&mut self, conversion: &Conversion, copies: &[Copies]) -> Result<f64, Error> {
        let root = conversion.root;
        let mut code = Code::default();
        self.split(conversion, root, None, &mut code)?;
        for &block in &conversion.merged {
            let ways = code.ways.remove(&block).unwrap_or_default();
            let way = match ways.as_slice() {
                [only] => only.clone(),
                _ => {
                    let reg = self.predicate();
                    let text = any(&reg, &ways, &self.machinery.names.test);
                    code.stmts.extend(self.code(&text)?);
                    Condition::holds(reg)
                }
            };
            self.split(conversion, block, Some(&way), &mut code)?;
        }
        for &index in &conversion.regions {
            let want = self.machinery.stages[index].want.clone();
            let ways = code.wants.remove(&index).unwrap_or_default();
            let mut text = any(&want, &ways, &self.machinery.names.test);
            text += &self.context(index, copies, &format!("@{want} "));
            code.stmts.extend(self.code(&text)?);
        }
        self.go_on(conversion, &mut code)?;
        let merged = conversion.merged.iter().map(|&block| self.edit.cfg.insts(block).len()).sum::<usize>();
        let before = merged + usize::from(self.terminator_stmt(root).is_some());
        let added = worth::instructions_of(&code.stmts) as f64 - before as f64;
        match self.terminator_stmt(root) {
            Some((terminator, _)) => {
                self.patch.insert_before(terminator, code.stmts);
                self.patch.remove(terminator);
            }
            None => self.append(root, code.stmts),
        }
        Ok(added)
    }

    fn predicate(&mut self) -> String {
        new_reg(self.kernel, "ccc_way", Type::Pred)
    }

    /// The instructions of a block that lanes come to under a condition, all of them if none, and the conditions under which they go on.
    fn split(
        &mut self,
        conversion: &Conversion,
        block: Block,
        way: Option<&Condition>,
        code: &mut Code,
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
            let (holds, fails) = if guard.negated { (&no, &yes) } else { (&yes, &no) };
            let text = self.compare(inst, holds.as_deref(), fails.as_deref(), way);
            ((inst, text), (yes.map(Condition::holds), no.map(Condition::holds)))
        });
        let (text, ways) = compared.unzip();
        self.gather(conversion, block, text, code)?;
        let (taken_way, passed_way) = match (ways, guard) {
            (Some(ways), _) => ways,
            (None, Some(guard)) => {
                let opposite = Guard { negated: !guard.negated, ..guard };
                let yes = self.condition(guard, needs(taken).is_some(), way, code)?;
                (yes, self.condition(opposite, needs(passed).is_some(), way, code)?)
            }
            (None, None) => (way.cloned(), way.cloned()),
        };
        for (to, way) in [(taken, taken_way), (passed, passed_way)] {
            if let Some(to) = to {
                conversion.lead(to, way, &edit.paths, edit.header, code);
            }
        }
        Ok(())
    }

    /// Takes the instructions of a block out of their place, with another text for one of them. Those of the root stay, but for that one.
    fn gather(
        &mut self,
        conversion: &Conversion,
        block: Block,
        other: Option<(Inst, String)>,
        code: &mut Code,
    ) -> Result<(), Error> {
        let merged = block != conversion.root;
        let last = self.terminator_stmt(block).map(|(stmt, _)| stmt);
        for index in self.edit.cfg.stmts(block).take_while(|&index| last.is_none_or(|last| index < last)) {
            let stmt = self.kernel.stmts()[index].clone();
            match (&stmt.kind, &other) {
                (StmtKind::Inst(inst), Some((replaced, text))) if inst == replaced => {
                    let stmts = self.code(text)?;
                    self.patch.remove(index);
                    match merged {
                        true => code.stmts.extend(stmts),
                        false => self.patch.insert_before(index, stmts),
                    }
                }
                (StmtKind::Inst(_), _) if merged => {
                    self.patch.remove(index);
                    code.stmts.push(stmt);
                }
                (StmtKind::Loc(_), _) if merged => code.stmts.push(stmt),
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
        way: Option<&Condition>,
        code: &mut Code,
    ) -> Result<Option<Condition>, Error> {
        let own = Condition { reg: self.kernel.reg_name(guard.reg).to_owned(), negated: guard.negated };
        match way {
            _ if !matters => Ok(None),
            None => Ok(Some(own)),
            Some(way) => {
                let reg = self.predicate();
                let test = &self.machinery.names.test;
                let text = assign(&reg, way) + &assign(test, &own) + &format!("and.pred {reg}, {reg}, {test};\n");
                code.stmts.extend(self.code(&text)?);
                Ok(Some(Condition::holds(reg)))
            }
        }
    }

    /// The predicate for the way to a block: the flag of a region that there is no other way to, else a new one.
    fn result(&mut self, conversion: &Conversion, to: Block) -> String {
        let region = conversion.region(to, &self.edit.paths);
        let only = region.filter(|&index| {
            let region = &self.edit.paths[index].region;
            let outside = self.edit.cfg.preds(to).iter().filter(|&&pred| !region.takes(pred));
            let ways: usize =
                outside.map(|&pred| self.edit.cfg.succs(pred).iter().filter(|s| s.block == to).count()).sum();
            ways == 1
        });
        match only {
            Some(index) => self.machinery.stages[index].want.clone(),
            None => self.predicate(),
        }
    }

    /// A comparison whose result, and its opposite, go to new predicates; under a condition, both are false where that is.
    fn compare(&self, inst: Inst, holds: Option<&str>, fails: Option<&str>, way: Option<&Condition>) -> String {
        let text = self.kernel.inst_text(inst);
        let sources = text.split_once(',').map_or("", |(_, sources)| sources).trim().trim_end_matches(';');
        let opcode = self.kernel.opcode(inst);
        let opcode = way.and_then(|_| opcode.under_predicate()).unwrap_or_else(|| opcode.text().to_owned());
        let condition = way.map(|way| format!(", {}", way.text())).unwrap_or_default();
        let unused = &self.machinery.names.test;
        match (holds, fails) {
            (None, None) => String::new(),
            (Some(holds), None) => format!("{opcode} {holds}, {sources}{condition};\n"),
            (holds, Some(fails)) => format!("{opcode} {}|{fails}, {sources}{condition};\n", holds.unwrap_or(unused)),
        }
    }

    /// The branches at the end: to what is neither merged nor collected.
    fn go_on(&mut self, conversion: &Conversion, code: &mut Code) -> Result<(), Error> {
        let join = conversion.join.filter(|_| code.joins).map(Target::Block);
        let others = std::mem::take(&mut code.others);
        // Each lane has one of the ways, so that the last one needs no condition.
        let Some(default) = join.or_else(|| others.last().map(|&(_, target)| target)) else { return Ok(()) };
        let mut text = String::new();
        for (way, target) in others.iter().filter(|(_, target)| *target != default) {
            let label = self.target(*target);
            text += &format!("@{} bra {label};\n", way.text());
        }
        if self.next(conversion) != default {
            let label = self.target(default);
            text += &format!("bra {label};\n");
        }
        code.stmts.extend(self.code(&text)?);
        Ok(())
    }

    fn target(&mut self, target: Target) -> String {
        match target {
            Target::Block(block) => self.label(block),
            Target::Tail => self.machinery.tail().to_owned(),
        }
    }

    /// What stands behind a root once the merged blocks and the regions are gone.
    fn next(&self, conversion: &Conversion) -> Target {
        let edit = self.edit;
        let gone = |block: Block| {
            let regions = edit.paths.iter().enumerate();
            let mut left = regions.filter(|(_, path)| path.region.takes(block));
            conversion.merged.contains(&block)
                || left.any(|(index, path)| path.region.entry != block || conversion.regions.contains(&index))
        };
        let next = edit.cfg.blocks().find(|&block| block > conversion.root && !gone(block));
        next.map_or(Target::Tail, Target::Block)
    }
}

impl Conversion {
    /// The region that begins at a block and is collected here.
    fn region(&self, block: Block, paths: &[Path]) -> Option<usize> {
        self.regions.iter().copied().find(|&index| paths[index].region.entry == block)
    }

    /// Whether the condition of the way to a block matters: not where lanes without another one go. (Where all ways meet may be a block that
    /// is merged: behind steps stands what belongs to the task, which has a copy of it.)
    fn needs(&self, to: Block, paths: &[Path]) -> bool {
        self.region(to, paths).is_some() || self.merged.contains(&to) || self.join != Some(to)
    }

    /// Notes a way, with its condition if that matters.
    fn lead(&self, to: Block, way: Option<Condition>, paths: &[Path], header: Block, code: &mut Code) {
        if self.merged.contains(&to) {
            code.ways.entry(to).or_default().extend(way);
            return;
        }
        let mut behind = to;
        if let Some(index) = self.region(to, paths) {
            code.wants.entry(index).or_default().extend(way.clone());
            behind = paths[index].region.exit;
        }
        if self.join == Some(behind) {
            code.joins = true;
        } else if let Some(way) = way {
            code.others.push((way, if behind == header { Target::Tail } else { Target::Block(behind) }));
        }
    }
}

/// Sets a predicate to a condition.
fn assign(to: &str, condition: &Condition) -> String {
    let Condition { reg, negated } = condition;
    match negated {
        _ if *reg == to => String::new(),
        true => format!("not.pred {to}, {reg};\n"),
        false => format!("mov.pred {to}, {reg};\n"),
    }
}

/// Sets a predicate to whether any of some conditions holds.
fn any(to: &str, conditions: &[Condition], free: &str) -> String {
    let [first, others @ ..] = conditions else { return format!("mov.pred {to}, 0;\n") };
    let mut text = assign(to, first);
    for other in others {
        let reg = if other.negated { free } else { other.reg.as_str() };
        text +=
            &format!("{}or.pred {to}, {to}, {reg};\n", if other.negated { assign(free, other) } else { String::new() });
    }
    text
}
