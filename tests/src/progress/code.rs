//! PTX as a list of operations that a search can execute: registers of 32 bits, words behind one address, branches.

use ptx_parser::{Base, Flow, Inst, Kernel, Module, Operand, Reg, StmtKind};

/// The source of an operand.
#[derive(Clone, Copy, Debug)]
enum Source {
    Register(usize),
    Number(u32),
    /// The number of the lane.
    Lane,
}

/// The function that an operation computes.
#[derive(Clone, Copy, Debug)]
enum Operator {
    Copy,
    Add,
    Subtract,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    Select,
    /// A comparison: whether it is signed, and the orders in which it holds.
    Compare {
        signed: bool,
        less: bool,
        equal: bool,
        greater: bool,
    },
}

/// The kind of an operation on a word.
#[derive(Clone, Copy, Debug)]
enum Access {
    Load,
    Store,
    Exchange,
    CompareExchange,
    Or,
    And,
    Add,
    /// One more, or 0 behind a number.
    Increment,
    /// One less, or a number before 0 and from above it.
    Decrement,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Compute {
        operator: Operator,
        to: usize,
    },
    /// On the word whose address is the last source and so many bytes.
    Access {
        access: Access,
        offset: u32,
        to: Option<usize>,
    },
    Jump(usize),
    End,
    Nothing,
}

#[derive(Clone, Debug)]
struct Operation {
    guard: Option<(usize, bool)>,
    kind: Kind,
    sources: Vec<Source>,
}

/// A kernel as operations. The place behind the last one is where lanes end.
#[derive(Clone, Debug)]
pub struct Code {
    operations: Vec<Operation>,
    /// Per operation, the place where lanes that part there meet.
    meets: Vec<usize>,
    /// Per operation, the registers that are read before they are written, as bits.
    live: Vec<u128>,
    registers: usize,
}

/// The next action of lanes at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// Something in their registers, or nothing.
    Silent,
    /// Read or write a word.
    Access,
    /// Branch on a condition.
    Branch,
    /// End.
    End,
}

impl Code {
    /// Reads the kernel of a module.
    ///
    /// # Errors
    /// What is not among the operations that programs of this folder have, rewritten or not.
    pub fn of(text: &str) -> Result<Code, String> {
        let module = Module::parse(text).map_err(|error| error.to_string())?;
        let kernel = module.kernels().first().ok_or("no kernel")?;
        let mut insts: Vec<Inst> = Vec::new();
        let mut labels = Vec::new();
        for stmt in kernel.stmts() {
            match stmt.kind {
                StmtKind::Inst(inst) => insts.push(inst),
                StmtKind::Label(label) => labels.push((label, insts.len())),
                _ => {}
            }
        }
        let mut registers: Vec<Reg> = Vec::new();
        let mut number = |reg: Reg| {
            registers.iter().position(|&known| known == reg).unwrap_or_else(|| {
                registers.push(reg);
                registers.len() - 1
            })
        };
        let place = |inst: Inst| {
            let label = kernel.branch_target(inst)?;
            labels.iter().find(|&&(known, _)| known == label).map(|&(_, at)| at)
        };
        let mut operations = Vec::new();
        for &inst in &insts {
            let unknown = || format!("`{}` is not among what is searched", kernel.inst_text(inst));
            operations.push(operation(kernel, inst, place(inst), &mut number).ok_or_else(unknown)?);
        }
        let mut code = Code { operations, meets: Vec::new(), live: Vec::new(), registers: registers.len() };
        if code.registers > 128 {
            return Err("too many registers".to_owned());
        }
        code.meets = code.meeting_places();
        code.live = code.live_registers();
        Ok(code)
    }

    /// The place behind the last operation.
    pub(super) fn end(&self) -> usize {
        self.operations.len()
    }

    pub(super) fn registers(&self) -> usize {
        self.registers
    }

    /// The place where lanes that part at a branch meet.
    pub(super) fn meets(&self, at: usize) -> usize {
        self.meets[at]
    }

    pub(super) fn next(&self, at: usize) -> Next {
        match self.operations.get(at) {
            None => Next::End,
            Some(Operation { kind: Kind::Access { .. }, .. }) => Next::Access,
            Some(Operation { kind: Kind::Jump(_) | Kind::End, guard: Some(_), .. }) => Next::Branch,
            Some(Operation { kind: Kind::End, guard: None, .. }) => Next::End,
            Some(_) => Next::Silent,
        }
    }

    /// Executes the operation at a place for one lane; gives the place where it goes on.
    pub(super) fn step(&self, at: usize, lane: usize, registers: &mut [u32], words: &mut [u32]) -> usize {
        let Operation { guard, kind, sources } = &self.operations[at];
        if guard.is_some_and(|(register, negated)| (registers[register] != 0) == negated) {
            return at + 1;
        }
        let value = |index: usize| match sources[index] {
            Source::Register(register) => registers[register],
            Source::Number(number) => number,
            Source::Lane => lane as u32,
        };
        match *kind {
            Kind::Compute { operator, to } => registers[to] = computed(operator, value),
            Kind::Access { access, offset, to } => {
                let word = (value(sources.len() - 1).wrapping_add(offset) / 4) as usize;
                let old = words[word];
                words[word] = match access {
                    Access::Load => old,
                    Access::Store | Access::Exchange => value(0),
                    Access::CompareExchange if old == value(0) => value(1),
                    Access::CompareExchange => old,
                    Access::Or => old | value(0),
                    Access::And => old & value(0),
                    Access::Add => old.wrapping_add(value(0)),
                    Access::Increment if old >= value(0) => 0,
                    Access::Increment => old + 1,
                    Access::Decrement if old == 0 || old > value(0) => value(0),
                    Access::Decrement => old - 1,
                };
                if let Some(to) = to {
                    registers[to] = old;
                }
            }
            Kind::Jump(target) => return target,
            Kind::End => return self.end(),
            Kind::Nothing => {}
        }
        at + 1
    }

    /// Sets registers to 0 that nobody reads any more, so that states that differ in nothing else are one.
    pub(super) fn forget(&self, at: usize, registers: &mut [u32]) {
        let live = self.live.get(at).copied().unwrap_or(0);
        for (number, register) in registers.iter_mut().enumerate() {
            *register *= (live >> number & 1) as u32;
        }
    }

    /// The places that may follow one.
    fn successors(&self, at: usize) -> Vec<usize> {
        let Operation { guard, kind, .. } = &self.operations[at];
        let mut next = match *kind {
            Kind::Jump(target) => vec![target],
            Kind::End => vec![self.end()],
            _ => return vec![at + 1],
        };
        next.extend(guard.map(|_| at + 1));
        next
    }

    /// Immediate postdominators: of the places that all ways to the end pass, the first one.
    fn meeting_places(&self) -> Vec<usize> {
        let end = self.end();
        // Which places all ways from one to the end pass, itself included.
        let mut passed: Vec<Vec<bool>> = vec![vec![true; end + 1]; end + 1];
        passed[end] = (0..=end).map(|at| at == end).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for at in (0..end).rev() {
                let next = self.successors(at);
                let both: Vec<bool> =
                    (0..=end).map(|place| place == at || next.iter().all(|&next| passed[next][place])).collect();
                changed |= both != passed[at];
                passed[at] = both;
            }
        }
        let count = |at: usize| passed[at].iter().filter(|&&is| is).count();
        let first =
            |at: usize| (0..=end).filter(|&place| place != at && passed[at][place]).max_by_key(|&place| count(place));
        (0..end).map(|at| first(at).unwrap_or(end)).collect()
    }

    fn live_registers(&self) -> Vec<u128> {
        let mut live = vec![0u128; self.end() + 1];
        let mut changed = true;
        while changed {
            changed = false;
            for at in (0..self.end()).rev() {
                let Operation { guard, kind, sources } = &self.operations[at];
                let mut now = self.successors(at).iter().fold(0, |all, &next| all | live[next]);
                let written = match *kind {
                    Kind::Compute { to, .. } => Some(to),
                    Kind::Access { to, .. } => to,
                    _ => None,
                };
                if let Some(to) = written.filter(|_| guard.is_none()) {
                    now &= !(1 << to);
                }
                for source in sources {
                    if let Source::Register(register) = *source {
                        now |= 1 << register;
                    }
                }
                now |= guard.map_or(0, |(register, _)| 1 << register);
                changed |= now != live[at];
                live[at] = now;
            }
        }
        live
    }
}

fn computed(operator: Operator, value: impl Fn(usize) -> u32) -> u32 {
    let shifted = |by: u32, shift: fn(u32, u32) -> Option<u32>| shift(value(0), by).unwrap_or(0);
    match operator {
        Operator::Copy => value(0),
        Operator::Add => value(0).wrapping_add(value(1)),
        Operator::Subtract => value(0).wrapping_sub(value(1)),
        Operator::And => value(0) & value(1),
        Operator::Or => value(0) | value(1),
        Operator::Xor => value(0) ^ value(1),
        Operator::ShiftLeft => shifted(value(1), u32::checked_shl),
        Operator::ShiftRight => shifted(value(1), u32::checked_shr),
        Operator::Select if value(2) != 0 => value(0),
        Operator::Select => value(1),
        Operator::Compare { signed, less, equal, greater } => {
            let order = match signed {
                true => value(0).cast_signed().cmp(&value(1).cast_signed()),
                false => value(0).cmp(&value(1)),
            };
            u32::from(order.is_lt() && less || order.is_eq() && equal || order.is_gt() && greater)
        }
    }
}

fn operation(
    kernel: &Kernel,
    inst: Inst,
    target: Option<usize>,
    number: &mut impl FnMut(Reg) -> usize,
) -> Option<Operation> {
    let guard = kernel.inst(inst).guard.map(|guard| (number(guard.reg), guard.negated));
    let operands = kernel.operands(inst);
    let opcode = kernel.opcode(inst).text();
    match kernel.properties(inst).flow {
        Flow::Branch => return Some(Operation { guard, kind: Kind::Jump(target?), sources: Vec::new() }),
        Flow::Return | Flow::Exit => return Some(Operation { guard, kind: Kind::End, sources: Vec::new() }),
        Flow::Next => {}
        _ => return None,
    }
    // The address of the words is 0.
    if opcode.starts_with("ld.param") {
        return Some(Operation { guard, kind: Kind::Nothing, sources: Vec::new() });
    }
    let mut source = |operand: &Operand| match *operand {
        Operand::Reg(reg) => Some(Source::Register(number(reg))),
        Operand::Int(value) => Some(Source::Number(value as u32)),
        Operand::Special(_) => Some(Source::Lane),
        _ => None,
    };
    let access = match opcode {
        "ld.volatile.global.u32" => Some((Access::Load, 1)),
        "st.volatile.global.u32" => Some((Access::Store, 0)),
        "atom.global.exch.b32" => Some((Access::Exchange, 1)),
        "atom.global.cas.b32" => Some((Access::CompareExchange, 1)),
        "atom.global.or.b32" => Some((Access::Or, 1)),
        "atom.global.and.b32" => Some((Access::And, 1)),
        "atom.global.add.u32" => Some((Access::Add, 1)),
        "atom.global.inc.u32" => Some((Access::Increment, 1)),
        "atom.global.dec.u32" => Some((Access::Decrement, 1)),
        _ => None,
    };
    if let Some((access, at)) = access {
        let &Operand::Address(Base::Reg(base), offset) = &operands[at] else { return None };
        let mut sources = operands[at + 1..].iter().map(&mut source).collect::<Option<Vec<Source>>>()?;
        sources.push(source(&Operand::Reg(base))?);
        let to = match operands[0] {
            Operand::Reg(reg) => Some(number(reg)),
            _ => None,
        };
        let offset = u32::try_from(offset.get()).ok()?;
        return Some(Operation { guard, kind: Kind::Access { access, offset, to }, sources });
    }
    let sources = operands[1..].iter().map(&mut source).collect::<Option<Vec<Source>>>()?;
    let Operand::Reg(to) = operands[0] else { return None };
    let kind = Kind::Compute { operator: operator(opcode)?, to: number(to) };
    Some(Operation { guard, kind, sources })
}

fn operator(opcode: &str) -> Option<Operator> {
    let mut words = opcode.split('.');
    Some(match words.next()? {
        "mov" | "cvt" => Operator::Copy,
        "add" => Operator::Add,
        "sub" => Operator::Subtract,
        "and" => Operator::And,
        "or" => Operator::Or,
        "xor" => Operator::Xor,
        "shl" => Operator::ShiftLeft,
        "shr" => Operator::ShiftRight,
        "selp" => Operator::Select,
        "setp" => {
            let relation = words.next()?;
            let signed = words.next()?.starts_with('s');
            let holds = |relations: &[&str]| relations.contains(&relation);
            let (less, greater) = (holds(&["lt", "le", "ne", "lo", "ls"]), holds(&["gt", "ge", "ne", "hi", "hs"]));
            Operator::Compare { signed, less, equal: holds(&["eq", "le", "ge", "ls", "hs"]), greater }
        }
        _ => return None,
    })
}
