//! The part of a collected loop that belongs to one region: its stack, its vote, its push and its pop (paper, Sections 2.3 and 3.4, made
//! sound under independent thread scheduling).
//!
//! A loop may have several regions: ifs one after the other, the branches of an `if`/`else if` chain, the cases of a `switch`. The loop
//! is made uniform once, with one member mask and one place where lanes without iterations wait; each region has a stack, a
//! flag by which lanes want it, copies of its registers and a *stage* behind the iteration, where its ballot decides for it alone.
//!
//! ```text
//! before                              after
//!                                     D:     mask, first stack slot of the warp; both stacks empty
//! H:  …                               LOOP:  want1 = want2 = false; @!active bra TAIL1;
//!     @!p bra E;                      H:     …
//!     FIRST                                  @!p bra E;
//!     bra J;                                 context1 = registers; want1 = true; bra J;
//! E:  @!q bra J;                      E:     @!q bra J;
//!     SECOND                                 context2 = registers; want2 = true
//! J:  …                               J:     …
//!     @more bra H;                           @more bra TAIL1;  active = false; bra TAIL1;
//! X:  …                               TAIL1: more = any(active); the stage of FIRST goes on to TAIL2
//!                                     TAIL2: the stage of SECOND goes on to LOOP; empty, and more to come from nowhere: DRAINED
//!                                     DRAINED: the first stack is not empty: LOOP; else X
//! ```
//!
//! Of the context, what nothing writes in the rest of the iteration is not copied where lanes have parted: the stage pushes it from its own
//! registers and copies it where the region is run ([`crate::context::preserved_values`]).
//!
//! A stage, where `next` is the next one or, from the last, the next iteration:
//!
//! ```text
//! tail:    takers = ballot(want)
//!          takers = 0 and more            -> next
//!          takers = mask                  -> region, with nobody's help
//!          top + |takers| < full and more -> push
//!          top + |takers| < full          -> drain
//!          idle lanes pop from the top, so that all have something to run
//! region:  …                                                                    -> next
//! drain:   nothing stacked, nobody wants  -> next; from the last: drained
//!          idle lanes pop what there is; those that have something to run go on to the region, the others to next
//! push:    takers push to the top                                               -> next
//! ```
//!
//! A region that is run in steps (paper, Sections 3.2 and 3.3) is an inner loop and what belongs to its task behind it ([`crate::region::step`]). It
//! begins at the loop's header; the ways back to the header go to the vote instead, with the loop's values in the copies. Lanes
//! whose task is over take another one from the stack; where there are not enough for all of them, the unfinished tasks go on
//! the stack and the warp fetches fresh ones:
//!
//! ```text
//! tail:    takers = ballot(want)
//!          takers = mask                  -> region
//! decide:  as above, but that takers clear nothing and those without a task wait at again
//! region:  what is computed from the context
//! step:    one step; the task goes on -> again; it is over -> left
//! left:    want = false
//! again:   alone                          -> on
//! meet:    takers = ballot(want);  takers = mask -> step
//!          alone = nothing stacked, no more to come, somebody at work;  not alone -> decide
//! on:      those with a task              -> step; the others -> meet
//! ```
//!
//! Not more than `lanes - 1` contexts are ever stacked: they are pushed where the stack and those who push are fewer than a warp. `more`
//! stays what it was, because no lane comes to another iteration between two steps. When nothing is stacked and nothing will be,
//! the lanes are `alone`: each finishes its task as before the rewrite, without votes; or, where the steps of a task may be parted,
//! the idle ones share it ([`crate::emit::work_sharing`]). A step that another lane continues sees what
//! the steps before it have written, because `bar.warp.sync` stands between push and pop.
//!
//! A region that lies in another one is collected from that one's copies, while it runs. Its stage comes behind, and more may come as
//! long as the outer stack is not empty: `more = more or the outer stack is not empty`. As the outer region has no loop around it and
//! is not run in steps, a lane comes to the inner one once at most before its stage decides.
//!
//! Every lane of the mask comes to every stage of every iteration, so that the votes have all of them. A lane may want several regions
//! in one iteration: its contexts are in different copies, so that running one region leaves the others' alone. The drain is
//! iterations in which nobody is active: each stage runs what is on its stack, at most a full warp at a time, until a pass
//! finds all stacks empty. In what order regions run, with one another and across iterations, is not defined: the directives say that
//! it does not matter.

use ptx_parser::{Code, Guard, Kernel, Label, Loc, Reg, Relation, Type};

use crate::context::value::{Context, Source};
use crate::emit::loop_registers::Names;
use crate::emit::register_copies::Copies;
use crate::emit::stack_slots::{Slot, address, by_width, load, store};
use crate::emit::work_sharing::{Sharing, Writer};
use crate::markers::Site;
use crate::plan::path::Path;
use crate::plan::path_id::PathId;

/// The labels of a stage.
pub(crate) struct Labels {
    /// Its beginning: the vote.
    pub(crate) tail: Label,
    /// The region.
    pub(crate) region: Label,
    pub(crate) push: Label,
    pub(crate) drain: Label,
    /// Those of a region that is run in steps.
    pub(crate) steps: Option<Steps>,
}

/// The labels of a region that is run in steps.
pub(crate) struct Steps {
    /// One step of a task.
    pub(crate) step: Label,
    /// Behind the end of a task.
    pub(crate) left: Label,
    /// Behind a step: with the vote.
    pub(crate) again: Label,
    /// The vote.
    pub(crate) meet: Label,
    /// Behind a vote that found some lanes without a task.
    pub(crate) decide: Label,
    /// The place where lanes with a task go on without another vote.
    pub(crate) on: Label,
    pub(crate) end: EndOfTasks,
}

/// The end of all tasks, when no more come, and the registers that it takes.
pub(crate) enum EndOfTasks {
    /// Each finishes its own; the register says that it is so.
    Alone(Reg),
    /// Idle lanes share those of others.
    Shared(Sharing),
}

impl Steps {
    /// Before the loop: nobody has asked yet.
    pub(crate) fn set_up(&self, code: &mut Code, mask: Reg) {
        match &self.end {
            EndOfTasks::Alone(alone) => code.ins().set(*alone, false),
            EndOfTasks::Shared(sharing) => code.ins().mov(Type::B32, sharing.tried, mask),
        }
    }
}

/// The registers and labels of one region.
pub(crate) struct Stage {
    pub(crate) labels: Labels,
    /// True in a lane that wants the region in this iteration.
    pub(crate) want: Reg,
    /// One above the last context of the warp's stack.
    pub(crate) top: Reg,
    /// True if a lane may come to want the region later.
    pub(crate) more: Reg,
    /// The stage of the region that this one's lies in.
    pub(crate) outer: Option<PathId>,
    /// The context's values, in the order of the context.
    pub(crate) slots: Vec<Slot>,
}

/// The neighbours of a stage in its loop.
pub(crate) struct Around<'a> {
    pub(crate) names: &'a Names,
    /// The label at which lanes go on, whatever it decided.
    pub(crate) next: Label,
    /// True if it is the first one of an iteration.
    pub(crate) is_first: bool,
    /// The stage of the region that its own lies in.
    pub(crate) outer: Option<&'a Stage>,
}

impl Stage {
    /// `more` says whether any lane has an iteration left.
    pub(crate) fn new(kernel: &mut Kernel, path: &Path, copies: &Copies, more: Reg) -> Stage {
        let stems = ["ccc_step", "ccc_left", "ccc_again", "ccc_meet", "ccc_decide", "ccc_on"];
        let steps = path.region.steps.then_some(stems).map(|stems| stems.map(|stem| kernel.new_label(stem)));
        let [tail, region, push, drain] =
            ["ccc_tail", "ccc_region", "ccc_push", "ccc_drain"].map(|stem| kernel.new_label(stem));
        let labels = Labels { tail, region, push, drain, steps: None };
        let (want, top) = (kernel.new_reg("ccc_want", Type::Pred), kernel.new_reg("ccc_top", Type::B32));
        let outer = path.region.outer;
        let more = if outer.is_some() { kernel.new_reg("ccc_more", Type::Pred) } else { more };
        let steps = steps.map(|[step, left, again, meet, decide, on]| {
            let end = match &path.split {
                Some(Ok(split)) => EndOfTasks::Shared(Sharing::new(kernel, split)),
                _ => EndOfTasks::Alone(kernel.new_reg("ccc_alone", Type::Pred)),
            };
            Steps { step, left, again, meet, decide, on, end }
        });
        let labels = Labels { steps, ..labels };
        let lasts = |source: Source| match source {
            Source::Reg(reg) if path.lasting.contains(&reg) => Some(reg),
            _ => None,
        };
        let values = path.context.values.iter().zip(&path.layout.fields);
        let slots = values.filter_map(|(value, &field)| {
            let (source, ty) = (value.source, value.ty);
            Some(Slot { source, ty, field, copy: copies.of(source)?, lasting: lasts(source) })
        });
        Stage { labels, want, top, more, outer, slots: slots.collect() }
    }

    /// A lane wants the region.
    pub(crate) fn wanted(&self, code: &mut Code) {
        code.ins().set(self.want, true);
    }

    /// Returns where a lane goes that has come to the end of the region.
    pub(crate) fn left(&self, next: Label) -> Label {
        self.labels.steps.as_ref().map_or(next, |steps| steps.left)
    }

    /// From the vote down to the region, which follows it. Whether any lane has an iteration left is found out by the first stage for all.
    pub(crate) fn tail(&self, kernel: &Kernel, path: &Path, around: &Around<'_>) -> Code {
        use Relation::{Equal, Less, NotEqual};
        use Type::U32;
        let Around { names, next, .. } = *around;
        let Names { active, test, mask, lanes, takers, total, .. } = *names;
        let Labels { tail, region, push, drain, ref steps } = self.labels;
        let (want, top, more) = (self.want, self.top, self.more);
        let nobody = |code: &mut Code| {
            code.ins().setp_and(Equal, U32, test, takers, 0, more);
            code.when(test).bra(next);
        };
        let everybody = |code: &mut Code| {
            code.ins().setp(Equal, U32, test, takers, mask);
            code.when(test).bra(region);
        };
        let mut code = Code::new();
        code.label(tail);
        charge(&mut code, &path.site);
        code.ins().vote_ballot(takers, want, mask);
        match around.outer {
            _ if around.is_first => code.ins().vote_any(more, active, mask),
            // What is on the outer stack may bring more.
            Some(Stage { top, more: outer, .. }) => code.ins().setp_or(NotEqual, U32, more, *top, 0, *outer),
            None => {}
        }
        match steps {
            None => {
                nobody(&mut code);
                everybody(&mut code);
            }
            Some(Steps { decide, .. }) if !self.lasts() => {
                everybody(&mut code);
                code.label(*decide);
                nobody(&mut code);
            }
            // Behind a step it is the copies that are up to date. That nobody has a task there is rare, and leads on as if it were pushed.
            Some(Steps { decide, .. }) => {
                nobody(&mut code);
                self.fetch(kernel, None, &mut code);
                everybody(&mut code);
                code.label(*decide);
            }
        }
        code.ins().popc(Type::B32, total, takers);
        code.ins().add(U32, total, total, top);
        code.ins().setp_and(Less, U32, test, total, lanes, more);
        code.when(test).bra(push);
        code.ins().setp(Less, U32, test, total, lanes);
        code.when(test).bra(drain);
        self.next_slot(names, &mut code);
        self.loads(names, !Guard::from(want), &mut code);
        if steps.is_some() {
            code.ins().set(want, true);
        }
        code.ins().sub(U32, top, total, lanes);
        code.ins().bar_warp_sync(mask);
        code
    }

    /// Nothing more will come, and what there is does not fill the warp. If there is nothing, lanes go on to `over`.
    pub(crate) fn drain(&self, around: &Around<'_>, over: Label) -> Code {
        let Around { names, next, .. } = *around;
        let Names { pop, test, mask, total, slot, .. } = *names;
        let Labels { region, drain, ref steps, .. } = self.labels;
        let (want, top) = (self.want, self.top);
        let (works, others) = match steps {
            None => (pop, next),
            Some(Steps { again, .. }) => (want, *again),
        };
        let mut code = Code::new();
        code.label(drain);
        code.ins().setp(Relation::Equal, Type::U32, test, total, 0);
        code.when(test).bra(over);
        self.next_slot(names, &mut code);
        code.ins().setp_and(Relation::Greater, Type::S32, pop, slot, 0, !Guard::from(want));
        self.loads(names, pop.into(), &mut code);
        code.ins().mov(Type::B32, top, 0);
        code.ins().or(Type::Pred, works, pop, want);
        code.ins().bar_warp_sync(mask);
        code.when(works).bra(region);
        code.ins().bra(others);
        code
    }

    /// One above the slot that an idle lane pops, counted from the top: below it are those of the idle lanes before it.
    fn next_slot(&self, names: &Names, code: &mut Code) {
        let Names { below, takers, slot, temp, .. } = *names;
        // The bits of `below` that `takers` does not have.
        code.ins().lop3(Type::B32, temp, below, takers, 0, 0x30);
        code.ins().popc(Type::B32, temp, temp);
        code.ins().sub(Type::S32, slot, self.top, temp);
    }

    /// The lanes of a guard get the context below `slot`.
    fn loads(&self, names: &Names, guard: Guard, code: &mut Code) {
        for (width, slots) in by_width(&self.slots) {
            address(code, names, width);
            for Slot { copy, ty, field, .. } in slots {
                load(code, names, guard, *copy, *ty, field.offset.cast_signed() - i64::from(width));
            }
        }
    }

    /// Builds the code behind the region: a lane that has finished its task, or a step of it, goes on there if any way `leaves` the
    /// region. Empty for a region without steps.
    pub(crate) fn next_task(&self, kernel: &Kernel, path: &Path, names: &Names, leaves: bool) -> Code {
        let mut code = Code::new();
        let Some(steps) = &self.labels.steps else { return code };
        let Steps { step, left, again, decide, meet, on, ref end } = *steps;
        let (want, top, more) = (self.want, self.top, self.more);
        if leaves {
            code.label(left);
            code.ins().set(want, false);
        }
        let alone = match (end, &path.split) {
            (EndOfTasks::Shared(sharing), Some(Ok(split))) => {
                return Writer { kernel, path, names, stage: self, split, sharing }.next_step(steps, code);
            }
            (EndOfTasks::Alone(register), _) => *register,
            (EndOfTasks::Shared(sharing), _) => sharing.tried,
        };
        let Names { test, mask, takers, .. } = *names;
        code.label(again);
        code.when(alone).bra(on);
        code.label(meet);
        charge(&mut code, &path.site);
        code.ins().vote_ballot(takers, want, mask);
        code.ins().setp(Relation::Equal, Type::U32, test, takers, mask);
        code.when(test).bra(step);
        code.ins().setp_and(Relation::Equal, Type::U32, alone, top, 0, !Guard::from(more));
        code.ins().setp_and(Relation::NotEqual, Type::U32, alone, takers, 0, alone);
        code.unless(alone).bra(decide);
        code.label(on);
        code.when(want).bra(step);
        code.ins().bra(meet);
        code
    }

    /// The lanes that want the region put their contexts on the stack.
    pub(crate) fn push(&self, names: &Names, next: Label) -> Code {
        let Names { mask, below, takers, total, slot, temp, .. } = *names;
        let mut code = Code::new();
        code.label(self.labels.push);
        code.ins().and(Type::B32, temp, takers, below);
        code.ins().popc(Type::B32, temp, temp);
        code.ins().add(Type::U32, slot, self.top, temp);
        for (width, slots) in by_width(&self.slots) {
            address(&mut code, names, width);
            for Slot { ty, field, copy, lasting, .. } in slots {
                let value = lasting.filter(|_| self.labels.steps.is_none()).unwrap_or(*copy);
                store(&mut code, names, self.want.into(), value, *ty, field.offset.cast_signed());
            }
        }
        code.ins().mov(Type::B32, self.top, total);
        code.ins().bar_warp_sync(mask);
        code.ins().bra(next);
        code
    }

    /// Returns true if a value of the context is not in its copy before the stage decides.
    fn lasts(&self) -> bool {
        self.slots.iter().any(|slot| slot.lasting.is_some())
    }

    /// Copies the values that are not in their copies yet, under a guard or none.
    fn fetch(&self, kernel: &Kernel, guard: Option<Guard>, code: &mut Code) {
        for slot in &self.slots {
            if let Some(reg) = slot.lasting {
                code.guarded(guard).copy(kernel.reg(reg).ty, slot.copy, reg);
            }
        }
    }

    /// Builds the beginning of a region in lanes that run what they want themselves: the values that are not in their copies yet are
    /// copied. For a region that is run in steps, the stage has done that.
    pub(crate) fn copy_values(&self, kernel: &Kernel, code: &mut Code) {
        if self.labels.steps.is_none() {
            self.fetch(kernel, Some(self.want.into()), code);
        }
    }

    /// Values that are the same for every run but that the region overwrites: each run starts from a fresh copy.
    pub(crate) fn fresh_copies(&self, kernel: &Kernel, context: &Context, copies: &Copies, code: &mut Code) {
        for &reg in context.kept.iter().filter(|reg| context.written.contains(reg)) {
            if let Some(copy) = copies.of(Source::Reg(reg)) {
                code.ins().copy(kernel.reg(reg).ty, copy, reg);
            }
        }
    }
}

/// Charges the code that follows to the marked statement.
pub(crate) fn charge(code: &mut Code, site: &Site) {
    if let Some(file) = site.file
        && site.line > 0
    {
        code.loc(Loc { file, line: site.line, column: 1, inlined_at: None });
    }
}
