//! What each kind of operand reads and writes.
use crate::common;
use ptx_parser::{Flow, Inst, Kernel, Memory, Mnemonic, Modifier, Reg, Type};

/// The registers of a list by name, in the order in which they are visited.
fn names(kernel: &Kernel, regs: &[Reg]) -> String {
    regs.iter().map(|reg| kernel.reg_name(*reg)).collect::<Vec<_>>().join(" ")
}

fn with_inst<T>(text: &str, look: impl FnOnce(&Kernel, Inst) -> T) -> T {
    let module = common::parse(&common::kernel(text));
    let kernel = &module.kernels()[0];
    look(kernel, common::insts(kernel)[0])
}

/// Checks `defs` and `uses` of an instruction.
#[track_caller]
fn access(text: &str, defs: &str, uses: &str) {
    with_inst(text, |kernel, inst| {
        assert_eq!(names(kernel, &kernel.defs(inst)), defs, "what `{text}` writes");
        assert_eq!(names(kernel, &kernel.uses(inst)), uses, "what `{text}` uses");
    });
}

#[test]
fn plain_operands() {
    access("add.s32 %r1, %r2, %r3;", "%r1", "%r2 %r3");
    access("add.s32 %r1, %r1, 5;", "%r1", "%r1");
    access("mov.u32 %r1, %tid.x;", "%r1", "");
    access("mov.u64 %rd1, a;", "%rd1", "");
    access("ret;", "", "");
}

/// In lanes whose guard is false a guarded write keeps the old value, which is therefore used; but it is not read.
#[test]
fn guards() {
    access("@%p1 mov.u32 %r1, %r2;", "%r1", "%p1 %r1 %r2");
    access("@!%p1 bra L; L:", "", "%p1");
    with_inst("@%p1 mov.u32 %r1, %r2;", |kernel, inst| {
        assert_eq!(names(kernel, &kernel.reads(inst)), "%p1 %r2");
    });
}

#[test]
fn pairs_and_sinks() {
    access("setp.lt.s32 %p1|%p2, %r1, %r2;", "%p1 %p2", "%r1 %r2");
    access("setp.lt.and.s32 %p1, %r1, %r2, !%p3;", "%p1", "%r1 %r2 %p3");
    access("shfl.sync.down.b32 %r1|%p1, %r2, %r3, 31, -1;", "%r1 %p1", "%r2 %r3");
    access("shfl.sync.down.b32 %r1|_, %r2, 1, 31, -1;", "%r1", "%r2");
    access("atom.global.add.u32 _, [%rd1], %r2;", "", "%rd1 %r2");
    access("elect.sync _|%p1, %r2;", "%p1", "%r2");
}

#[test]
fn memory() {
    access("ld.global.u32 %r1, [%rd1+4];", "%r1", "%rd1");
    access("ld.global.v4.u32 {%r1, %r2, _, %r3}, [%rd1];", "%r1 %r2 %r3", "%rd1");
    access("ld.param.u64 %rd1, [a];", "%rd1", "");
    access("st.global.u32 [%rd1], %r1;", "", "%rd1 %r1");
    access("st.global.v2.u32 [%rd1], {%r1, %r2};", "", "%rd1 %r1 %r2");
    access("atom.global.cas.b32 %r1, [%rd1], %r2, %r3;", "%r1", "%rd1 %r2 %r3");
    access("red.global.add.u32 [%rd1], %r1;", "", "%rd1 %r1");
    access("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f3}, [%rd1, {%f1, %f2}];", "%f1 %f2 %f3 %f3", "%rd1 %f1 %f2");
    access("sust.b.2d.b32.trap [%rd1, {%r1, %r2}], {%r3};", "", "%rd1 %r1 %r2 %r3");
    access("prefetch.global.L2 [%rd1];", "", "%rd1");
}

#[test]
fn vectors() {
    access("mov.b64 {%r1, %r2}, %rd1;", "%r1 %r2", "%rd1");
    access("mov.b64 %rd1, {%r1, %r2};", "%rd1", "%r1 %r2");
    access("mov.b64 {%r1, _}, %rd1;", "%r1", "%rd1");
}

/// A write to one component keeps the others.
#[test]
fn components() {
    access("mov.f32 %f1, %v.x;", "%f1", "%v");
    access("mov.f32 %v.y, %f1;", "%v", "%v %f1");
}

#[test]
fn calls() {
    access("call (%r1, %r2), f, (%r3, 5, %r4);", "%r1 %r2", "%r3 %r4");
    access("call f, (%r3);", "", "%r3");
    access("call f;", "", "");
    access("call (%r1), %rd1, (%r2), proto;", "%r1", "%rd1 %r2");
}

/// The carry flag is a register of its own, of which the text says nothing.
#[test]
fn the_carry_flag() {
    access("add.cc.u32 %r1, %r2, %r3;", "%r1 CC", "%r2 %r3");
    access("addc.u32 %r1, %r2, %r3;", "%r1", "%r2 %r3 CC");
    access("madc.hi.cc.u32 %r1, %r2, %r3, %r4;", "%r1 CC", "%r2 %r3 %r4 CC");
    access("@%p1 sub.cc.u32 %r1, %r2, %r3;", "%r1 CC", "%p1 %r1 %r2 %r3 CC");
    with_inst("add.u32 %r1, %r2, %r3;", |kernel, _| assert_eq!(kernel.carry_flag(), None));
}

#[test]
fn barriers_and_votes() {
    access("bar.sync %r1, %r2;", "", "%r1 %r2");
    access("bar.red.popc.u32 %r1, 0, %p1;", "%r1", "%p1");
    access("barrier.cta.red.or.pred %p1, %r1, !%p2;", "%p1", "%r1 %p2");
    access("vote.sync.ballot.b32 %r1, %p1, %r2;", "%r1", "%p1 %r2");
    access("match.all.sync.b32 %r1|%p1, %r2, %r3;", "%r1 %p1", "%r2 %r3");
    access("bar.warp.sync %r1;", "", "%r1");
}

/// Whatever the table does not list may read and write all of its operands, but only reads what an address is made of.
#[test]
fn unknown_opcodes() {
    access("frobnicate.wide %r1, [%rd1], {%r2, %r3};", "%r1 %r2 %r3", "%r1 %rd1 %r2 %r3");
    with_inst("frobnicate.wide %r1;", |kernel, inst| {
        let properties = kernel.properties(inst);
        assert!(!properties.known && properties.convergent && properties.side_effect && !properties.is_pure());
        assert_eq!((properties.memory, properties.flow), (Memory::Unknown, Flow::Next));
    });
}

#[test]
fn operands_are_visited_at_every_depth() {
    with_inst("tex.2d.v4.f32.f32 {%f1, %f2, _, _}, [%rd1, {%f3, %f3}];", |kernel, inst| {
        let mut count = 0;
        kernel.visit_operands(inst, |_| count += 1);
        // The vector and its four elements; the bracket, its register, its vector and the two coordinates.
        assert_eq!(count, 10);
    });
}

#[test]
fn words_of_an_opcode() {
    with_inst("ld .global.nc .L1::no_allocate.v2.u32 {%r1, %r2}, [%rd1];", |kernel, inst| {
        let opcode = kernel.opcode(inst);
        assert_eq!(opcode.text(), "ld.global.nc.L1::no_allocate.v2.u32");
        assert_eq!(opcode.mnemonic(), Mnemonic::Ld);
        let all = [Modifier::Global, Modifier::Nc, Modifier::L1NoAllocate, Modifier::V2, Modifier::Type(Type::U32)];
        assert_eq!(opcode.modifiers(), all);
        assert!(opcode.has(Modifier::Nc) && !opcode.has(Modifier::Volatile));
        assert!(opcode.has_any(&[Modifier::Volatile, Modifier::V2]) && !opcode.has_only(&all[..3]));
        assert_eq!(opcode.properties().memory, Memory::Read);
    });
}
