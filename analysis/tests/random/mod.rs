//! Small random programs: a control-flow graph of up to a dozen blocks over a few registers, as PTX text and as data
//! that a test can interpret by itself.
// Each test binary compiles this module for itself and uses a part of it.
#![allow(dead_code, unreachable_pub)]

use std::fmt::Write as _;

use ptx_parser::{Inst, Kernel, Module, StmtKind};

/// A reproducible stream of numbers (SplitMix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

pub const REGS: usize = 5;
pub const PREDS: usize = 3;

/// What an instruction computes. Numbers are registers `%r` and predicates `%p`.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    Constant(usize, u32),
    Tid(usize),
    Ctaid(usize),
    Param(usize),
    /// A load: any lane may get anything.
    Load(usize),
    Add(usize, usize, u32),
    Sum(usize, usize, usize),
    And(usize, usize, u32),
    Select(usize, usize, usize, usize),
    Less(usize, usize, u32),
    Equal(usize, usize, usize),
    Any(usize, usize),
    Ballot(usize, usize),
}

/// How a block ends. Numbers are blocks and predicates.
#[derive(Clone, Debug)]
pub enum End {
    Fall,
    Jump(usize),
    /// Predicate, whether negated, target.
    Branch(usize, bool, usize),
    Table(usize, Vec<usize>),
    Return,
    ReturnIf(usize, bool),
}

#[derive(Clone, Debug)]
pub struct Body {
    pub ops: Vec<(Option<(usize, bool)>, Op)>,
    pub end: End,
}

/// A program: block `i` has the label `Bi`; the last one returns.
#[derive(Clone, Debug)]
pub struct Program {
    pub blocks: Vec<Body>,
}

impl Program {
    pub fn random(random: &mut Random) -> Program {
        let count = 2 + random.below(9);
        // In half of the programs little differs between lanes, so that much is uniform and worth checking.
        let calm = random.chance(50);
        let mut blocks: Vec<Body> = (0..count).map(|index| Body::random(random, index, count, calm)).collect();
        blocks[count - 1].end = End::Return;
        Program { blocks }
    }

    /// The program as a PTX module with one kernel.
    pub fn text(&self) -> String {
        let mut text =
            String::from(".version 9.0\n.target sm_90\n.address_size 64\n\n.visible .entry k(.param .u32 n)\n{\n");
        let _ = writeln!(text, "  .reg .b32 %r<{REGS}>;\n  .reg .pred %p<{PREDS}>;\n  .reg .b64 %rd<2>;");
        for (index, block) in self.blocks.iter().enumerate() {
            let _ = writeln!(text, "B{index}:");
            for (guard, op) in &block.ops {
                let _ = writeln!(text, "  {}{}", guard_text(*guard), op_text(*op));
            }
            match &block.end {
                End::Fall => {}
                End::Jump(target) => text += &format!("  bra B{target};\n"),
                End::Branch(p, negated, target) => {
                    text += &format!("  {}bra B{target};\n", guard_text(Some((*p, *negated))));
                }
                End::Table(r, targets) => {
                    let targets: Vec<String> = targets.iter().map(|target| format!("B{target}")).collect();
                    let _ =
                        writeln!(text, "T{index}: .branchtargets {};\n  brx.idx %r{r}, T{index};", targets.join(", "));
                }
                End::Return => text += "  ret;\n",
                End::ReturnIf(p, negated) => text += &format!("  {}ret;\n", guard_text(Some((*p, *negated)))),
            }
        }
        text + "}\n"
    }

    pub fn module(&self) -> Module {
        let text = self.text();
        Module::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }
}

impl Body {
    fn random(random: &mut Random, index: usize, count: usize, calm: bool) -> Body {
        let ops = (0..random.below(5)).map(|_| {
            let guard = random.chance(20).then(|| (random.below(PREDS), random.chance(50)));
            (guard, Op::random(random, calm))
        });
        let ops: Vec<_> = ops.collect();
        let target = |random: &mut Random| {
            let forward = index + 1 < count && random.chance(65);
            if forward { index + 1 + random.below(count - index - 1) } else { random.below(count) }
        };
        let end = match random.below(100) {
            0..25 => End::Fall,
            25..35 => End::Jump(target(random)),
            35..85 => End::Branch(random.below(PREDS), random.chance(50), target(random)),
            85..90 => {
                let targets = (0..1 + random.below(4)).map(|_| target(random)).collect();
                End::Table(random.below(REGS), targets)
            }
            90..93 => End::Return,
            _ => End::ReturnIf(random.below(PREDS), random.chance(50)),
        };
        Body { ops, end }
    }
}

impl Op {
    fn random(random: &mut Random, calm: bool) -> Op {
        let (d, a, b) = (random.below(REGS), random.below(REGS), random.below(REGS));
        let (p, q, n) = (random.below(PREDS), random.below(PREDS), random.below(6) as u32);
        match random.below(26) {
            0..2 => Op::Constant(d, n),
            2 | 5 if calm && random.chance(70) => Op::Param(d),
            2 => Op::Tid(d),
            3 => Op::Ctaid(d),
            4 => Op::Param(d),
            5 => Op::Load(d),
            6..11 => Op::Add(d, d, 1 + n),
            11..13 => Op::Add(d, a, n),
            13..15 => Op::Sum(d, a, b),
            15 => Op::And(d, a, n),
            16 => Op::Select(d, a, b, p),
            17..22 => Op::Less(p, a, 3 * n),
            22..24 => Op::Equal(p, a, b),
            24 => Op::Any(p, q),
            _ => Op::Ballot(d, p),
        }
    }
}

fn guard_text(guard: Option<(usize, bool)>) -> String {
    guard.map(|(p, negated)| format!("@{}%p{p} ", if negated { "!" } else { "" })).unwrap_or_default()
}

fn op_text(op: Op) -> String {
    match op {
        Op::Constant(d, n) => format!("mov.u32 %r{d}, {n};"),
        Op::Tid(d) => format!("mov.u32 %r{d}, %tid.x;"),
        Op::Ctaid(d) => format!("mov.u32 %r{d}, %ctaid.x;"),
        Op::Param(d) => format!("ld.param.u32 %r{d}, [n];"),
        Op::Load(d) => format!("ld.global.u32 %r{d}, [%rd1];"),
        Op::Add(d, a, n) => format!("add.u32 %r{d}, %r{a}, {n};"),
        Op::Sum(d, a, b) => format!("add.u32 %r{d}, %r{a}, %r{b};"),
        Op::And(d, a, n) => format!("and.b32 %r{d}, %r{a}, {n};"),
        Op::Select(d, a, b, p) => format!("selp.u32 %r{d}, %r{a}, %r{b}, %p{p};"),
        Op::Less(p, a, n) => format!("setp.lt.u32 %p{p}, %r{a}, {n};"),
        Op::Equal(p, a, b) => format!("setp.eq.u32 %p{p}, %r{a}, %r{b};"),
        Op::Any(p, q) => format!("vote.sync.any.pred %p{p}, %p{q}, -1;"),
        Op::Ballot(d, p) => format!("vote.sync.ballot.b32 %r{d}, %p{p}, -1;"),
    }
}

/// The instructions of a kernel in textual order.
pub fn insts(kernel: &Kernel) -> Vec<Inst> {
    let inst = |kind: &StmtKind| if let StmtKind::Inst(inst) = kind { Some(*inst) } else { None };
    kernel.stmts().iter().filter_map(|stmt| inst(&stmt.kind)).collect()
}
