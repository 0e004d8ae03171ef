//! A kernel of a few steps, and its PTX.

use std::fmt::Write as _;

/// A 32-bit register of each lane.
pub(super) type Var = usize;

/// The number of the lane in its warp.
pub(super) const LANE: Var = 0;
/// The number of the thread in its block.
pub(super) const THREAD: Var = 1;
/// Everything that warp operations gave, folded into a word.
pub(super) const HASH: Var = 2;
/// The first of the four variables that conditions and operands are computed from.
pub(super) const DATA: Var = 3;
/// The number of these variables.
pub(super) const DATA_VARS: Var = 4;
/// The first variable that the generator may give away.
pub(super) const FREE: Var = DATA + DATA_VARS;
/// Words that each thread leaves in memory: the hash and the four variables, padded.
pub(super) const WORDS: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value {
    Var(Var),
    Const(u32),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Expr {
    Value(Value),
    /// `var * factor + term`.
    Affine(Var, u32, u32),
    Xor(Var, Var),
    And(Var, Value),
    AndNot(Value, Var),
    Shr(Var, u32),
    /// The number of the lowest set bit; 32 if there is none.
    First(Var),
    /// The mask of the lane itself.
    Own,
    /// Folds a word into a hash.
    Mix(Var, Var),
    /// The bit of the first at the place that the second holds.
    BitAt(Var, Var),
    /// 1 where both are equal.
    Same(Var, Var),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Cond {
    /// The lane is among these.
    Lanes(u32),
    /// A bit of a variable is set.
    Bit(Var, u32),
    Less(Var, Value),
    Same(Var, Var),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    Up,
    Down,
    Bfly,
    Idx,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Vote {
    All,
    Any,
    Uni,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fold {
    Add,
    MinU,
    MaxU,
    MinS,
    MaxS,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    Shuffle {
        mode: Mode,
        a: Var,
        b: Value,
        c: Value,
    },
    Vote {
        vote: Vote,
        of: Cond,
        negated: bool,
    },
    Ballot {
        of: Cond,
        negated: bool,
    },
    /// `match.any`, or `match.all`; of 64 bits if there is a second variable for the upper half.
    Match {
        all: bool,
        a: Var,
        upper: Option<Var>,
    },
    Fold(Fold, Var),
    Elect,
    /// `bar.warp.sync`; the second one of an exchange closes it.
    Barrier {
        closes: bool,
    },
}

/// A `.sync` operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Warp {
    pub(super) op: Op,
    pub(super) members: Value,
    pub(super) d: Var,
    /// Takes the predicate result as 0 or 1.
    pub(super) p: Option<Var>,
    /// Lanes for which this does not hold skip the operation; their results are 0.
    pub(super) guard: Option<Cond>,
    /// The number of the function that has the operation; without one it stands in the kernel. Two calls of a function differ in nothing.
    pub(super) function: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Set(Var, Expr),
    /// Goes to a step if the condition does not hold.
    Unless(Cond, usize),
    Jump(usize),
    Warp(Warp),
    /// `activemask`.
    Active(Var),
    /// Writes a variable to the lane's word of a slot in shared memory.
    Put(usize, Var),
    /// Reads the word of another lane of the warp, given by a variable.
    Get(Var, usize, Var),
    /// Leaves the results in memory and ends the thread.
    End,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(super) steps: Vec<Step>,
    pub(super) threads: u32,
    pub(super) vars: usize,
    pub(super) slots: usize,
}

impl Kernel {
    /// The lanes of a warp that exist.
    pub(super) fn lanes(&self, warp: u32) -> u32 {
        match self.threads - 32 * warp {
            32.. => u32::MAX,
            lanes => (1 << lanes) - 1,
        }
    }

    /// Returns how many warps there are.
    pub(super) fn warps(&self) -> u32 {
        self.threads.div_ceil(32)
    }

    /// The kernel `k` as PTX, whose parameter is where the results go.
    #[must_use]
    pub fn ptx(&self) -> String {
        self.text().0
    }

    /// The PTX, and per step the line of its operation, from 1.
    pub(super) fn text(&self) -> (String, Vec<u32>) {
        let mut lines = Vec::new();
        let mut text = ".version 8.0\n.target sm_90\n.address_size 64\n".to_owned();
        let functions = write_functions(&mut text, &self.steps);
        let _ = write!(
            text,
            ".visible .entry k(.param .u64 out)\n{{\n\
             .reg .pred %p<4>;\n.reg .b32 %r<{}>;\n.reg .b32 %t<3>;\n.reg .b64 %rd<4>;\n.shared .align 4 .b32 words[{}];\n\
             ld.param.u64 %rd1, [out];\nmov.u32 %r{LANE}, %laneid;\nmov.u32 %r{THREAD}, %tid.x;\n",
            self.vars,
            64 * self.slots.max(1),
        );
        for (index, step) in self.steps.iter().enumerate() {
            let _ = writeln!(text, "S{index}:");
            let line = write_step(&mut text, step);
            let function = match step {
                Step::Warp(warp) => functions.iter().find(|(number, _)| Some(*number) == warp.function),
                _ => None,
            };
            lines.push(function.map_or(line, |(_, line)| *line));
        }
        (text + "}\n", lines)
    }
}

/// Writes the functions that have operations; returns the number of each and the line of its operation.
fn write_functions(text: &mut String, steps: &[Step]) -> Vec<(usize, u32)> {
    let mut written: Vec<(usize, u32)> = Vec::new();
    for step in steps {
        let Step::Warp(warp) = step else { continue };
        let Some(number) = warp.function.filter(|number| written.iter().all(|(other, _)| other != number)) else {
            continue;
        };
        let _ = write!(
            text,
            ".func (.reg .b32 %d, .reg .b32 %p) f{number}(.reg .b32 %a, .reg .b32 %b, .reg .b32 %c, .reg .b32 %m)\n{{\n\
             .reg .pred %p<4>;\n.reg .b32 %r<7>;\n.reg .b32 %t<3>;\n.reg .b64 %rd<4>;\n\
             mov.u32 %r1, %a;\nmov.u32 %r2, %b;\nmov.u32 %r3, %c;\nmov.u32 %r4, %m;\nmov.u32 %r6, 0;\n"
        );
        let (b, c) = (Value::Var(2), Value::Var(3));
        let op = match warp.op {
            Op::Shuffle { mode, .. } => Op::Shuffle { mode, a: 1, b, c },
            Op::Vote { vote, negated, .. } => Op::Vote { vote, of: Cond::Bit(1, 0), negated },
            Op::Ballot { negated, .. } => Op::Ballot { of: Cond::Bit(1, 0), negated },
            Op::Match { all, upper, .. } => Op::Match { all, a: 1, upper: upper.map(|_| 2) },
            Op::Fold(fold, _) => Op::Fold(fold, 1),
            Op::Elect | Op::Barrier { .. } => warp.op,
        };
        let inner = Warp { op, members: Value::Var(4), d: 5, p: warp.p.map(|_| 6), guard: None, function: None };
        let line = text.lines().count() as u32 + 1;
        written.push((number, line + write_warp(text, &inner)));
        let result = if matches!(op, Op::Barrier { .. }) { "%r6" } else { "%r5" };
        let _ = write!(text, "mov.u32 %d, {result};\nmov.u32 %p, %r6;\nret;\n}}\n");
    }
    written
}

/// Writes a call of a function that has an operation.
fn write_call(text: &mut String, function: usize, op: &Op, members: Value, (d, p): (Var, Option<Var>)) {
    let mut operands = [Value::Const(0); 3];
    match *op {
        Op::Shuffle { a, b, c, .. } => operands = [Value::Var(a), b, c],
        Op::Vote { of, .. } | Op::Ballot { of, .. } => {
            let _ = writeln!(text, "{}selp.b32 %t2, 1, 0, %p2;", condition(of, 2));
        }
        Op::Match { a, upper, .. } => operands[..2].copy_from_slice(&[Value::Var(a), Value::Var(upper.unwrap_or(a))]),
        Op::Fold(_, a) => operands[0] = Value::Var(a),
        Op::Elect | Op::Barrier { .. } => {}
    }
    let [mut a, b, c] = operands.map(show);
    if matches!(op, Op::Vote { .. } | Op::Ballot { .. }) {
        a = "%t2".to_owned();
    }
    let p = p.map_or_else(|| "%t1".to_owned(), |p| format!("%r{p}"));
    let _ = writeln!(text, "call (%r{d}, {p}), f{function}, ({a}, {b}, {c}, {});", show(members));
}

fn show(value: Value) -> String {
    match value {
        Value::Var(var) => format!("%r{var}"),
        Value::Const(number) => format!("{number}"),
    }
}

/// Writes a step; returns the line of its operation.
fn write_step(text: &mut String, step: &Step) -> u32 {
    let mut line = text.lines().count() as u32 + 1;
    let wrote = match *step {
        Step::Set(d, expr) => write!(text, "{}", expression(d, expr)),
        Step::Unless(cond, to) => writeln!(text, "{}@!%p1 bra S{to};", condition(cond, 1)),
        Step::Jump(to) => writeln!(text, "bra S{to};"),
        Step::Warp(Warp { function: Some(function), ref op, members, d, p, .. }) => {
            write_call(text, function, op, members, (d, p));
            Ok(())
        }
        Step::Warp(warp) => {
            line += write_warp(text, &warp);
            Ok(())
        }
        Step::Active(d) => writeln!(text, "activemask.b32 %r{d};"),
        Step::Put(slot, var) => writeln!(
            text,
            "mov.u64 %rd2, words;\nmad.wide.u32 %rd2, %r{THREAD}, 4, %rd2;\nst.shared.u32 [%rd2+{}], %r{var};",
            256 * slot
        ),
        Step::Get(d, slot, from) => writeln!(
            text,
            "and.b32 %t0, %r{from}, 31;\nand.b32 %t1, %r{THREAD}, 32;\nor.b32 %t0, %t0, %t1;\nmov.u64 %rd2, words;\n\
             mad.wide.u32 %rd2, %t0, 4, %rd2;\nld.shared.u32 %r{d}, [%rd2+{}];",
            256 * slot
        ),
        Step::End => {
            let _ = writeln!(text, "mad.wide.u32 %rd2, %r{THREAD}, {}, %rd1;", 4 * WORDS);
            for (index, var) in (HASH..FREE).enumerate() {
                let _ = writeln!(text, "st.global.u32 [%rd2+{}], %r{var};", 4 * index);
            }
            text.write_str("ret;\n")
        }
    };
    assert!(wrote.is_ok());
    line
}

/// Writes a `.sync` operation; returns how many lines stand before the instruction itself.
fn write_warp(text: &mut String, warp: &Warp) -> u32 {
    let mut before = String::new();
    let d = warp.d;
    let guard = match warp.guard {
        Some(cond) => {
            let _ = writeln!(before, "{}mov.u32 %r{d}, 0;\nsetp.ne.u32 %p3, %r0, %r0;", condition(cond, 1));
            "@%p1 "
        }
        None => "",
    };
    let members = show(warp.members);
    let both = if warp.p.is_some() { format!("%r{d}|%p3") } else { format!("%r{d}") };
    let not = |negated: bool| if negated { "!" } else { "" };
    let mut behind = String::new();
    let instruction = match warp.op {
        Op::Shuffle { mode, a, b, c } => {
            let mode = format!("{mode:?}").to_lowercase();
            format!("shfl.sync.{mode}.b32 {both}, %r{a}, {}, {}, {members};", show(b), show(c))
        }
        Op::Vote { vote, of, negated } => {
            before += &condition(of, 2);
            let _ = writeln!(behind, "selp.b32 %r{d}, 1, 0, %p3;");
            format!("vote.sync.{}.pred %p3, {}%p2, {members};", format!("{vote:?}").to_lowercase(), not(negated))
        }
        Op::Ballot { of, negated } => {
            before += &condition(of, 2);
            format!("vote.sync.ballot.b32 %r{d}, {}%p2, {members};", not(negated))
        }
        Op::Match { all, a, upper } => {
            let ty = match upper {
                Some(upper) => {
                    let _ = writeln!(before, "mov.b64 %rd3, {{%r{a}, %r{upper}}};");
                    ("b64", "%rd3".to_owned())
                }
                None => ("b32", format!("%r{a}")),
            };
            format!("match.{}.sync.{} {both}, {}, {members};", if all { "all" } else { "any" }, ty.0, ty.1)
        }
        Op::Fold(fold, a) => {
            let kind = match fold {
                Fold::Add => "add.s32",
                Fold::MinU => "min.u32",
                Fold::MaxU => "max.u32",
                Fold::MinS => "min.s32",
                Fold::MaxS => "max.s32",
                Fold::And => "and.b32",
                Fold::Or => "or.b32",
                Fold::Xor => "xor.b32",
            };
            format!("redux.sync.{kind} %r{d}, %r{a}, {members};")
        }
        Op::Elect => format!("elect.sync {both}, {members};"),
        Op::Barrier { .. } => format!("bar.warp.sync {members};"),
    };
    if let Some(p) = warp.p {
        let _ = writeln!(behind, "selp.b32 %r{p}, 1, 0, %p3;");
    }
    let _ = write!(text, "{before}{guard}{instruction}\n{behind}");
    before.lines().count() as u32
}

fn expression(d: Var, expr: Expr) -> String {
    match expr {
        Expr::Value(value) => format!("mov.u32 %r{d}, {};\n", show(value)),
        Expr::Affine(var, factor, term) => format!("mad.lo.u32 %r{d}, %r{var}, {factor}, {term};\n"),
        Expr::Xor(a, b) => format!("xor.b32 %r{d}, %r{a}, %r{b};\n"),
        Expr::And(a, b) => format!("and.b32 %r{d}, %r{a}, {};\n", show(b)),
        Expr::AndNot(a, b) => format!("not.b32 %t0, %r{b};\nand.b32 %r{d}, %t0, {};\n", show(a)),
        Expr::Shr(a, by) => format!("shr.u32 %r{d}, %r{a}, {by};\n"),
        Expr::First(a) => format!("brev.b32 %t0, %r{a};\nclz.b32 %r{d}, %t0;\n"),
        Expr::Own => format!("mov.u32 %t0, 1;\nshl.b32 %r{d}, %t0, %r{LANE};\n"),
        Expr::Mix(hash, var) => format!("mul.lo.u32 %t0, %r{hash}, 16777619;\nxor.b32 %r{d}, %t0, %r{var};\n"),
        Expr::BitAt(a, at) => format!("shr.u32 %t0, %r{a}, %r{at};\nand.b32 %r{d}, %t0, 1;\n"),
        Expr::Same(a, b) => format!("setp.eq.u32 %p1, %r{a}, %r{b};\nselp.b32 %r{d}, 1, 0, %p1;\n"),
    }
}

/// Computes a condition into a predicate.
fn condition(cond: Cond, p: u32) -> String {
    match cond {
        Cond::Lanes(lanes) => format!(
            "mov.u32 %t0, {lanes};\nshr.u32 %t0, %t0, %r{LANE};\nand.b32 %t0, %t0, 1;\nsetp.ne.u32 %p{p}, %t0, 0;\n"
        ),
        Cond::Bit(var, bit) => format!("and.b32 %t0, %r{var}, {};\nsetp.ne.u32 %p{p}, %t0, 0;\n", 1u32 << bit),
        Cond::Less(var, value) => format!("setp.lt.u32 %p{p}, %r{var}, {};\n", show(value)),
        Cond::Same(a, b) => format!("setp.eq.u32 %p{p}, %r{a}, %r{b};\n"),
    }
}
