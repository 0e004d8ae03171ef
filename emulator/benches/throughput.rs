//! Measures the emulator's speed: `cargo bench -p pxrw-emulator --bench throughput [KERNEL…]`. Prints, per kernel and machine, warp and thread
//! instructions per second.
#![allow(clippy::unwrap_used, missing_docs)]

use std::time::Instant;

use emulator::{Arg, Launch, Machine, Memory, Outcome, Program, run};
use ptx_parser::Module;

const HEADER: &str = ".version 9.0\n.target sm_90\n.address_size 64\n";

const SAXPY: &str = "
.visible .entry k(.param .u64 x, .param .u64 y, .param .f32 s, .param .u32 n) {
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<5>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.f32 %f1, [s]; ld.param.u32 %r2, [n];
  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;
  mad.lo.s32 %r1, %r3, %r4, %r5;
  setp.ge.s32 %p1, %r1, %r2;
  @%p1 bra END;
  cvta.to.global.u64 %rd3, %rd1; mul.wide.s32 %rd4, %r1, 4; add.s64 %rd5, %rd3, %rd4;
  ld.global.f32 %f2, [%rd5];
  cvta.to.global.u64 %rd6, %rd2; add.s64 %rd7, %rd6, %rd4;
  ld.global.f32 %f3, [%rd7];
  fma.rn.f32 %f4, %f1, %f2, %f3;
  st.global.f32 [%rd7], %f4;
END: ret;
}";

// One body per thread; every thread goes through all bodies, four floats each.
const NBODY: &str = "
.visible .entry k(.param .u64 bodies, .param .u64 out, .param .u32 n) {
  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .f32 %f<32>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [bodies]; ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r2, %r3, %r4;
  mul.wide.u32 %rd3, %r5, 16; add.s64 %rd4, %rd1, %rd3;
  ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd4];
  mov.f32 %f10, 0f00000000; mov.f32 %f11, %f10; mov.f32 %f12, %f10; mov.u32 %r6, 0; mov.u64 %rd5, %rd1;
LOOP:
  ld.global.v4.f32 {%f5, %f6, %f7, %f8}, [%rd5];
  sub.f32 %f13, %f5, %f1; sub.f32 %f14, %f6, %f2; sub.f32 %f15, %f7, %f3;
  fma.rn.f32 %f16, %f13, %f13, 0f3C23D70A; fma.rn.f32 %f16, %f14, %f14, %f16; fma.rn.f32 %f16, %f15, %f15, %f16;
  rsqrt.approx.f32 %f17, %f16;
  mul.f32 %f18, %f17, %f17; mul.f32 %f18, %f18, %f17; mul.f32 %f18, %f18, %f8;
  fma.rn.f32 %f10, %f13, %f18, %f10; fma.rn.f32 %f11, %f14, %f18, %f11; fma.rn.f32 %f12, %f15, %f18, %f12;
  add.s64 %rd5, %rd5, 16; add.s32 %r6, %r6, 1;
  setp.lt.u32 %p1, %r6, %r1;
  @%p1 bra LOOP;
  add.s64 %rd6, %rd2, %rd3;
  st.global.v4.f32 [%rd6], {%f10, %f11, %f12, %f4};
  ret;
}";

// C = A B of n x n floats in tiles of 16 x 16 through shared memory.
const MATMUL: &str = "
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) {
  .shared .align 4 .b8 ta[1024]; .shared .align 4 .b8 tb[1024];
  .reg .pred %p<3>; .reg .b32 %r<32>; .reg .f32 %f<8>; .reg .b64 %rd<16>;
  ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ctaid.y;
  mad.lo.u32 %r6, %r4, 16, %r2; mad.lo.u32 %r7, %r5, 16, %r3;
  mad.lo.u32 %r8, %r3, 16, %r2; shl.b32 %r8, %r8, 2;
  mov.u32 %r9, ta; mov.u32 %r10, tb; add.u32 %r11, %r9, %r8; add.u32 %r12, %r10, %r8;
  shl.b32 %r13, %r3, 6; add.u32 %r13, %r9, %r13; shl.b32 %r14, %r2, 2; add.u32 %r14, %r10, %r14;
  mad.lo.u32 %r15, %r7, %r1, %r2; mad.lo.u32 %r16, %r3, %r1, %r6; shl.b32 %r17, %r1, 4;
  mov.f32 %f1, 0f00000000; mov.u32 %r18, 0;
TILE:
  mul.wide.u32 %rd4, %r15, 4; add.s64 %rd4, %rd1, %rd4; ld.global.f32 %f2, [%rd4];
  mul.wide.u32 %rd5, %r16, 4; add.s64 %rd5, %rd2, %rd5; ld.global.f32 %f3, [%rd5];
  st.shared.f32 [%r11], %f2; st.shared.f32 [%r12], %f3;
  bar.sync 0;
  STEPS
  bar.sync 0;
  add.u32 %r15, %r15, 16; add.u32 %r16, %r16, %r17; add.u32 %r18, %r18, 16;
  setp.lt.u32 %p1, %r18, %r1;
  @%p1 bra TILE;
  mad.lo.u32 %r19, %r7, %r1, %r6; mul.wide.u32 %rd6, %r19, 4; add.s64 %rd6, %rd3, %rd6;
  st.global.f32 [%rd6], %f1;
  ret;
}";

// Collatz lengths: divergent loops.
const COLLATZ: &str = "
.visible .entry k(.param .u64 out) {
  .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r1, %r2, %r3, %r4;
  cvt.u64.u32 %rd2, %r1; add.s64 %rd2, %rd2, 1; mov.u32 %r5, 0;
LOOP:
  setp.le.u64 %p1, %rd2, 1;
  @%p1 bra END;
  and.b64 %rd3, %rd2, 1; setp.eq.u64 %p2, %rd3, 0;
  @%p2 bra EVEN;
  mad.lo.u64 %rd2, %rd2, 3, 1; bra NEXT;
EVEN: shr.u64 %rd2, %rd2, 1;
NEXT: add.s32 %r5, %r5, 1; bra LOOP;
END: mul.wide.u32 %rd4, %r1, 4; add.s64 %rd4, %rd1, %rd4; st.global.u32 [%rd4], %r5;
  ret;
}";

// Every thread follows eight links of a random permutation: scattered loads.
const CHASE: &str = "
.visible .entry k(.param .u64 links, .param .u64 out) {
  .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [links]; ld.param.u64 %rd5, [out];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r1, %r2, %r3, %r4;
  mov.u32 %r5, %r1; mov.u32 %r6, 0;
LOOP: mul.wide.u32 %rd2, %r5, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r5, [%rd3];
  add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 8;
  @%p1 bra LOOP;
  mul.wide.u32 %rd4, %r1, 4; add.s64 %rd4, %rd5, %rd4; st.global.u32 [%rd4], %r5;
  ret;
}";

/// Seconds that the calling thread has run, where the system says so; else the time of day.
fn seconds(since: Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let running = text.split(' ').next().and_then(|word| word.parse::<f64>().ok());
    running.map_or(since.elapsed().as_secs_f64(), |nanoseconds| nanoseconds * 1e-9)
}

fn measure(name: &str, text: &str, launch: &Launch, memory: &mut Memory, work: f64, unit: &str) {
    // Words on the command line choose kernels.
    let mut chosen = std::env::args().skip(1).filter(|word| !word.starts_with('-')).peekable();
    if chosen.peek().is_some() && !chosen.any(|word| word == name) {
        return;
    }
    let module = Module::parse(&format!("{HEADER}{text}")).unwrap();
    let program = Program::decode(&module, "k").unwrap();
    for machine in [Machine::Stack, Machine::Its, Machine::Aware] {
        for threads in [1, 2] {
            let mut launch = launch.clone().on(machine);
            launch.threads = threads;
            let begin = Instant::now();
            let before = seconds(begin);
            let report = run(&program, memory, &launch).unwrap();
            // With one host thread the time of that thread, which other programs do not disturb.
            let seconds = if threads == 1 { seconds(begin) - before } else { begin.elapsed().as_secs_f64() };
            assert_eq!(report.outcome, Outcome::Finished);
            println!(
                "{name:8} {:5} {threads} threads: {:7.1} ms, {:6.1} M warp instructions/s, {:7.2} G thread instructions/s, {:8.3} ns per {unit}",
                machine.name(),
                1e3 * seconds,
                report.counts.warp_instructions as f64 / seconds / 1e6,
                report.counts.thread_instructions as f64 / seconds / 1e9,
                1e9 * seconds / work,
            );
        }
    }
}

fn main() {
    let floats = |n: usize| -> Vec<f32> { (0..n).map(|i| (i % 1000) as f32 * 0.001).collect() };
    let mut memory = Memory::new();
    let n = 1 << 22;
    let (x, y) = (memory.alloc_from(&floats(n), "x"), memory.alloc_from(&floats(n), "y"));
    let launch = Launch::new((n / 256) as u32, 256).arg(x).arg(y).arg(2.0f32).arg(Arg::value(n as u32));
    measure("saxpy", SAXPY, &launch, &mut memory, n as f64, "element");

    let n = 8192;
    let (bodies, out) = (memory.alloc_from(&floats(4 * n), "bodies"), memory.alloc(16 * n as u64, "out"));
    let launch = Launch::new((n / 256) as u32, 256).arg(bodies).arg(out).arg(n as u32);
    measure("n-body", NBODY, &launch, &mut memory, (n * n) as f64, "interaction");

    let n = 512;
    let buffers = [0; 3].map(|_| memory.alloc_from(&floats(n * n), "matrix"));
    let mut launch = Launch::new(0, 0).arg(buffers[0]).arg(buffers[1]).arg(buffers[2]).arg(n as u32);
    (launch.grid, launch.block) = ([n as u32 / 16, n as u32 / 16, 1], [16, 16, 1]);
    let step = |k: u32| {
        format!(
            "ld.shared.f32 %f4, [%r13+{}]; ld.shared.f32 %f5, [%r14+{}]; fma.rn.f32 %f1, %f4, %f5, %f1;\n",
            4 * k,
            64 * k
        )
    };
    let text = MATMUL.replace("STEPS", &(0..16).map(step).collect::<String>());
    measure("matmul", &text, &launch, &mut memory, (n * n * n) as f64, "multiply-add");

    let n = 1 << 18;
    let out = memory.alloc(4 * n as u64, "out");
    measure("collatz", COLLATZ, &Launch::new(n / 256, 256).arg(out), &mut memory, f64::from(n), "number");

    let n = 1u32 << 20;
    let links: Vec<u32> = (0..n).map(|i| i.wrapping_mul(2_654_435_761).wrapping_add(12345) % n).collect();
    let (links, out) = (memory.alloc_from(&links, "links"), memory.alloc(4 * u64::from(n), "out"));
    measure("chase", CHASE, &Launch::new(n / 256, 256).arg(links).arg(out), &mut memory, 8.0 * f64::from(n), "load");
}
