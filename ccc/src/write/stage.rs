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
//! registers and copies it where the region is run ([`crate::context::lasting`]).
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
//! the idle ones share it ([`crate::write::share`]). A step that another lane continues sees what
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

use ptx_parser::{Kernel, Reg, Type};

use crate::context::{Context, Source};
use crate::markers::Site;
use crate::plan::Path;
use crate::write::copies::{Copies, copy_text, new_reg};
use crate::write::machinery::{Machinery, Names};
use crate::write::share::{Sharing, Writer};
use crate::write::slots::{address, by_width, load, store};

/// The labels of a stage.
pub(crate) struct Labels {
    /// Where it begins: with the vote.
    pub(crate) tail: String,
    /// The region.
    pub(crate) region: String,
    pub(crate) push: String,
    pub(crate) drain: String,
    /// Those of a region that is run in steps.
    pub(crate) steps: Option<Steps>,
}

/// The labels of a region that is run in steps.
pub(crate) struct Steps {
    /// One step of a task.
    pub(crate) step: String,
    /// Behind the end of a task.
    pub(crate) left: String,
    /// Behind a step: with the vote.
    pub(crate) again: String,
    /// The vote.
    pub(crate) meet: String,
    /// Behind a vote that found some lanes without a task.
    pub(crate) decide: String,
    /// Where lanes with a task go on without another vote.
    pub(crate) on: String,
    pub(crate) end: EndOfTasks,
}

/// What the lanes do when no more tasks come, and the registers that it takes.
pub(crate) enum EndOfTasks {
    /// Each finishes its own; the register says that it is so.
    Alone(String),
    /// Idle lanes share those of others.
    Shared(Sharing),
}

impl Steps {
    /// Before the loop: nobody has asked yet.
    pub(crate) fn set_up(&self, mask: &str) -> String {
        match &self.end {
            EndOfTasks::Alone(alone) => format!("mov.pred {alone}, 0;\n"),
            EndOfTasks::Shared(sharing) => format!("mov.b32 {}, {mask};\n", sharing.tried),
        }
    }
}

/// The registers and labels of one region.
pub(crate) struct Stage {
    pub(crate) labels: Labels,
    /// Whether a lane wants the region in this iteration.
    pub(crate) want: String,
    /// One above the last context of the warp's stack.
    pub(crate) top: String,
    /// Whether a lane may come to want the region later.
    pub(crate) more: String,
    /// The stage of the region that this one's lies in.
    outer: Option<usize>,
    /// The context's copies, in the order of the context.
    pub(crate) copies: Vec<Reg>,
    /// Where its values are until the stage decides, if not in the copies yet; see [`crate::context::lasting`].
    lasting: Vec<Option<Reg>>,
}

impl Stage {
    /// `more` says whether any lane has an iteration left.
    pub(crate) fn new(kernel: &mut Kernel, path: &Path, copies: &Copies, more: &str) -> Stage {
        let mut label = |stem: &str| {
            let label = kernel.new_label(stem);
            kernel.label_name(label).to_owned()
        };
        let steps = path
            .region
            .steps
            .then(|| ["ccc_step", "ccc_left", "ccc_again", "ccc_meet", "ccc_decide", "ccc_on"].map(&mut label));
        let [tail, region, push, drain] = ["ccc_tail", "ccc_region", "ccc_push", "ccc_drain"].map(&mut label);
        let labels = Labels { tail, region, push, drain, steps: None };
        let (want, top) = (new_reg(kernel, "ccc_want", Type::Pred), new_reg(kernel, "ccc_top", Type::B32));
        let outer = path.region.outer;
        let more = if outer.is_some() { new_reg(kernel, "ccc_more", Type::Pred) } else { more.to_owned() };
        let steps = steps.map(|[step, left, again, meet, decide, on]| {
            let end = match &path.split {
                Some(Ok(split)) => EndOfTasks::Shared(Sharing::new(kernel, split)),
                _ => EndOfTasks::Alone(new_reg(kernel, "ccc_alone", Type::Pred)),
            };
            Steps { step, left, again, meet, decide, on, end }
        });
        let labels = Labels { steps, ..labels };
        let copies = path.context.values.iter().filter_map(|value| copies.of(value.source)).collect();
        let lasts = |source: Source| match source {
            Source::Reg(reg) if path.lasting.contains(&reg) => Some(reg),
            _ => None,
        };
        let lasting = path.context.values.iter().map(|value| lasts(value.source)).collect();
        Stage { labels, want, top, more, outer, copies, lasting }
    }

    /// A lane wants the region.
    pub(crate) fn wanted(&self) -> String {
        format!("mov.pred {}, -1;\n", self.want)
    }

    /// Where a lane goes that has come to the end of the region.
    pub(crate) fn left<'a>(&'a self, next: &'a str) -> &'a str {
        self.labels.steps.as_ref().map_or(next, |steps| &steps.left)
    }

    /// From the vote down to the region, which follows it. `index` is the stage's number in the loop; whether any lane has an iteration
    /// left is found out by the first stage for all.
    pub(crate) fn tail(&self, kernel: &Kernel, path: &Path, machinery: &Machinery, index: usize) -> String {
        let names = &machinery.names;
        let Names { active, test, mask, lanes, takers, total, .. } = names;
        let Labels { tail, region, push, drain, steps } = &self.labels;
        let (want, top, more) = (&self.want, &self.top, &self.more);
        let next = machinery.behind(index);
        let position = position(&path.site);
        let vote = match (index, self.outer.map(|outer| &machinery.stages[outer])) {
            (0, _) => format!("vote.sync.any.pred {more}, {active}, {mask};\n"),
            // What is on the outer stack may bring more.
            (_, Some(Stage { top, more: outer, .. })) => {
                format!("setp.ne.or.u32 {more}, {top}, 0, {outer};\n")
            }
            _ => String::new(),
        };
        let nobody = format!("setp.eq.and.u32 {test}, {takers}, 0, {more};\n@{test} bra {next};\n");
        let everybody = format!("setp.eq.u32 {test}, {takers}, {mask};\n@{test} bra {region};\n");
        let fetched = self.fetched(kernel, "");
        let decided = match steps {
            None => nobody + &everybody,
            Some(Steps { decide, .. }) if fetched.is_empty() => format!("{everybody}{decide}:\n{nobody}"),
            // Behind a step it is the copies that are up to date. That nobody has a task there is rare, and leads on as if it were pushed.
            Some(Steps { decide, .. }) => format!("{nobody}{fetched}{everybody}{decide}:\n"),
        };
        let loads = self.loads(kernel, path, names, &format!("@!{want}"));
        let work = if steps.is_some() { format!("mov.pred {want}, -1;\n") } else { String::new() };
        format!(
            "{tail}:
             {position}vote.sync.ballot.b32 {takers}, {want}, {mask};
             {vote}{decided}popc.b32 {total}, {takers};
             add.u32 {total}, {total}, {top};
             setp.lt.and.u32 {test}, {total}, {lanes}, {more};
             @{test} bra {push};
             setp.lt.u32 {test}, {total}, {lanes};
             @{test} bra {drain};
             {}{loads}{work}sub.u32 {top}, {total}, {lanes};
             bar.warp.sync {mask};
            ",
            self.next_slot(names)
        )
    }

    /// Nothing more will come, and what there is does not fill the warp.
    pub(crate) fn drain(
        &self,
        kernel: &Kernel,
        path: &Path,
        machinery: &Machinery,
        index: usize,
        targets: &[String],
    ) -> String {
        let names = &machinery.names;
        let Names { pop, test, mask, total, slot, .. } = names;
        let Labels { region, drain, steps, .. } = &self.labels;
        let (want, top) = (&self.want, &self.top);
        let over = machinery.over(index, targets);
        let (works, others) = match steps {
            None => (pop, machinery.behind(index)),
            Some(Steps { again, .. }) => (want, again.as_str()),
        };
        let loads = self.loads(kernel, path, names, &format!("@{pop}"));
        format!(
            "{drain}:
             setp.eq.u32 {test}, {total}, 0;
             @{test} bra {over};
             {}setp.gt.and.s32 {pop}, {slot}, 0, !{want};
             {loads}mov.b32 {top}, 0;
             or.pred {works}, {pop}, {want};
             bar.warp.sync {mask};
             @{works} bra {region};
             bra {others};
            ",
            self.next_slot(names)
        )
    }

    /// One above the slot that an idle lane pops, counted from the top: below it are those of the idle lanes before it.
    fn next_slot(&self, names: &Names) -> String {
        let Names { below, takers, slot, temp, .. } = names;
        let top = &self.top;
        // The bits of `below` that `takers` does not have.
        format!(
            "lop3.b32 {temp}, {below}, {takers}, 0, 0x30;
             popc.b32 {temp}, {temp};
             sub.s32 {slot}, {top}, {temp};
            "
        )
    }

    /// The lanes of a guard get the context below `slot`.
    fn loads(&self, kernel: &Kernel, path: &Path, names: &Names, guard: &str) -> String {
        let mut text = String::new();
        for (width, fields) in by_width(&path.layout) {
            text += &address(names, width);
            for field in fields {
                let offset = i64::try_from(path.layout.fields[field].offset).unwrap_or(0) - i64::from(width);
                let (copy, ty) = (self.copies[field], path.context.values[field].ty);
                text += &load(kernel, names, guard, copy, ty, offset);
            }
        }
        text
    }

    /// Behind the region: what a lane comes to that has finished its task, if any way `leaves` the region, or a step of it. Nothing for a
    /// region without steps.
    pub(crate) fn again(&self, kernel: &Kernel, path: &Path, names: &Names, leaves: bool) -> String {
        let position = position(&path.site);
        let Some(steps) = &self.labels.steps else { return String::new() };
        let Steps { step, left, again, decide, meet, on, end } = steps;
        let (want, top, more) = (&self.want, &self.top, &self.more);
        let left = if leaves { format!("{left}:\nmov.pred {want}, 0;\n") } else { String::new() };
        let alone = match (end, &path.split) {
            (EndOfTasks::Shared(sharing), Some(Ok(split))) => {
                return Writer { kernel, path, names, stage: self, split, sharing }.again(steps, &position, &left);
            }
            (EndOfTasks::Alone(register), _) => register,
            (EndOfTasks::Shared(sharing), _) => &sharing.tried,
        };
        let Names { test, mask, takers, .. } = names;
        format!(
            "{left}{again}:
             @{alone} bra {on};
             {meet}:
             {position}vote.sync.ballot.b32 {takers}, {want}, {mask};
             setp.eq.u32 {test}, {takers}, {mask};
             @{test} bra {step};
             setp.eq.and.u32 {alone}, {top}, 0, !{more};
             setp.ne.and.u32 {alone}, {takers}, 0, {alone};
             @!{alone} bra {decide};
             {on}:
             @{want} bra {step};
             bra {meet};
            "
        )
    }

    /// The lanes that want the region put their contexts on the stack.
    pub(crate) fn push(&self, kernel: &Kernel, path: &Path, names: &Names, next: &str) -> String {
        let Names { mask, below, takers, total, slot, temp, .. } = names;
        let (top, push) = (&self.top, &self.labels.push);
        let mut text = format!(
            "{push}:
             and.b32 {temp}, {takers}, {below};
             popc.b32 {temp}, {temp};
             add.u32 {slot}, {top}, {temp};
            "
        );
        let guard = format!("@{}", self.want);
        for (width, fields) in by_width(&path.layout) {
            text += &address(names, width);
            for field in fields {
                let lasting = self.lasting[field].filter(|_| self.labels.steps.is_none());
                let (value, ty) = (lasting.unwrap_or(self.copies[field]), path.context.values[field].ty);
                let offset = i64::try_from(path.layout.fields[field].offset).unwrap_or(0);
                text += &store(kernel, names, &guard, value, ty, offset);
            }
        }
        text + &format!("mov.b32 {top}, {total};\nbar.warp.sync {mask};\nbra {next};\n")
    }

    /// Copies of the values that are not in theirs yet, under a guard or none.
    fn fetched(&self, kernel: &Kernel, guard: &str) -> String {
        let values = self.lasting.iter().zip(&self.copies).filter_map(|(&reg, &copy)| Some((reg?, copy)));
        let text = |(reg, copy)| copy_text(kernel.reg(reg).ty, kernel.reg_name(copy), kernel.reg_name(reg));
        values.map(|value| format!("{guard}{}", text(value))).collect()
    }

    /// Where a region begins, in lanes that run what they want themselves: what is not in its copies yet. Of a region that is run in steps
    /// the stage has done that.
    pub(crate) fn own(&self, kernel: &Kernel) -> String {
        match self.labels.steps {
            None => self.fetched(kernel, &format!("@{} ", self.want)),
            Some(_) => String::new(),
        }
    }

    /// Values that are the same for every run but that the region overwrites: each run starts from a fresh copy.
    pub(crate) fn fresh_copies(&self, kernel: &Kernel, context: &Context, copies: &Copies) -> String {
        let mut text = String::new();
        for &reg in context.kept.iter().filter(|reg| context.written.contains(reg)) {
            if let Some(copy) = copies.of(Source::Reg(reg)) {
                text += &copy_text(kernel.reg(reg).ty, kernel.reg_name(copy), kernel.reg_name(reg));
            }
        }
        text
    }
}

/// The position that the machinery is charged to: the marked statement.
pub(crate) fn position(site: &Site) -> String {
    match site.file {
        Some(file) if site.line > 0 => format!(".loc {file} {} 1\n", site.line),
        _ => String::new(),
    }
}
