//! Modules with more in them than a kernel: functions, variables, dynamic shared memory.

use emulator::{Launch, Machine, Memory, Program};
use ptx_parser::Module;

use crate::support::finish;

#[test]
fn a_function_is_called_with_parameters_in_memory() {
    let text = "
.version 9.0
.target sm_90
.address_size 64
.func (.param .b32 result) square_plus(.param .b32 x, .param .b32 y) {
  .reg .b32 %r<5>;
  .reg .pred %p<2>;
  ld.param.u32 %r1, [x];
  ld.param.u32 %r2, [y];
  setp.lt.u32 %p1, %r1, 3;
  @%p1 bra SMALL;
  mad.lo.u32 %r3, %r1, %r1, %r2;
  st.param.b32 [result], %r3;
  ret;
SMALL:
  st.param.b32 [result], %r2;
  ret;
}
.visible .entry k(.param .u64 a) {
  .reg .b32 %r<9>;
  .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x;
  ld.param.u64 %rd1, [a];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd2, %rd1, %rd2;
  {
    .param .b32 p0;
    .param .b32 p1;
    .param .b32 r0;
    st.param.b32 [p0], %r1;
    st.param.b32 [p1], 7;
    call.uni (r0), square_plus, (p0, p1);
    ld.param.b32 %r2, [r0];
  }
  st.global.u32 [%rd2], %r2;
  ret;
}
";
    let p = Program::decode(&Module::parse(text).unwrap(), "k").unwrap();
    for &machine in Machine::ALL {
        let mut memory = Memory::new();
        let a = memory.alloc(4 * 32, "a");
        finish(&p, &mut memory, &Launch::new(1, 32).arg(a).on(machine));
        let expected: Vec<u32> = (0..32).map(|x| if x < 3 { 7 } else { x * x + 7 }).collect();
        assert_eq!(memory.read::<u32>(a, 32).unwrap(), expected);
    }
}

#[test]
fn module_variables_are_initialised_and_persist() {
    let text = "
.version 9.0
.target sm_90
.address_size 64
.global .align 4 .u32 counter = 5;
.const .align 4 .u32 table[4] = {10, 20, 30};
.visible .entry k(.param .u64 a) {
  .reg .b32 %r<9>;
  .reg .b64 %rd<6>;
  mov.u32 %r1, %tid.x;
  ld.param.u64 %rd1, [a];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  mov.u64 %rd4, table;
  add.s64 %rd4, %rd4, %rd2;
  ld.const.u32 %r2, [%rd4];
  st.global.u32 [%rd3], %r2;
  atom.global.add.u32 %r3, [counter], 1;
  ret;
}
";
    let p = Program::decode(&Module::parse(text).unwrap(), "k").unwrap();
    let mut memory = Memory::new();
    let a = memory.alloc(16, "a");
    let launch = Launch::new(1, 4).arg(a);
    finish(&p, &mut memory, &launch);
    finish(&p, &mut memory, &launch);
    assert_eq!(memory.read::<u32>(a, 4).unwrap(), [10, 20, 30, 0]);
    let counter = memory.symbol("counter").unwrap();
    assert_eq!(memory.read::<u32>(counter, 1).unwrap(), [13]);
}

#[test]
fn constant_variables_have_a_window_of_their_own() {
    let text = "
.version 9.0
.target sm_90
.address_size 64
.global .align 4 .u32 counter = 5;
.const .align 4 .u32 table[4] = {10, 20, 30};
.const .align 4 .u32 unused;
.visible .entry k(.param .u64 a, .param .u64 there) {
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  .reg .pred %p<9>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [there];
  ld.const.u32 %r3, [table];
  ld.global.u32 %r4, [counter];
  isspacep.const %p1, %rd2;
  selp.u32 %r1, 1, 0, %p1;
  isspacep.global %p1, %rd2;
  selp.u32 %r2, 1, 0, %p1;
  st.global.v2.u32 [%rd1], {%r1, %r2};
  ret;
}
";
    let p = Program::decode(&Module::parse(text).unwrap(), "k").unwrap();
    let mut memory = Memory::new();
    p.load(&mut memory).unwrap();
    let at = |name: &str| memory.symbol(name).unwrap().address();
    let (table, counter, unused) = (at("table"), at("counter"), at("unused"));
    for (there, expected) in [
        (table, [1, 0]),
        (table + 15, [1, 0]),
        (table + 16, [0, 1]),
        (unused + 3, [1, 0]),
        (counter, [0, 1]),
        (0x0100_0000_0000_0000, [0, 0]),
    ] {
        let mut memory = memory.clone();
        let a = memory.alloc(8, "a");
        finish(&p, &mut memory, &Launch::new(1, 1).arg(a).arg(there));
        assert_eq!(memory.read::<u32>(a, 2).unwrap(), expected, "0x{there:x}");
    }
}

#[test]
fn dynamic_shared_memory_follows_the_static() {
    let text = "
.version 9.0
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
.visible .entry k(.param .u64 a) {
  .reg .b32 %r<9>;
  .reg .b64 %rd<6>;
  .shared .align 4 .b8 fixed[20];
  mov.u32 %r1, dynamic;
  mov.u32 %r2, fixed;
  mov.u32 %r3, 11;
  st.shared.u32 [fixed+16], %r3;
  st.shared.u32 [dynamic+28], %r3;
  mov.u32 %r4, %dynamic_smem_size;
  mov.u32 %r5, %total_smem_size;
  ld.param.u64 %rd1, [a];
  st.global.v4.u32 [%rd1], {%r1, %r2, %r4, %r5};
  ret;
}
";
    let p = Program::decode(&Module::parse(text).unwrap(), "k").unwrap();
    let mut memory = Memory::new();
    let a = memory.alloc(16, "a");
    let mut launch = Launch::new(1, 1).arg(a);
    launch.shared_bytes = 32;
    finish(&p, &mut memory, &launch);
    assert_eq!(memory.read::<u32>(a, 4).unwrap(), [32, 0, 32, 64]);
}
