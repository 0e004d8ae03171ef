//! Sequences of edits through the whole public interface, nonsense included: whatever is accepted prints, and the print reads as the same
//! module; whatever is refused leaves everything as it was.
//!
//! Bytes decide what is done, so that a fuzzer can steer it and a test can draw them at random.

use ptx_parser::{
    Base, Component, Error, Guard, Inst, Kernel, Label, List, Marker, Module, Operand, Part, Patch, Reg, Selector,
    Special, SpecialName, Stmt, StmtKind, Symbol, Type,
};

use super::compare::same;
use super::kernel;
use super::noise::TOKENS;

/// Bodies of kernels that hold what edits can break: scopes, names that hide each other, tables of labels, places, comments.
pub(crate) const BODIES: &[&str] = &[
    "mov.u32 %r1, 1;\n{ .reg .b32 %r1; mov.u32 %r1, 2; // two\n}\n@%p1 bra M; M: ret;",
    ".shared .b32 cell; AGAIN: st.shared.u32 [cell], %r1; { .shared .b32 cell; AGAIN: st.shared.u32 [cell], 2; bra AGAIN; } bra AGAIN;",
    ".loc 1 1 1\nmov.u32 %r1, 1;\n.loc 1 2 1\nmov.u32 %r2, 2; //#m\n T: .branchtargets A, B; brx.idx %r1, T; A: { .reg .u32 x; mov.u32 x, 1; } B: ret;",
    "{ T: .branchtargets A; brx.idx %r1, T; A: } { T: .branchtargets A; brx.idx %r1, T; A: }\nmov.u64 %rd1, T; ret;",
    "add.cc.u32 %r1, %r2, 1; vadd.s32.s32.s32 %r1, %r2.b0, -%r3.h1; ret;",
];

/// Edits a kernel as the bytes say.
pub(crate) fn edit(bytes: &[u8]) {
    if let Some((&first, rest)) = bytes.split_first() {
        edit_text(&kernel(BODIES[first as usize % BODIES.len()]), rest);
    }
}

/// Edits a module until the bytes are used up. How many edits were accepted and how many refused.
pub(crate) fn edit_text(text: &str, bytes: &[u8]) -> (usize, usize) {
    let mut module = Module::parse(text).unwrap();
    let foreign = Module::parse(&kernel("ret; // another kernel\n{ trap; L: bra L; } .reg .b32 %r99;")).unwrap();
    let foreign = foreign.kernels()[0].stmts().to_vec();
    let choices = Choices(bytes.iter());
    let mut edits = Edits { choices, module: &mut module, held: Vec::new(), foreign };
    let (mut done, mut refused) = (0, 0);
    let mut before = text.to_owned();
    while !edits.choices.0.as_slice().is_empty() {
        let outcome = edits.step();
        let printed = edits.module.to_string();
        edits.module.kernels().iter().for_each(markers_stand_where_they_are);
        let report = |what: String| format!("{what}\n{before}\n-----\n{printed}");
        match outcome {
            Ok(()) => {
                done += 1;
                let again = Module::parse(&printed).unwrap_or_else(|error| panic!("{}", report(error.to_string())));
                same(edits.module, &again).unwrap_or_else(|what| panic!("{}", report(what)));
            }
            Err(error) => {
                refused += 1;
                assert!(printed == before, "{}", report(format!("refused, but changed: {error}")));
            }
        }
        before = printed;
    }
    (done, refused)
}

/// Checks that a kernel knows where each of its markers stands.
fn markers_stand_where_they_are(kernel: &Kernel) {
    for marker in kernel.markers() {
        let found = kernel.stmts().iter().position(|stmt| stmt.kind == StmtKind::Marker(marker));
        assert_eq!(kernel.index_of(marker), found, "{marker}: `{}`", kernel.marker_text(marker));
    }
}

/// What to do next, from bytes; always the first choice once they are used up.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    fn below(&mut self, bound: usize) -> usize {
        let mut byte = || self.0.next().map_or(0, |&byte| usize::from(byte));
        let number = if bound > 256 { byte() << 8 | byte() } else { byte() };
        number % bound.max(1)
    }

    fn pick<'b>(&mut self, list: &[&'b str]) -> &'b str {
        list[self.below(list.len())]
    }
}

/// Statements that fit most kernels, some kernels, or none.
const FRAGMENTS: &[&str] = &[
    "mov.u32 %r1, %tid.x;",
    "{ .reg .b32 %r1, %t<3>; mov.u32 %t1, %r1; }",
    ".reg .b32 %fresh<4>; .shared .align 4 .b8 cell[4]; st.shared.u32 [cell], %fresh2;",
    "AGAIN: bra AGAIN;",
    "{ AGAIN: @%p1 bra AGAIN; }",
    "TABLE: .branchtargets AGAIN; brx.idx %r1, TABLE; AGAIN:",
    "brx.idx %r1, TABLE;",
    ".loc 1 7 2\ntrap;",
    "//#a marker\nret; // gone",
    "ld.global.v2.u32 {%r1, %r2}, [%rd1+8];",
    "tex.2d.v4.f32.s32 {%f1, %f1, _, %f2}, [%rd1, {%r1, %r2}];",
    "shfl.sync.down.b32 %r1|%p1, %r1, 1, 31, -1;",
    ".pragma \"nounroll\";",
    "unheard.of %r1, 1;",
    "{ .shared .b32 cell; st.shared.u32 [cell], 1; }",
    ".reg .b32 AGAIN; mov.u32 AGAIN, 1;",
    ".reg .b32 a; mov.u32 a, 1;",
];

/// Names that are there, that are not, and that are none.
const NAMES: &[&str] = &[
    "%r1",
    "%r77",
    "%p1",
    "a",
    "n",
    "k",
    "cell",
    "AGAIN",
    "$L__BB0_1",
    "fresh",
    "%fresh1",
    "%tid",
    "WARP_SZ",
    "_",
    "%",
    "",
    "a b",
    "x;",
    "é",
    "1a",
    "CC",
    "TABLE",
    "k_param_0",
    "table",
];

/// What a module can be given.
const DECLARATIONS: &[&str] = &[
    ".global .align 4 .b8 table[4] = {1, 2, 3, 4};",
    ".global .u64 where = generic(table);",
    "// a helper\n.func (.param .b32 r) helper(.param .b32 x)\n{\n\tret;\n}",
    ".extern .func helper(.param .b32 x);",
    ".visible .entry k(.param .u32 n)\n{\n\tret;\n}\n",
    ".entry other() .maxntid 32 { bra END; END: ret; }",
    ".version 8.0",
    ".alias helper, k;",
    ".global",
    "ret;",
];

struct Edits<'a> {
    choices: Choices<'a>,
    module: &'a mut Module,
    /// Statements that fragments made or that stood somewhere once.
    held: Vec<Stmt>,
    foreign: Vec<Stmt>,
}

impl Edits<'_> {
    fn id(&mut self, count: usize) -> u32 {
        self.choices.below(count + 2) as u32
    }

    fn reg(&mut self, kernel: usize) -> Reg {
        let count = self.module.kernels()[kernel].regs().len();
        Reg::from_u32(self.id(count))
    }

    fn label(&mut self, kernel: usize) -> Label {
        let count = self.module.kernels()[kernel].labels().len();
        Label::from_u32(self.id(count))
    }

    fn inst(&mut self, kernel: usize) -> Inst {
        let count = self.module.kernels()[kernel].inst_count();
        Inst::from_u32(self.id(count))
    }

    fn marker(&mut self, kernel: usize) -> Marker {
        let count = self.module.kernels()[kernel].markers().len();
        Marker::from_u32(self.id(count))
    }

    fn name(&mut self, kernel: usize) -> String {
        if self.choices.below(2) == 0 {
            return self.choices.pick(NAMES).to_owned();
        }
        let own = &self.module.kernels()[kernel];
        let mut names: Vec<&str> = own.labels().map(|label| own.label_name(label)).collect();
        names.extend(own.regs().map(|reg| own.reg_name(reg)));
        names.extend(own.variables().map(|(_, variable)| &*variable.name));
        names.extend(own.params().iter().map(|parameter| &*parameter.name));
        names.extend(self.module.kernels().iter().map(Kernel::name));
        names.extend(self.module.variables().iter().map(|variable| &*variable.name));
        self.choices.pick(&names).to_owned()
    }

    fn operand(&mut self, kernel: usize) -> Operand {
        let reg = self.reg(kernel);
        let other = (self.choices.below(2) == 0).then(|| self.reg(kernel));
        let symbol = Symbol::from_u32(self.choices.below(12) as u32);
        let list = List::from_u32(self.choices.below(6) as u32);
        let offset = [0, 4, -8, i64::MIN].map(ptx_parser::Offset::from)[self.choices.below(4)];
        let part = Part { halves: false, count: self.choices.below(6) as u8, digits: [3, 2, 1, 0] };
        let selector =
            Selector { negated: self.choices.below(2) == 0, part: Some(part).filter(|part| part.count != 3) };
        let special = Special { name: SpecialName::Tid, component: Some(Component::Y) };
        match self.choices.below(20) {
            0..5 => Operand::Reg(reg),
            5 => Operand::Not(reg),
            6 => Operand::Component(reg, Component::Z),
            7 => Operand::Selected(reg, selector),
            8 => Operand::Pair(reg.into(), other.into()),
            9 => Operand::Special(special),
            10 => Operand::Int([0, -1, i64::MIN, i64::MAX][self.choices.below(4)]),
            11 => Operand::Float32(f32::NAN.to_bits()),
            12 => Operand::Float64((-0.0f64).to_bits()),
            13 => Operand::Symbol(symbol, offset),
            14 => Operand::Label(self.label(kernel)),
            15 => Operand::Address(Base::Reg(reg), offset),
            16 => Operand::Address([Base::Absolute, Base::Symbol(symbol)][self.choices.below(2)], offset),
            17 => [Operand::Vector(list), Operand::VectorPair(list, other), Operand::Sum(reg, offset)]
                [self.choices.below(3)],
            18 => [Operand::Tuple(list), Operand::Bracket(list)][self.choices.below(2)],
            _ => Operand::Sink,
        }
    }

    fn stmt(&mut self, kernel: usize) -> Stmt {
        let label = self.label(kernel);
        let own = &self.module.kernels()[kernel];
        let mut stmt = match self.choices.below(8) {
            0 if !self.foreign.is_empty() => self.foreign[self.choices.below(self.foreign.len())].clone(),
            1 => own.label_stmt(label),
            2 | 3 if !own.stmts().is_empty() => own.stmts()[self.choices.below(own.stmts().len())].clone(),
            _ if !self.held.is_empty() => self.held[self.choices.below(self.held.len())].clone(),
            _ => own.label_stmt(label),
        };
        match self.choices.below(60) {
            0 => stmt.kind = StmtKind::Marker(self.module.kernels_mut()[kernel].new_marker("#\nret")),
            1 => stmt.kind = StmtKind::Registers,
            2 => stmt.kind = StmtKind::Inst(self.inst(kernel)),
            3 => stmt.kind = StmtKind::Marker(self.module.kernels_mut()[kernel].new_marker("#fine")),
            4 => stmt.kind = StmtKind::Open,
            5 => stmt.kind = StmtKind::Marker(self.marker(kernel)),
            _ => {}
        }
        stmt
    }

    fn patch(&mut self, kernel: usize) -> Patch {
        let mut patch = Patch::new();
        let count = self.module.kernels()[kernel].stmts().len();
        for _ in 0..=self.choices.below(3) {
            let at = self.choices.below(count + 2);
            match self.choices.below(9) {
                // A statement moves.
                0..3 if count > 0 => {
                    let from = self.choices.below(count);
                    patch.insert_before(at, [self.module.kernels()[kernel].stmts()[from].clone()]);
                    patch.remove(from);
                }
                3 => patch.insert_after(at, [self.stmt(kernel)]),
                4 => patch.append([self.stmt(kernel)]),
                5 => patch.remove(at),
                6 => patch.retarget(self.inst(kernel), self.label(kernel)),
                7 => patch.replace(at..at + self.choices.below(3), self.held.pop()),
                _ => patch.insert_before(at, std::mem::take(&mut self.held)),
            }
        }
        patch
    }

    /// One edit. What is given back for one that cannot fail is `Ok`.
    fn step(&mut self) -> Result<(), Error> {
        if self.module.kernels().is_empty() || self.choices.below(10) == 0 {
            return self.module_step();
        }
        let kernel = self.choices.below(self.module.kernels().len());
        let stem = self.name(kernel);
        match self.choices.below(14) {
            0 => {
                let ty = Type::ALL[self.choices.below(Type::ALL.len())];
                self.module.kernels_mut()[kernel].new_reg(&stem, ty);
                Ok(())
            }
            1 => {
                let own = &mut self.module.kernels_mut()[kernel];
                own.new_shared(&stem, 3, 0);
                own.new_local(&stem, 0, u64::MAX);
                let label = own.new_label(&stem);
                self.held.push(own.label_stmt(label));
                Ok(())
            }
            2..4 => {
                let text = match self.choices.below(4) {
                    0 => (0..self.choices.below(9)).map(|_| self.choices.pick(TOKENS).to_owned() + " ").collect(),
                    _ => self.choices.pick(FRAGMENTS).to_owned(),
                };
                let stmts = self.module.kernels_mut()[kernel].fragment(&text)?;
                self.held.extend(stmts);
                Ok(())
            }
            4..7 => {
                let patch = self.patch(kernel);
                let own = &mut self.module.kernels_mut()[kernel];
                self.held.extend(own.stmts().last().cloned());
                own.apply(patch)
            }
            7 | 8 => {
                let (inst, operand, at) = (self.inst(kernel), self.operand(kernel), self.choices.below(4));
                let mut count = 0;
                self.module.kernels_mut()[kernel].edit_operands(inst, |old| {
                    if count == at {
                        *old = operand;
                    }
                    count += 1;
                })
            }
            9 => {
                let (inst, from, to) = (self.inst(kernel), self.reg(kernel), self.reg(kernel));
                self.module.kernels_mut()[kernel].rename(inst, |reg| if reg == from { to } else { reg })
            }
            10 => {
                let (inst, label) = (self.inst(kernel), self.label(kernel));
                self.module.kernels_mut()[kernel].retarget(inst, label)
            }
            11 => {
                let (inst, reg) = (self.inst(kernel), self.reg(kernel));
                let guard = (self.choices.below(3) > 0).then_some(Guard { reg, negated: true });
                self.module.kernels_mut()[kernel].set_guard(inst, guard)
            }
            12 => {
                let name = self.choices.pick(&["maxntid", "minnctapersm", "noreturn", "pragma", "", "x y"]);
                let count = self.choices.below(3);
                self.module.kernels_mut()[kernel].add_directive(name, &[8, 4][..count])
            }
            _ => {
                let reg = self.reg(kernel);
                self.module.kernels_mut()[kernel].rename_reg(reg, &stem)
            }
        }
    }

    fn module_step(&mut self) -> Result<(), Error> {
        let (from, to) = match self.module.kernels().len() {
            0 => ("k".to_owned(), "m".to_owned()),
            count => {
                let kernel = self.choices.below(count);
                (self.name(kernel), self.name(kernel))
            }
        };
        let kernel = self.module.kernels().first().map_or("", Kernel::name).to_owned();
        match self.choices.below(9) {
            0 | 1 => self.module.add(self.choices.pick(DECLARATIONS)),
            2 => self.module.add_entry(&from, &[Type::U64, Type::F32][..self.choices.below(3)]).map(|_| ()),
            3 => self.module.remove(&from),
            4 | 5 => self.module.rename(&from, &to),
            6 => self.module.rename_label(&kernel, &from, &to),
            7 => self.module.rename_local(&kernel, &from, &to),
            _ => {
                self.module.set_version(9, 0);
                self.module.set_target(self.choices.pick(&["sm_90", "sm_90, debug", "", "sm 90", "sm_90a"]))
            }
        }
    }
}
