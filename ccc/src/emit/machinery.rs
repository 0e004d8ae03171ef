//! The code that the regions of a loop share: what is known before the loop, where iterations begin, and where the
//! loop is left. What decides, pushes and pops is a stage for each region ([`crate::emit::stage`]).
//!
//! ```text
//! set up:  mask  = lanes of this warp that exist         below = lanes of the mask below this one
//!          lanes = how many of them                      base  = address of the warp's stacks
//!          top   = 0, for each region
//! head:    want = false, for each region; a lane without iterations goes to the first stage
//! drained: anything left on another stack -> head; else the loop is over
//! done:    lanes wait for what the others wrote; each takes its part of reductions and goes where it left the loop for
//! ```
//!
//! `top` counts the contexts on a stack, and is the same in all lanes of the warp. All lanes of the mask come to every
//! vote; they make its results, and so all branches on them, the same for the whole warp.
//!
//! A path runs in another lane than the one that its iteration belongs to, and its accesses to memory are ordered with those of its own lane only.
//! Behind the loop, lane B may read what a path that B's iteration took wrote in lane A, or overwrite what it read. In the original, that is one thread in its
//! order. So `bar.warp.sync`, which orders the accesses of the lanes that execute it, stands where the loop is left: each path was run before, and all lanes
//! of the mask leave together.

use analysis::Block;
use cranelift_entity::{EntityRef, EntitySet, PrimaryMap};
use ptx_parser::{Code, Component, Guard, Kernel, Label, Relation, SpecialName, Symbol, Type};

use crate::emit::loop_registers::Names;
use crate::emit::reductions::Deposits;
use crate::emit::register_copies::Copies;
use crate::emit::stage::{Around, Stage};
use crate::markers::LOOP_NOTE;
use crate::plan::path::{Path, Paths};
use crate::plan::path_id::PathId;
use crate::reduction::{Accumulator, AccumulatorId};

/// The labels of the parts.
pub(crate) struct Labels {
    /// The place where lanes with an iteration enter the loop.
    pub(crate) enter: Label,
    /// The place where every iteration begins.
    pub(crate) head: Label,
    /// The place where lanes without an iteration begin, if they have to clear flags there.
    idle: Label,
    drained: Label,
    done: Label,
}

/// The registers, labels and stacks of one rewritten loop.
pub(crate) struct Machinery {
    pub(crate) labels: Labels,
    pub(crate) names: Names,
    /// One per region, in the order in which they decide.
    pub(crate) stages: PrimaryMap<PathId, Stage>,
    /// The reductions of the loop, if it has any.
    pub(crate) deposits: Option<Deposits>,
    stack: Option<Symbol>,
    /// Bytes of the stacks of one warp.
    warp_bytes: u64,
    /// True if code behind the loop may access memory that a path accesses.
    ordered: bool,
}

impl Machinery {
    /// `accumulators` are the loop's, for CTAs of up to `threads` threads. `ordered` says that code behind the loop may access memory that a path accesses.
    pub(crate) fn new(
        kernel: &mut Kernel,
        paths: &Paths,
        copies: &PrimaryMap<PathId, Copies>,
        accumulators: &PrimaryMap<AccumulatorId, Accumulator>,
        threads: u32,
        ordered: bool,
    ) -> Machinery {
        let labels = Labels {
            enter: kernel.new_label("ccc_enter"),
            head: kernel.new_label("ccc_head"),
            idle: kernel.new_label("ccc_idle"),
            drained: kernel.new_label("ccc_drained"),
            done: kernel.new_label("ccc_done"),
        };
        let names = Names::new(kernel);
        let bytes = paths.values().map(|path| path.layout.for_all(threads)).sum();
        let align = paths.values().map(|path| path.layout.align).max().unwrap_or(4);
        let stack = (bytes > 0).then(|| kernel.new_shared("ccc_stack", align, bytes));
        let stages = paths.values().zip(copies.values());
        let stages = stages.map(|(path, copies)| Stage::new(kernel, path, copies, names.more)).collect();
        let deposits = Deposits::new(kernel, accumulators, threads);
        let warp_bytes = paths.values().map(|path| path.layout.bytes).sum();
        Machinery { labels, names, stages, deposits, stack, warp_bytes, ordered }
    }

    /// Returns where iterations end: at the first stage.
    pub(crate) fn tail(&self) -> Label {
        self.stages.values().next().map_or(self.labels.head, |stage| stage.labels.tail)
    }

    /// Returns where a stage goes on to, whatever it decided: to the next, and from the last to the next iteration.
    pub(crate) fn behind(&self, stage: PathId) -> Label {
        self.next(stage).map_or(self.labels.head, |next| next.labels.tail)
    }

    /// The stage behind one; `None` behind the last.
    fn next(&self, stage: PathId) -> Option<&Stage> {
        self.stages.values().nth(stage.index() + 1)
    }

    /// Returns where a stage stands in the loop.
    pub(crate) fn around(&self, stage: PathId) -> Around<'_> {
        let outer = self.stages[stage].outer.map(|outer| &self.stages[outer]);
        Around { names: &self.names, next: self.behind(stage), is_first: stage.index() == 0, outer }
    }

    /// Returns where a stage goes that has nothing to run and that no lane will bring anything to: on, but from the last out of the loop.
    pub(crate) fn over(&self, stage: PathId, targets: &[(Block, Label)]) -> Label {
        if let Some(next) = self.next(stage) {
            return next.labels.tail;
        }
        if self.stages.len() > 1 { self.labels.drained } else { self.left(targets) }
    }

    /// Returns where lanes go when the loop is over.
    fn left(&self, targets: &[(Block, Label)]) -> Label {
        match targets {
            [(_, only)] if !self.is_over_apart() => *only,
            _ => self.labels.done,
        }
    }

    /// Returns true if lanes have something to do when the loop is over, wherever they go.
    fn is_over_apart(&self) -> bool {
        self.ordered || self.deposits.is_some()
    }

    /// Before the loop: which lanes there are, and where the warp's slots begin. The linear thread number counts x first, then y, then z
    /// (PTX ISA, "Thread Hierarchy"); a shift by 32 or more gives 0, so that a full warp's mask comes out as all ones.
    pub(crate) fn set_up(&self) -> Code {
        use Component::{X, Y, Z};
        use SpecialName::{LanemaskLt, Ntid, Tid};
        use Type::{B32, S32, U32};
        let Names { mask, below, lanes, total, slot, temp, base, .. } = self.names;
        let mut code = Code::new();
        code.ins().mov(U32, total, Tid.component(Z));
        code.ins().mov(U32, slot, Ntid.component(Y));
        code.ins().mov(U32, temp, Tid.component(Y));
        code.ins().mad_lo(U32, total, total, slot, temp);
        code.ins().mov(U32, base, Ntid.component(X));
        code.ins().mov(U32, temp, Tid.component(X));
        code.ins().mad_lo(U32, total, total, base, temp);
        code.ins().mul_lo(U32, slot, slot, base);
        code.ins().mov(U32, temp, Ntid.component(Z));
        code.ins().mul_lo(U32, slot, slot, temp);
        code.ins().and(B32, temp, total, -32);
        code.ins().sub(U32, slot, slot, temp);
        code.ins().shl(B32, mask, 1, slot);
        code.ins().add(S32, mask, mask, -1);
        code.ins().mov(U32, below, LanemaskLt);
        code.ins().and(B32, below, below, mask);
        code.ins().popc(B32, lanes, mask);
        if let Some(deposits) = &self.deposits {
            code.append(deposits.set_up(&self.names, total));
        }
        for stage in self.stages.values() {
            code.ins().mov(B32, stage.top, 0);
            if let Some(steps) = &stage.labels.steps {
                steps.set_up(&mut code, mask);
            }
        }
        if let Some(stack) = self.stack {
            code.ins().shr(U32, total, total, 5);
            code.ins().mov(U32, base, stack);
            code.ins().mad_lo(U32, base, total, self.warp_bytes.cast_signed(), base);
        }
        code
    }

    /// Builds the code where iterations begin, and that where lanes without one begin, which goes behind the body. Lanes that enter the loop with an iteration come
    /// in at the first label. `known` are those of which every iteration finds out anew if the lane wants them.
    pub(crate) fn head(&self, paths: &Paths, known: &EntitySet<PathId>) -> (Code, Code) {
        let active = self.names.active;
        let Labels { enter, head, idle, .. } = self.labels;
        let clear = |which: bool, code: &mut Code| {
            let stages = self.stages.iter().filter(|&(index, _)| known.contains(index) == which);
            stages.for_each(|(_, stage)| code.ins().set(stage.want, false));
        };
        let mut code = Code::new();
        code.label(enter);
        code.ins().set(active, true);
        code.label(head);
        if let Some(Path { site, .. }) = paths.values().next() {
            code.marker(format!("{LOOP_NOTE} {} line {}", site.for_id, site.for_line.unwrap_or(0)));
        }
        clear(false, &mut code);
        let mut cleared = Code::new();
        clear(true, &mut cleared);
        if cleared.is_empty() {
            code.unless(active).bra(self.tail());
            return (code, Code::new());
        }
        code.unless(active).bra(idle);
        let mut without = Code::new();
        without.label(idle);
        without.append(cleared);
        without.ins().bra(self.tail());
        (code, without)
    }

    /// A lane has no more iterations.
    pub(crate) fn inactive(&self, code: &mut Code) {
        code.ins().set(self.names.active, false);
    }

    /// A lane will go to the target of this number when the loop is over.
    pub(crate) fn choose(&self, target: u32, code: &mut Code) {
        code.ins().mov(Type::U32, self.names.way, target);
    }

    /// The last stage has nothing left and no lane has an iteration left, but another stage may not be empty yet.
    pub(crate) fn drained(&self, targets: &[(Block, Label)]) -> Code {
        let test = self.names.test;
        let mut code = Code::new();
        let [others @ .., _] = self.stages.as_values_slice() else { return code };
        if others.is_empty() {
            return code;
        }
        code.label(self.labels.drained);
        for stage in others {
            code.ins().setp(Relation::NotEqual, Type::U32, test, stage.top, 0);
            code.when(test).bra(self.labels.head);
        }
        code.ins().bra(self.left(targets));
        code
    }

    /// Each lane waits for the others, takes its part of reductions and goes where it left the loop for. Nothing where there is one place only, and
    /// nothing to wait for.
    pub(crate) fn done(&self, targets: &[(Block, Label)]) -> Code {
        let Names { test, way, mask, .. } = self.names;
        let mut code = Code::new();
        let [others @ .., (last_block, last)] = targets else { return code };
        if others.is_empty() && !self.is_over_apart() {
            return code;
        }
        let combine = |block: Block, guard: Option<Guard>, code: &mut Code| {
            if let Some(deposits) = &self.deposits {
                deposits.combine(block, guard, code);
            }
        };
        code.label(self.labels.done);
        if self.is_over_apart() {
            code.ins().bar_warp_sync(mask);
        }
        if let Some(deposits) = &self.deposits {
            code.append(deposits.take(&self.names));
        }
        for (&(block, target), number) in others.iter().zip(0_u32..) {
            code.ins().setp(Relation::Equal, Type::U32, test, way, number);
            combine(block, Some(test.into()), &mut code);
            code.when(test).bra(target);
        }
        combine(*last_block, None, &mut code);
        code.ins().bra(*last);
        code
    }
}
