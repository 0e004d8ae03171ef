//! A kernel from its body, and its launch.

use emulator::{Launch, Machine, Memory, Outcome, Program, Report, run};
use ptx_parser::Module;

/// The machines on which the lanes of a warp run together as long as they can.
pub(crate) const TOGETHER: [Machine; 3] = [Machine::Stack, Machine::Its, Machine::Aware];

/// A module with one kernel `k`: its parameters as written in PTX, and its body with declarations.
pub(crate) fn module(params: &str, body: &str) -> Module {
    module_with("", params, body)
}

/// The same with variables of the module in front.
pub(crate) fn module_with(variables: &str, params: &str, body: &str) -> Module {
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n{variables}.visible .entry k({params}) {{\n\
         .reg .pred %p<16>;\n.reg .b16 %rs<16>;\n.reg .b32 %r<64>;\n.reg .b64 %rd<32>;\n.reg .f32 %f<32>;\n\
         .reg .f64 %fd<16>;\n{body}\n}}\n"
    );
    Module::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

pub(crate) fn program(params: &str, body: &str) -> Program {
    Program::decode(&module(params, body), "k").unwrap_or_else(|error| panic!("{error}"))
}

/// Runs to the end, which must be a good one.
pub(crate) fn finish(program: &Program, memory: &mut Memory, launch: &Launch) -> Report {
    let report = run(program, memory, launch).unwrap();
    assert_eq!(report.outcome, Outcome::Finished, "{}", report.outcome);
    report
}

/// `%r1` = linear thread of the grid; `%rd1` = the first parameter, `a`; `%rd2` = its element of 4 bytes for this thread.
pub(crate) const INDEX: &str = "
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r1, %r1, %r2, %r3;
    ld.param.u64 %rd1, [a];
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd2, %rd1, %rd2;
";
