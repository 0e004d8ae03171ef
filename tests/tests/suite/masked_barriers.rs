//! Lanes of one mask that meet at two barriers: on machines where that ends, it ends when the locks beside it are rewritten, and leaves the same memory.
//!
//! Lanes wait at `bar.warp.sync` for those of their mask, wherever these execute one with the same mask (PTX ISA, "bar.warp.sync"). A machine with a
//! reconvergence stack executes one instruction at a time, and cannot have them meet.
use emulator::{Launch, Machine, Memory, Outcome, Program, run};
use ptx_parser::Module;
use ssde_ptx::{Done, treat};
use tests::saved::toolkit;
use toolkit::CudaSource;

const THREADS: usize = 32;

/// Of each pair, one lane tells the other one something, and both meet: at two barriers of their own, or at one barrier in a function that both call, whose
/// body is put into two places.
const MEETINGS: [&str; 2] =
    ["#define meet __syncwarp", "__device__ __noinline__ void meet(unsigned who) { __syncwarp(who); }"];

const PAIRS: &str = "
extern \"C\" __global__ void k(int *out) {
    volatile int *flag = out + 64;
    int t = threadIdx.x;
    unsigned pair = 3u << (t & 30);
    if (t & 1) {
        while (flag[t >> 1] == 0) {}
        meet(pair);
        out[t] = flag[32 + (t >> 1)];
    } else {
        flag[32 + (t >> 1)] = t + 5;
        __threadfence();
        flag[t >> 1] = 1;
        meet(pair);
        out[t] = t;
    }
}";

fn ran(module: &Module, machine: Machine) -> (Outcome, Vec<u32>) {
    let program = Program::decode(module, "k").unwrap();
    let mut memory = Memory::new();
    let out = memory.alloc_from(&[0u32; 4 * THREADS], "out");
    let report = run(&program, &mut memory, &Launch::new(1, THREADS as u32).arg(out).on(machine)).unwrap();
    (report.outcome, memory.read(out, THREADS).unwrap())
}

#[test]
fn lanes_meet_at_barriers_of_one_mask() {
    for name in MEETINGS {
        let source = format!("{name}\n{PAIRS}");
        for level in ["-O0", "-O3"] {
            let arguments = ["-Xcicc", level].map(std::ffi::OsString::from);
            let output = toolkit().unwrap().compile_to_ptx(&CudaSource::new(&source, "pairs.cu"), "sm_90", &arguments);
            let original = Module::parse(&output.unwrap().ptx).unwrap();
            let mut module = original.clone();
            let done = treat(&mut module, "k").unwrap().done;
            assert!(matches!(done, Done::Rewritten { .. }), "{name} {level}: {done:?}");
            let printed = Module::parse(&module.to_string()).unwrap();
            for machine in Machine::ALL.iter().copied().filter(|machine| machine.name() != "stack") {
                let before = ran(&original, machine);
                assert_eq!(before.0, Outcome::Finished, "{name} {level} {}", machine.name());
                assert_eq!(ran(&printed, machine), before, "{name} {level} {}\n{module}", machine.name());
            }
        }
    }
}
