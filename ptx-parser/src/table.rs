//! The grammar table: what is known of each opcode family (PTX ISA, "Instruction Set").
//!
//! Every analysis, rewriter and cost model asks this table and no other place. A row gives the roles of the operands,
//! the effect on memory, whether lanes must execute the instruction together, and where control goes next.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::opcode::OpcodeData;
use crate::types::{Space, Type};

/// Where control goes after an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// To the next instruction.
    Next,
    /// To a label (`bra`), or to the next instruction where the guard is false.
    Branch,
    /// To one of a list of labels (`brx.idx`).
    IndirectBranch,
    /// Into a function and back (`call`).
    Call,
    /// Back to the caller, or out of the kernel (`ret`).
    Return,
    /// The thread ends (`exit`).
    Exit,
    /// The whole grid is aborted (`trap`).
    Trap,
}

/// What an instruction does to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    /// Nothing.
    None,
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It reads and writes as one step: an atomic or a reduction.
    Atomic,
    /// It orders other accesses.
    Fence,
    /// It may do anything: a call, or an opcode that the table does not list.
    Unknown,
}

/// The class that decides how many lanes per cycle a multiprocessor takes (CUDA Programming Guide, "Throughput of
/// Native Arithmetic Instructions").
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Class {
    /// 16-bit float add, multiply, multiply-add.
    Half,
    /// 32-bit float add, multiply, multiply-add.
    Single,
    /// 64-bit float add, multiply, multiply-add.
    Double,
    /// Reciprocal, square root, logarithm, exponential, sine, cosine in hardware.
    Transcendental,
    /// A 32- or 64-bit float division or square root with IEEE rounding, or an integer division: a sequence.
    Division,
    /// Integer add, subtract, logic, select, move.
    Integer,
    /// Compare, minimum, maximum.
    Compare,
    /// Integer multiply and multiply-add.
    Multiply,
    /// Shift.
    Shift,
    /// Count, find, reverse bits; bit-field extract and insert.
    Bits,
    /// Warp shuffle.
    Shuffle,
    /// Warp vote, match, warp-wide reduction.
    Vote,
    /// Conversion that involves no 64-bit type.
    Convert,
    /// Conversion from or to a 64-bit type, other than between integers.
    ConvertWide,
    /// Load, store, atomic.
    Memory,
    /// Branch, call, return.
    Control,
    /// Barrier, fence, and whatever else waits.
    Barrier,
    /// Reading a special register.
    Special,
    /// Anything else.
    Other,
}

/// What the table says of one opcode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Properties {
    /// Whether the table lists the opcode. If not, every other field is the worst case.
    pub known: bool,
    /// One letter per operand, the last one repeated with `*`: `w` written, `r` read, `x` read and written. An address
    /// operand is `r`: what it reads is its base register.
    pub roles: &'static str,
    /// The effect on memory.
    pub memory: Memory,
    /// The state space of the access; `Generic` where the opcode names none.
    pub space: Option<Space>,
    /// Whether the access is `.volatile`, or of any other kind that may not be repeated, dropped or moved.
    pub volatile: bool,
    /// Whether lanes execute it together: barriers, votes, shuffles, matrix instructions.
    pub convergent: bool,
    /// Where control goes.
    pub flow: Flow,
    /// Whether it acts on something other than registers and memory (time, traps, caches, asynchronous groups).
    pub side_effect: bool,
    /// Whether the result, given equal inputs, can differ between lanes or between two executions.
    pub varying: bool,
    /// The throughput class.
    pub class: Class,
    /// How many machine operations of that class it takes: 2 for 64-bit integer arithmetic.
    pub repeats: u8,
    /// Whether it reads the carry flag.
    pub carry_in: bool,
    /// Whether it writes the carry flag.
    pub carry_out: bool,
}

impl Properties {
    /// The worst case, for opcodes that the table does not list.
    pub const UNKNOWN: Properties = Properties {
        known: false,
        roles: "x*",
        memory: Memory::Unknown,
        space: None,
        volatile: true,
        convergent: true,
        flow: Flow::Next,
        side_effect: true,
        varying: true,
        class: Class::Other,
        repeats: 1,
        carry_in: true,
        carry_out: true,
    };

    /// Whether the instruction only computes registers from registers, so that it may be repeated, dropped or moved.
    #[must_use]
    pub fn is_pure(&self) -> bool {
        self.known
            && self.memory == Memory::None
            && !self.convergent
            && self.flow == Flow::Next
            && !self.side_effect
            && !self.varying
    }

    /// Whether the instruction ends a basic block.
    #[must_use]
    pub fn is_terminator(&self) -> bool {
        !matches!(self.flow, Flow::Next | Flow::Call)
    }

    /// The role letter of operand `index`.
    #[must_use]
    pub fn role(&self, index: usize) -> char {
        let roles = self.roles.as_bytes();
        let last = roles.iter().rev().find(|&&byte| byte != b'*').copied().unwrap_or(b'r');
        char::from(roles.get(index).copied().filter(|&byte| byte != b'*').unwrap_or(last))
    }
}

/// A row: how an opcode family behaves before its modifiers are looked at.
struct Row {
    /// Separated by blanks.
    mnemonics: &'static str,
    roles: &'static str,
    kind: Kind,
}

enum Kind {
    /// Registers in, registers out.
    Compute,
    Load,
    Store,
    Atomic,
    /// An atomic without a result.
    Reduce,
    Fence,
    /// Lanes act together; no memory.
    Together,
    /// A barrier, which also orders memory.
    Barrier,
    Flow(Flow),
    /// Acts on caches, time or asynchronous groups; no register result that matters for control.
    Effect,
    /// An asynchronous copy or another memory effect that is not described further.
    Opaque,
}

const ROWS: &[Row] = &[
    Row {
        mnemonics: "add addc sub subc mul mul24 mad madc mad24 sad div rem abs neg min max popc clz bfind fns brev bfe \
            bfi bmsk szext dp4a dp2a and or xor not cnot lop3 shf shl shr testp copysign fma rcp sqrt rsqrt sin \
            cos lg2 ex2 tanh set setp selp slct mov cvt cvta isspacep prmt vadd vsub vabsdiff vmin vmax vshl \
            vshr vmad vset vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 vsub4 vavrg4 vabsdiff4 vmin4 \
            vmax4 vset4 mapa getctarank istypep createpolicy",
        roles: "wr*",
        kind: Kind::Compute,
    },
    Row { mnemonics: "ld ldu", roles: "wr*", kind: Kind::Load },
    Row { mnemonics: "st", roles: "r*", kind: Kind::Store },
    Row { mnemonics: "atom", roles: "wr*", kind: Kind::Atomic },
    Row { mnemonics: "red", roles: "r*", kind: Kind::Reduce },
    Row { mnemonics: "membar fence", roles: "r*", kind: Kind::Fence },
    Row { mnemonics: "vote shfl match redux activemask elect", roles: "wr*", kind: Kind::Together },
    Row { mnemonics: "bar barrier", roles: "r*", kind: Kind::Barrier },
    Row { mnemonics: "bra", roles: "r*", kind: Kind::Flow(Flow::Branch) },
    Row { mnemonics: "brx", roles: "r*", kind: Kind::Flow(Flow::IndirectBranch) },
    Row { mnemonics: "call", roles: "r*", kind: Kind::Flow(Flow::Call) },
    Row { mnemonics: "ret", roles: "r*", kind: Kind::Flow(Flow::Return) },
    Row { mnemonics: "exit", roles: "r*", kind: Kind::Flow(Flow::Exit) },
    Row { mnemonics: "trap", roles: "r*", kind: Kind::Flow(Flow::Trap) },
    Row {
        mnemonics: "brkpt nanosleep pmevent prefetch prefetchu discard applypriority",
        roles: "r*",
        kind: Kind::Effect,
    },
    Row { mnemonics: "alloca stacksave", roles: "wr*", kind: Kind::Effect },
    Row { mnemonics: "stackrestore", roles: "r*", kind: Kind::Effect },
    Row { mnemonics: "tex tld4 suld", roles: "wr*", kind: Kind::Load },
    Row { mnemonics: "txq suq", roles: "wr*", kind: Kind::Effect },
    Row { mnemonics: "sust", roles: "r*", kind: Kind::Store },
    Row { mnemonics: "sured", roles: "r*", kind: Kind::Reduce },
    Row { mnemonics: "cp griddepcontrol setmaxnreg multimem", roles: "x*", kind: Kind::Opaque },
    Row { mnemonics: "mbarrier", roles: "x*", kind: Kind::Opaque },
    Row {
        mnemonics: "wmma mma ldmatrix stmatrix movmatrix wgmma tcgen05 tensormap clusterlaunchcontrol",
        roles: "x*",
        kind: Kind::Opaque,
    },
];

/// The rows by mnemonic.
fn row(mnemonic: &str) -> Option<&'static Row> {
    static INDEX: OnceLock<FxHashMap<&str, &Row>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let words = |row: &'static Row| row.mnemonics.split_whitespace().map(move |word| (word, row));
        ROWS.iter().flat_map(words).collect()
    });
    index.get(mnemonic).copied()
}

/// Looks an opcode up and adds what its modifiers say.
pub(crate) fn properties(opcode: &OpcodeData) -> Properties {
    let mnemonic = opcode.mnemonic();
    let Some(row) = row(mnemonic) else { return Properties::UNKNOWN };
    let plain = Properties {
        known: true,
        roles: row.roles,
        memory: Memory::None,
        space: None,
        volatile: false,
        convergent: false,
        flow: Flow::Next,
        side_effect: false,
        varying: false,
        class: Class::Other,
        repeats: 1,
        carry_in: mnemonic.ends_with('c') && ["addc", "subc", "madc"].contains(&mnemonic),
        carry_out: opcode.has("cc"),
    };
    let space = opcode.modifiers().find_map(space_of).unwrap_or(Space::Generic);
    let ordered = |word: &str| ["volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"].contains(&word);
    let volatile = opcode.modifiers().any(ordered);
    let access = |memory| Properties { memory, space: Some(space), volatile, class: Class::Memory, ..plain };
    match row.kind {
        Kind::Compute => {
            let (class, repeats) = compute_class(opcode);
            Properties { class, repeats, ..plain }
        }
        Kind::Load => access(Memory::Read),
        Kind::Store => access(Memory::Write),
        Kind::Atomic => Properties { varying: true, volatile: true, ..access(Memory::Atomic) },
        Kind::Reduce => Properties { volatile: true, ..access(Memory::Atomic) },
        Kind::Fence => Properties { memory: Memory::Fence, class: Class::Barrier, ..plain },
        Kind::Together => {
            let class = if mnemonic == "shfl" { Class::Shuffle } else { Class::Vote };
            Properties { convergent: true, varying: true, class, ..plain }
        }
        Kind::Barrier => {
            // `bar.red` and `barrier.cta.red` have a result in front.
            let roles = if opcode.has("red") { "wr*" } else { row.roles };
            Properties { roles, memory: Memory::Fence, convergent: true, class: Class::Barrier, ..plain }
        }
        Kind::Flow(flow) => {
            let call = flow == Flow::Call;
            let memory = if call { Memory::Unknown } else { Memory::None };
            Properties { flow, memory, class: Class::Control, side_effect: call || flow == Flow::Trap, ..plain }
        }
        Kind::Effect => Properties { side_effect: true, varying: true, ..plain },
        Kind::Opaque => {
            Properties { roles: row.roles, known: true, carry_in: false, carry_out: false, ..Properties::UNKNOWN }
        }
    }
}

fn space_of(modifier: &str) -> Option<Space> {
    // `shared::cta` and `param::entry` name the space before the colons.
    let word = modifier.split("::").next().unwrap_or(modifier);
    Space::from_text(word).filter(|space| !matches!(space, Space::Reg | Space::Sreg | Space::Tex | Space::Generic))
}

/// The throughput class of a computing instruction, and how many machine operations of it one instruction takes.
fn compute_class(opcode: &OpcodeData) -> (Class, u8) {
    let ty = opcode.types().last().copied().unwrap_or(Type::B32);
    let float = match ty {
        Type::F64 => Some(Class::Double),
        Type::F32 | Type::F32x2 => Some(Class::Single),
        ty if ty.is_float() => Some(Class::Half),
        _ => None,
    };
    let words = if float.is_none() && ty.bits() == 64 { 2 } else { 1 };
    let arithmetic = |integer| (float.unwrap_or(integer), words);
    match opcode.mnemonic() {
        "add" | "addc" | "sub" | "subc" | "abs" | "neg" | "copysign" | "sad" => arithmetic(Class::Integer),
        "mul" | "mad" | "madc" | "mul24" | "mad24" | "fma" | "dp4a" | "dp2a" if opcode.has("wide") => {
            (Class::Multiply, 1)
        }
        "mul" | "mad" | "madc" | "mul24" | "mad24" | "fma" | "dp4a" | "dp2a" => {
            (float.unwrap_or(Class::Multiply), if words == 2 { 3 } else { 1 })
        }
        "div" | "rem" => (Class::Division, words),
        "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh" => {
            (if opcode.has("approx") { Class::Transcendental } else { Class::Division }, 1)
        }
        "min" | "max" | "set" | "setp" | "slct" | "testp" => {
            (if float == Some(Class::Double) { Class::Double } else { Class::Compare }, words)
        }
        "popc" | "clz" | "bfind" | "fns" | "brev" | "bfe" | "bfi" | "bmsk" | "szext" => (Class::Bits, words),
        "shl" | "shr" | "shf" => (Class::Shift, words),
        "cvt" => {
            let wide = opcode.types().iter().any(|ty| ty.bits() == 64);
            let integers = opcode.types().iter().all(|ty| !ty.is_float());
            match (wide, integers) {
                (_, true) => (Class::Integer, words),
                (true, _) => (Class::ConvertWide, 1),
                _ => (Class::Convert, 1),
            }
        }
        "mov" | "cvta" | "selp" | "and" | "or" | "xor" | "not" | "cnot" | "lop3" | "prmt" | "isspacep" => {
            (Class::Integer, if ty.bits() == 64 { 2 } else { 1 })
        }
        _ => (Class::Other, 1),
    }
}
