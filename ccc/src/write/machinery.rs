//! The code that the regions of a loop share, as PTX text: what is known before the loop, where iterations begin, and where the
//! loop is left. What decides, pushes and pops is a stage for each region ([`crate::write::stage`]).
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
use ptx_parser::{Kernel, Symbol, Type};

use crate::markers::{LOOP_NOTE, Site};
use crate::plan::Path;
use crate::reduction::Accumulator;
use crate::write::copies::{Copies, new_reg};
use crate::write::deposit::Deposits;
use crate::write::stage::Stage;

/// The labels of the parts.
pub(crate) struct Labels {
    /// Where lanes with an iteration enter the loop.
    pub(crate) enter: String,
    /// Where every iteration begins.
    pub(crate) head: String,
    /// Where lanes without an iteration begin, if they have to clear flags there.
    idle: String,
    drained: String,
    done: String,
}

/// The registers, labels and stacks of one rewritten loop.
pub(crate) struct Machinery {
    pub(crate) labels: Labels,
    pub(crate) names: Names,
    /// One per region, in the order in which they decide.
    pub(crate) stages: Vec<Stage>,
    /// The reductions of the loop, if it has any.
    pub(crate) deposits: Option<Deposits>,
    stack: Option<Symbol>,
    /// Bytes of the stacks of one warp.
    warp_bytes: u64,
    /// True if code behind the loop may access memory that a path accesses.
    ordered: bool,
}

/// Names of the registers that all regions share, as they go into the text.
pub(crate) struct Names {
    pub(crate) active: String,
    pub(crate) more: String,
    pub(crate) pop: String,
    pub(crate) test: String,
    pub(crate) mask: String,
    pub(crate) below: String,
    pub(crate) lanes: String,
    pub(crate) takers: String,
    pub(crate) total: String,
    pub(crate) slot: String,
    pub(crate) temp: String,
    pub(crate) base: String,
    way: String,
}

impl Machinery {
    /// `accumulators` are the loop's, for CTAs of up to `threads` threads. `ordered` says that code behind the loop may access memory that a path accesses.
    pub(crate) fn new(
        kernel: &mut Kernel,
        paths: &[Path],
        copies: &[Copies],
        accumulators: &[Accumulator],
        threads: u32,
        ordered: bool,
    ) -> Machinery {
        let mut label = |stem: &str| {
            let label = kernel.new_label(stem);
            kernel.label_name(label).to_owned()
        };
        let labels = Labels {
            enter: label("ccc_enter"),
            head: label("ccc_head"),
            idle: label("ccc_idle"),
            drained: label("ccc_drained"),
            done: label("ccc_done"),
        };
        let mut reg = |stem: &str, ty: Type| new_reg(kernel, stem, ty);
        let names = Names {
            active: reg("ccc_active", Type::Pred),
            more: reg("ccc_more", Type::Pred),
            pop: reg("ccc_pop", Type::Pred),
            test: reg("ccc_test", Type::Pred),
            mask: reg("ccc_mask", Type::B32),
            below: reg("ccc_below", Type::B32),
            lanes: reg("ccc_lanes", Type::B32),
            takers: reg("ccc_takers", Type::B32),
            total: reg("ccc_total", Type::B32),
            slot: reg("ccc_slot", Type::B32),
            temp: reg("ccc_temp", Type::B32),
            base: reg("ccc_base", Type::B32),
            way: reg("ccc_way", Type::B32),
        };
        let bytes = paths.iter().map(|path| path.layout.for_all(threads)).sum();
        let align = paths.iter().map(|path| path.layout.align).max().unwrap_or(4);
        let stack = (bytes > 0).then(|| kernel.new_shared("ccc_stack", align, bytes));
        let stages =
            paths.iter().zip(copies).map(|(path, copies)| Stage::new(kernel, path, copies, &names.more)).collect();
        let deposits = Deposits::new(kernel, accumulators, threads);
        let warp_bytes = paths.iter().map(|path| path.layout.bytes).sum();
        Machinery { labels, names, stages, deposits, stack, warp_bytes, ordered }
    }

    /// Where iterations end: at the first stage.
    pub(crate) fn tail(&self) -> &str {
        self.stages.first().map_or(&self.labels.head, |stage| &stage.labels.tail)
    }

    /// Where a stage goes on to, whatever it decided: to the next, and from the last to the next iteration.
    pub(crate) fn behind(&self, stage: usize) -> &str {
        self.stages.get(stage + 1).map_or(&self.labels.head, |next| &next.labels.tail)
    }

    /// Where a stage goes that has nothing to run and that no lane will bring anything to: on, but from the last out of the loop.
    pub(crate) fn over(&self, stage: usize, targets: &[String]) -> String {
        if stage + 1 < self.stages.len() {
            return self.behind(stage).to_owned();
        }
        if self.stages.len() > 1 { self.labels.drained.clone() } else { self.left(targets) }
    }

    /// Where lanes go when the loop is over.
    fn left(&self, targets: &[String]) -> String {
        match targets {
            [only] if !self.is_over_apart() => only.clone(),
            _ => self.labels.done.clone(),
        }
    }

    /// Returns true if lanes have something to do when the loop is over, wherever they go.
    fn is_over_apart(&self) -> bool {
        self.ordered || self.deposits.is_some()
    }

    /// Before the loop: which lanes there are, and where the warp's slots begin. The linear thread number counts x first, then y, then z
    /// (PTX ISA, "Thread Hierarchy"); a shift by 32 or more gives 0, so that a full warp's mask comes out as all ones.
    pub(crate) fn set_up(&self, kernel: &Kernel) -> String {
        let Names { mask, below, lanes, total, slot, temp, base, .. } = &self.names;
        let mut text = format!(
            "mov.u32 {total}, %tid.z;
             mov.u32 {slot}, %ntid.y;
             mov.u32 {temp}, %tid.y;
             mad.lo.u32 {total}, {total}, {slot}, {temp};
             mov.u32 {base}, %ntid.x;
             mov.u32 {temp}, %tid.x;
             mad.lo.u32 {total}, {total}, {base}, {temp};
             mul.lo.u32 {slot}, {slot}, {base};
             mov.u32 {temp}, %ntid.z;
             mul.lo.u32 {slot}, {slot}, {temp};
             and.b32 {temp}, {total}, -32;
             sub.u32 {slot}, {slot}, {temp};
             shl.b32 {mask}, 1, {slot};
             add.s32 {mask}, {mask}, -1;
             mov.u32 {below}, %lanemask_lt;
             and.b32 {below}, {below}, {mask};
             popc.b32 {lanes}, {mask};
            "
        );
        if let Some(deposits) = &self.deposits {
            text += &deposits.set_up(kernel, &self.names, total);
        }
        for stage in &self.stages {
            text += &format!("mov.b32 {}, 0;\n", stage.top);
            if let Some(steps) = &stage.labels.steps {
                text += &steps.set_up(mask);
            }
        }
        if let Some(stack) = self.stack {
            text += &format!(
                "shr.u32 {total}, {total}, 5;
                 mov.u32 {base}, {};
                 mad.lo.u32 {base}, {total}, {}, {base};
                ",
                kernel.symbol_name(stack),
                self.warp_bytes
            );
        }
        text
    }

    /// Where iterations begin, and where lanes without one do, which goes behind the body. Lanes that enter the loop with an iteration come
    /// in at the first label. `known` says of each region whether every iteration finds out anew if the lane wants it.
    pub(crate) fn head(&self, site: &Site, known: &[bool]) -> (String, String) {
        let active = &self.names.active;
        let Labels { enter, head, idle, .. } = &self.labels;
        let (note, tail) = (loop_note(site), self.tail());
        let clear = |which: bool| -> String {
            let stages = self.stages.iter().zip(known).filter(|&(_, &known)| known == which);
            stages.map(|(stage, _)| format!("mov.pred {}, 0;\n", stage.want)).collect()
        };
        let text = format!("{enter}:\nmov.pred {active}, -1;\n{head}:\n{note}{}", clear(false));
        match clear(true).as_str() {
            "" => (text + &format!("@!{active} bra {tail};\n"), String::new()),
            cleared => (text + &format!("@!{active} bra {idle};\n"), format!("{idle}:\n{cleared}bra {tail};\n")),
        }
    }

    /// A lane has no more iterations.
    pub(crate) fn inactive(&self) -> String {
        format!("mov.pred {}, 0;\n", self.names.active)
    }

    /// A lane will go to the target of this number when the loop is over.
    pub(crate) fn choose(&self, target: usize) -> String {
        format!("mov.u32 {}, {target};\n", self.names.way)
    }

    /// The last stage has nothing left and no lane has an iteration left, but another stage may not be empty yet.
    pub(crate) fn drained(&self, targets: &[String]) -> String {
        let test = &self.names.test;
        let [others @ .., _] = self.stages.as_slice() else { return String::new() };
        if others.is_empty() {
            return String::new();
        }
        let mut text = format!("{}:\n", self.labels.drained);
        for stage in others {
            text += &format!("setp.ne.u32 {test}, {}, 0;\n@{test} bra {};\n", stage.top, self.labels.head);
        }
        text + &format!("bra {};\n", self.left(targets))
    }

    /// Each lane waits for the others, takes its part of reductions and goes where it left the loop for. Nothing where there is one place only, and
    /// nothing to wait for. `blocks` are the targets' blocks.
    pub(crate) fn done(&self, kernel: &Kernel, targets: &[String], blocks: &[Block]) -> String {
        let Names { test, way, mask, .. } = &self.names;
        let [others @ .., last] = targets else { return String::new() };
        if others.is_empty() && !self.is_over_apart() {
            return String::new();
        }
        let combine = |index: usize, guard: &str| match &self.deposits {
            Some(deposits) => deposits.combine(kernel, blocks[index], guard),
            None => String::new(),
        };
        let mut text = format!("{}:\n", self.labels.done);
        if self.is_over_apart() {
            text += &format!("bar.warp.sync {mask};\n");
        }
        text += &self.deposits.as_ref().map(|deposits| deposits.take(kernel, &self.names)).unwrap_or_default();
        for (index, target) in others.iter().enumerate() {
            let combine = combine(index, &format!("@{test} "));
            text += &format!("setp.eq.u32 {test}, {way}, {index};\n{combine}@{test} bra {target};\n");
        }
        text + &format!("{}bra {last};\n", combine(others.len(), ""))
    }
}

fn loop_note(site: &Site) -> String {
    format!("//{LOOP_NOTE} {} line {}\n", site.for_id, site.for_line.unwrap_or(0))
}
