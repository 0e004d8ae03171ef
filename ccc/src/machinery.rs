//! The code that decides, pushes and pops, as PTX text (paper, Section 2.3 and Figure 3, made sound under independent thread scheduling).
//!
//! ```text
//! set up:  mask  = lanes of this warp that exist         below = lanes of the mask below this one
//!          floor = first slot of the warp                full  = floor + number of lanes
//!          top   = floor                                 base  = address of the stack
//! head:    want = false; a lane without iterations goes to the tail
//! tail:    takers = ballot(want); more = any(active)
//!          takers = 0 and more            -> head
//!          takers = mask                  -> region, with nobody's help
//!          top + |takers| < full and more -> push
//!          nothing stacked, nobody wants  -> done
//!          idle lanes pop from the top; those that have something to run go on to the region
//! push:    takers push to the top
//! ```
//!
//! `top` counts slots from the start of the CTA's arrays, and is the same in all lanes of the warp. All lanes of the mask come to every
//! vote; they make its results, and so all branches on them, the same for the whole warp.

use ptx_parser::{Kernel, Reg, Symbol, Type};

use crate::context::{Context, Source};
use crate::copies::{Copies, copy_text};
use crate::markers::{LOOP_NOTE, Site};
use crate::stack::Layout;

/// The labels of the parts.
pub(crate) struct Labels {
    /// Where lanes with an iteration enter the loop.
    pub(crate) enter: String,
    /// Where every iteration begins.
    pub(crate) head: String,
    /// Where every iteration ends.
    pub(crate) tail: String,
    /// The region.
    pub(crate) region: String,
    push: String,
    done: String,
}

/// The registers, labels and stack of one rewritten loop.
pub(crate) struct Machinery {
    pub(crate) labels: Labels,
    names: Names,
    /// The context's copies, in the order of the context.
    copies: Vec<Reg>,
    stack: Option<Symbol>,
}

/// Register names, as they go into the text.
struct Names {
    active: String,
    want: String,
    more: String,
    pop: String,
    test: String,
    mask: String,
    below: String,
    floor: String,
    full: String,
    lanes: String,
    top: String,
    takers: String,
    total: String,
    slot: String,
    temp: String,
    base: String,
    way: String,
}

impl Machinery {
    pub(crate) fn new(kernel: &mut Kernel, context: &Context, layout: &Layout, copies: &Copies) -> Machinery {
        let label = |kernel: &mut Kernel, stem: &str| {
            let label = kernel.new_label(stem);
            kernel.label_name(label).to_owned()
        };
        let labels = Labels {
            enter: label(kernel, "ccc_enter"),
            head: label(kernel, "ccc_head"),
            tail: label(kernel, "ccc_tail"),
            region: label(kernel, "ccc_region"),
            push: label(kernel, "ccc_push"),
            done: label(kernel, "ccc_done"),
        };
        let mut reg = |stem: &str, ty: Type| {
            let reg = kernel.new_reg(stem, ty);
            kernel.reg_name(reg).to_owned()
        };
        let names = Names {
            active: reg("ccc_active", Type::Pred),
            want: reg("ccc_want", Type::Pred),
            more: reg("ccc_more", Type::Pred),
            pop: reg("ccc_pop", Type::Pred),
            test: reg("ccc_test", Type::Pred),
            mask: reg("ccc_mask", Type::B32),
            below: reg("ccc_below", Type::B32),
            floor: reg("ccc_floor", Type::B32),
            full: reg("ccc_full", Type::B32),
            lanes: reg("ccc_lanes", Type::B32),
            top: reg("ccc_top", Type::B32),
            takers: reg("ccc_takers", Type::B32),
            total: reg("ccc_total", Type::B32),
            slot: reg("ccc_slot", Type::B32),
            temp: reg("ccc_temp", Type::B32),
            base: reg("ccc_base", Type::B32),
            way: reg("ccc_way", Type::B32),
        };
        let stack = (layout.bytes > 0).then(|| kernel.new_shared("ccc_stack", layout.align, layout.bytes));
        let copies = context.values.iter().filter_map(|value| copies.of(value.source)).collect();
        Machinery { labels, names, copies, stack }
    }

    /// Before the loop: which lanes there are, and where the warp's slots begin. The linear thread number counts x first, then y, then z
    /// (PTX ISA, "Thread Hierarchy"); a shift by 32 or more gives 0, so that a full warp's mask comes out as all ones.
    pub(crate) fn set_up(&self, kernel: &Kernel) -> String {
        let Names { mask, below, floor, full, lanes, top, total, slot, temp, base, .. } = &self.names;
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
             and.b32 {floor}, {total}, -32;
             sub.u32 {slot}, {slot}, {floor};
             shl.b32 {mask}, 1, {slot};
             add.s32 {mask}, {mask}, -1;
             mov.u32 {below}, %lanemask_lt;
             and.b32 {below}, {below}, {mask};
             popc.b32 {lanes}, {mask};
             add.u32 {full}, {floor}, {lanes};
             mov.b32 {top}, {floor};
            "
        );
        if let Some(stack) = self.stack {
            text += &format!("mov.u32 {base}, {};\n", kernel.symbol_name(stack));
        }
        text
    }

    /// Where iterations begin. Lanes that enter the loop with an iteration come in at the first label.
    pub(crate) fn head(&self, site: &Site) -> String {
        let Names { active, want, .. } = &self.names;
        let Labels { enter, head, tail, .. } = &self.labels;
        let note = loop_note(site);
        format!("{enter}:\nmov.pred {active}, -1;\n{head}:\n{note}mov.pred {want}, 0;\n@!{active} bra {tail};\n")
    }

    /// A lane has no more iterations.
    pub(crate) fn inactive(&self) -> String {
        format!("mov.pred {}, 0;\n", self.names.active)
    }

    /// A lane will go to the target of this number when the loop is over.
    pub(crate) fn choose(&self, target: usize) -> String {
        format!("mov.u32 {}, {target};\n", self.names.way)
    }

    /// A lane wants the region.
    pub(crate) fn wanted(&self) -> String {
        format!("mov.pred {}, -1;\n", self.names.want)
    }

    /// Where iterations end, down to the region, which follows it.
    pub(crate) fn tail(
        &self,
        kernel: &Kernel,
        site: &Site,
        context: &Context,
        layout: &Layout,
        targets: &[String],
    ) -> String {
        let Names {
            active,
            want,
            more,
            pop,
            test,
            mask,
            below,
            floor,
            full,
            lanes,
            top,
            takers,
            total,
            slot,
            temp,
            ..
        } = &self.names;
        let Labels { head, tail, region, push, done, .. } = &self.labels;
        let done = match targets {
            [only] => only,
            _ => done,
        };
        let position = position(site);
        let mut text = format!(
            "{tail}:
             {position}vote.sync.ballot.b32 {takers}, {want}, {mask};
             vote.sync.any.pred {more}, {active}, {mask};
             setp.eq.and.u32 {test}, {takers}, 0, {more};
             @{test} bra {head};
             setp.eq.u32 {test}, {takers}, {mask};
             @{test} bra {region};
             popc.b32 {total}, {takers};
             add.u32 {total}, {total}, {top};
             setp.lt.and.u32 {test}, {total}, {full}, {more};
             @{test} bra {push};
             setp.eq.u32 {test}, {total}, {floor};
             @{test} bra {done};
             not.b32 {temp}, {takers};
             and.b32 {temp}, {temp}, {below};
             popc.b32 {temp}, {temp};
             sub.s32 {slot}, {top}, {temp};
             setp.gt.and.s32 {pop}, {slot}, {floor}, !{want};
            "
        );
        for (width, fields) in by_width(layout) {
            text += &self.address(width);
            for field in fields {
                // `slot` is one above the slot to pop.
                let offset = i64::try_from(layout.fields[field].offset).unwrap_or(0) - i64::from(width);
                text += &self.load(kernel, self.copies[field], context.values[field].ty, offset);
            }
        }
        text += &format!(
            "sub.s32 {top}, {total}, {lanes};
             max.s32 {top}, {top}, {floor};
             or.pred {pop}, {pop}, {want};
             bar.warp.sync {mask};
             @!{pop} bra {head};
            "
        );
        text
    }

    /// The lanes that want the region put their contexts on the stack.
    pub(crate) fn push(&self, kernel: &Kernel, context: &Context, layout: &Layout) -> String {
        let Names { mask, below, top, takers, total, slot, temp, .. } = &self.names;
        let Labels { head, push, .. } = &self.labels;
        let mut text = format!(
            "{push}:
             and.b32 {temp}, {takers}, {below};
             popc.b32 {temp}, {temp};
             add.u32 {slot}, {top}, {temp};
            "
        );
        for (width, fields) in by_width(layout) {
            text += &self.address(width);
            for field in fields {
                text += &self.store(kernel, self.copies[field], context.values[field].ty, layout.fields[field].offset);
            }
        }
        text + &format!("mov.b32 {top}, {total};\nbar.warp.sync {mask};\nbra {head};\n")
    }

    /// Each lane goes where it left the loop for. Nothing where there is one place only.
    pub(crate) fn done(&self, targets: &[String]) -> String {
        let Names { test, way, .. } = &self.names;
        let [others @ .., last] = targets else { return String::new() };
        if others.is_empty() {
            return String::new();
        }
        let mut text = format!("{}:\n", self.labels.done);
        for (index, target) in others.iter().enumerate() {
            text += &format!("setp.eq.u32 {test}, {way}, {index};\n@{test} bra {target};\n");
        }
        text + &format!("bra {last};\n")
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

    /// The address of the slot in an array of a width at offset 0, in `temp`.
    fn address(&self, width: u32) -> String {
        let Names { slot, temp, base, .. } = &self.names;
        format!("mad.lo.u32 {temp}, {slot}, {width}, {base};\n")
    }

    fn load(&self, kernel: &Kernel, copy: Reg, ty: Type, offset: i64) -> String {
        let Names { pop, temp, takers, .. } = &self.names;
        let name = kernel.reg_name(copy);
        match ty {
            // The votes are over: `takers` is free until the next.
            Type::Pred => {
                format!("@{pop} ld.shared.u8 {takers}, [{temp}+{offset}];\n@{pop} setp.ne.u32 {name}, {takers}, 0;\n")
            }
            ty => format!("@{pop} ld.shared.b{} {name}, [{temp}+{offset}];\n", ty.bits()),
        }
    }

    fn store(&self, kernel: &Kernel, copy: Reg, ty: Type, offset: u64) -> String {
        let Names { want, temp, takers, .. } = &self.names;
        let name = kernel.reg_name(copy);
        match ty {
            Type::Pred => {
                format!("selp.b32 {takers}, 1, 0, {name};\n@{want} st.shared.u8 [{temp}+{offset}], {takers};\n")
            }
            ty => format!("@{want} st.shared.b{} [{temp}+{offset}], {name};\n", ty.bits()),
        }
    }
}

/// The fields of a layout, those of one width together: they share an address computation.
fn by_width(layout: &Layout) -> Vec<(u32, Vec<usize>)> {
    let mut groups: Vec<(u32, Vec<usize>)> = Vec::new();
    for (index, field) in layout.fields.iter().enumerate() {
        match groups.iter_mut().find(|(width, _)| *width == field.width) {
            Some((_, fields)) => fields.push(index),
            None => groups.push((field.width, vec![index])),
        }
    }
    groups
}

fn loop_note(site: &Site) -> String {
    format!("//{LOOP_NOTE} {} line {}\n", site.for_id, site.for_line.unwrap_or(0))
}

/// The position that the machinery is charged to: the marked `if`.
fn position(site: &Site) -> String {
    match site.file {
        Some(file) if site.line > 0 => format!(".loc {file} {} 1\n", site.line),
        _ => String::new(),
    }
}
