//! CUDA programs whose waits go through memory, other names of it, and other threads: each deadlocks on a reconvergence stack, is found, and ends everywhere once
//! it is rewritten.
use emulator::{Launch, Machine, Memory, Outcome, Program, run};
use ptx_parser::Module;
use ssde_ptx::{Done, certify, compared, find, treat, verify};
use tests::saved::toolkit;
use toolkit::CudaSource;

const WORDS: usize = 8;

fn compiled(text: &str, level: &str) -> Module {
    let toolkit = toolkit().unwrap();
    let output = toolkit.compile_to_ptx(&CudaSource::new(text, "program.cu"), "sm_90", &[level.into()]).unwrap();
    Module::parse(&output.ptx).unwrap()
}

/// How a launch ends, and the results that it leaves.
fn ran(module: &Module, machine: Machine, blocks: u32) -> (Outcome, Vec<i32>) {
    let program = Program::decode(module, "k").unwrap();
    let mut memory = Memory::new();
    let out = memory.alloc_from(&[0i32; WORDS], "out");
    let mut launch = Launch::new(blocks, 32).on(machine).arg(out);
    (launch.shared_bytes, launch.step_budget) = (512, 50_000_000);
    let outcome = run(&program, &mut memory, &launch).unwrap().outcome;
    (outcome, memory.read(out, WORDS).unwrap())
}

fn is_freed(text: &str, blocks: u32, expected: &[i32]) {
    for level in ["-O3", "-G"] {
        let original = compiled(text, level);
        let (ended, _) = ran(&original, Machine::Stack, blocks);
        assert!(matches!(ended, Outcome::SimtDeadlock { .. }), "{level}: {ended}");
        let mut module = original.clone();
        let treated = treat(&mut module, "k").unwrap();
        assert!(matches!(treated.done, Done::Rewritten { .. }), "{level}: {:?}", treated.done);
        let module = Module::parse(&module.to_string()).unwrap();
        let after = module.kernel("k").unwrap();
        assert!(find(&module, after).findings.is_empty(), "{level}");
        let before = compared(&original, original.kernel("k").unwrap(), after);
        verify(&before, after, &certify(&before, after).unwrap()).unwrap();
        for &machine in Machine::ALL {
            let (ended, found) = ran(&module, machine, blocks);
            assert_eq!(ended, Outcome::Finished, "{level}, {}", machine.name());
            assert_eq!(&found[..expected.len()], expected, "{level}, {}", machine.name());
        }
    }
}

#[test]
fn a_lock_whose_outcome_is_kept_in_memory() {
    for (kept, index) in [("__device__ volatile int owned[64];", "threadIdx.x + 32 * blockIdx.x"), ("", "threadIdx.x")]
    {
        let shared = if kept.is_empty() { "__shared__ volatile int owned[32];" } else { "" };
        is_freed(
            &format!(
                "__device__ int lock;\n{kept}\nextern \"C\" __global__ void k(volatile int *out) {{\n{shared}\nint me = {index};\nowned[me] = 0;\n\
                 while (owned[me] != 3) {{ if (atomicExch(&lock, 1) == 0) owned[me] = 3; }}\n\
                 out[0] = out[0] + 2;\n__threadfence();\natomicExch(&lock, 0);\n}}"
            ),
            2,
            &[128],
        );
    }
}

#[test]
fn a_second_lock_behind_a_first_one() {
    is_freed(
        "__device__ int first, second;\nextern \"C\" __global__ void k(volatile int *out) {\n__shared__ volatile unsigned char mine[32];\nmine[threadIdx.x] = 0;\n\
         do mine[threadIdx.x] = atomicCAS(&first, 0, 5) == 0; while (!mine[threadIdx.x]);\n++out[1];\n__threadfence();\natomicExch(&first, 0);\n__syncthreads();\n\
         while (atomicCAS(&second, 0, 1));\n++out[2];\n__threadfence();\natomicExch(&second, 0);\n}",
        2,
        &[0, 64, 64],
    );
}

#[test]
fn locks_that_are_taken_and_given_back_under_two_names() {
    is_freed(
        "extern __shared__ int taken[];\nextern __shared__ volatile short given[];\nextern \"C\" __global__ void k(volatile int *out) {\n\
         if (threadIdx.x < 8) taken[threadIdx.x] = 0;\n__syncthreads();\nint lock = threadIdx.x % 8;\nwhile (atomicCAS(taken + lock, 0, 1));\n\
         out[lock] = out[lock] + 1;\n__threadfence();\ngiven[2 * lock] = 0;\n}",
        1,
        &[4; 8],
    );
}

#[test]
fn a_value_that_another_block_passes_on() {
    is_freed(
        "__device__ volatile int ready, copy, stop;\nextern \"C\" __global__ void k(volatile int *out) {\n\
         if (blockIdx.x == 0) {\n  if (threadIdx.x % 2) { while (copy < 16); out[0] = 9; }\n  atomicAdd((int *)&ready, 1);\n\
         } else if (blockIdx.x == 1) {\n  if (threadIdx.x == 4) do copy = ready; while (!stop);\n\
         } else if (threadIdx.x == 0) { while (copy < 16); stop = 1; }\n}",
        3,
        &[9],
    );
}

#[test]
fn a_flag_that_is_read_past_the_first_level_of_cache() {
    for load in ["__ldcg(&flag)", "__ldcv(&flag)", "weak(&flag)"] {
        is_freed(
            &format!(
                "__device__ int flag;\n__device__ int weak(const int *p) {{ int v; asm volatile(\"ld.global.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(p)); return v; }}\n\
                 extern \"C\" __global__ void k(volatile int *out) {{\n\
                 if (threadIdx.x & 1) while ({load} < 16);\natomicAdd(&flag, 1);\natomicAdd((int *)out, 1);\n}}"
            ),
            1,
            &[32],
        );
    }
}
