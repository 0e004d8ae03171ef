//! Calls replaced by bodies: the kernel leaves the same memory as before on every machine, and ptxas takes it.
use emulator::{Launch, Machine, Memory, Outcome, Program, run};
use ptx_parser::{Flow, Kernel, Mnemonic, Module, StmtKind};
use ssde_ptx::{Done, find, inline_calls, inlined, treat};
use tests::call_graphs::kernel;
use tests::saved::toolkit;
use toolkit::{CudaSource, Toolkit};

/// How many seeds a test run tries.
const SEEDS: u64 = 300;
const THREADS: usize = 40;

fn ran(module: &Module, machine: Machine) -> Vec<u64> {
    let program = Program::decode(module, "k").unwrap_or_else(|error| panic!("{error}\n{module}"));
    let mut memory = Memory::new();
    let out = memory.alloc_from(&[0u64; THREADS], "out");
    let launch = Launch::new(1, THREADS as u32).arg(out).on(machine);
    let report = run(&program, &mut memory, &launch).unwrap();
    assert_eq!(report.outcome, Outcome::Finished, "{module}");
    memory.read(out, THREADS).unwrap()
}

fn calls(kernel: &Kernel) -> usize {
    let is_call = |stmt: &&ptx_parser::Stmt| match stmt.kind {
        StmtKind::Inst(inst) => kernel.properties(inst).flow == Flow::Call,
        _ => false,
    };
    kernel.stmts().iter().filter(is_call).count()
}

#[test]
fn random_call_graphs_do_the_same() {
    let (mut replaced, mut had, mut by_address) = (0, 0, 0);
    for seed in 0..SEEDS {
        let text = kernel(seed);
        by_address += u64::from(text.contains(".callprototype"));
        let original = Module::parse(&text).unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}\n{text}"));
        let mut module = original.clone();
        let count = inline_calls(&mut module, "k").unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        assert_eq!(calls(module.kernel("k").unwrap()), 0, "seed {seed}\n{module}");
        let before = original.kernel("k").map(calls).unwrap();
        had += usize::from(before > 0);
        replaced += count;
        // What is printed is what was meant.
        let printed =
            Module::parse(&module.to_string()).unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}\n{module}"));
        for &machine in Machine::ALL {
            assert_eq!(ran(&printed, machine), ran(&original, machine), "seed {seed}, {}\n{module}", machine.name());
        }
    }
    assert!(had * 2 > SEEDS as usize && replaced > 2 * had, "{had} kernels, {replaced} calls");
    assert!(by_address * 4 > SEEDS, "{by_address} kernels call by address");
}

#[test]
fn ptxas_takes_random_call_graphs() {
    let toolkit = toolkit().unwrap();
    for seed in 0..12 {
        let mut module = Module::parse(&kernel(seed)).unwrap();
        inline_calls(&mut module, "k").unwrap();
        if let Err(error) = toolkit.assemble(&module.to_string(), "sm_90", "inlined.ptx") {
            panic!("seed {seed}: {error}\n{module}");
        }
    }
}

#[test]
fn positions_are_those_of_the_functions() {
    (0..40).for_each(positions_are_those_of);
}

fn positions_are_those_of(seed: u64) {
    let module = Module::parse(&kernel(seed)).unwrap();
    let result = inlined(&module, module.kernel("k").unwrap()).unwrap();
    let lines: Vec<&str> = module.source().lines().collect();
    for stmt in result.kernel.stmts() {
        let StmtKind::Inst(inst) = stmt.kind else { continue };
        let line = result.text_position(inst).unwrap().line;
        let opcode = result.kernel.opcode(inst);
        let mnemonic = opcode.text().split('.').next().unwrap();
        let original = lines[line as usize - 1];
        let moved = matches!(opcode.mnemonic(), Mnemonic::Mov | Mnemonic::Cvt) && original.contains(".param");
        let passed = original.contains("call") || original.contains("ret") || original.contains("}");
        assert!(moved || passed || original.contains(mnemonic), "{mnemonic}: {original}");
    }
}

/// Functions with parameters of every kind that nvcc makes: words and bytes, structures, vectors, references to memory of the caller.
const FUNCTIONS: &str = r#"
struct Big { int a[5]; double d; };
__device__ __noinline__ int leaf(int a, short b, bool c, char d, float f, double g, long long h) {
    if (c) return a + b;
    return (int)(f + g) + d + (int)h;
}
__device__ __noinline__ Big change(Big b, int i) { b.a[i % 5] += 3; b.d += i; return b; }
__device__ __noinline__ float4 mixed(float4 x) { x.x += x.y; return x; }
__device__ __noinline__ unsigned char low(unsigned char c) { return c + 200; }
__device__ __noinline__ bool middle(int a, int b) { return leaf(a, b, b > 2, a, b, a, b) > 2; }
__device__ __noinline__ void by_reference(int *sum, int n) { for (int i = 0; i < n; i++) *sum += leaf(i, n, i & 1, n, i, n, i); }
extern "C" __global__ void k(unsigned long long *out) {
    int t = threadIdx.x;
    int sum = 0;
    by_reference(&sum, t % 7);
    Big b = { { t, t + 1, 2, 3, 4 }, 0.5 * t };
    for (int i = 0; i < 3; i++) b = change(b, t + i);
    float4 f = mixed(make_float4(t, 1, 2, 3));
    if (middle(t, t / 3)) sum += low(t);
    sum += leaf(t, 2, t & 1, 3, 4.f, 5., 6);
    out[t] = sum + 1000ull * (b.a[0] + 2 * b.a[1] + 3 * b.a[2] + 4 * b.a[3] + 5 * b.a[4]) + (long long)(b.d * 4) + (int)f.x;
}
"#;

/// Compiles CUDA text with an option for the optimiser of PTX.
fn compiled(toolkit: &Toolkit, text: &str, level: &str) -> Module {
    let source = CudaSource::new(text, "inline.cu");
    let arguments = ["-Xcicc", level].map(std::ffi::OsString::from);
    let output = toolkit.compile_to_ptx(&source, "sm_90", &arguments).unwrap();
    Module::parse(&output.ptx).unwrap()
}

#[test]
fn functions_of_cuda_do_the_same() {
    let toolkit = toolkit().unwrap();
    for level in ["-O0", "-O3"] {
        let original = compiled(toolkit, FUNCTIONS, level);
        let mut module = original.clone();
        let count = inline_calls(&mut module, "k").unwrap();
        assert!(count >= 9, "{level}: {count}");
        let kernel = module.kernel("k").unwrap();
        assert_eq!(calls(kernel), 0, "{level}\n{module}");
        // Lines of the functions are kept.
        let lines: Vec<u32> = calls_lines(kernel);
        assert!(lines.contains(&4) && lines.contains(&7), "{level}: {lines:?}");
        let printed = Module::parse(&module.to_string()).unwrap();
        for &machine in Machine::ALL {
            assert_eq!(ran(&printed, machine), ran(&original, machine), "{level}, {}\n{module}", machine.name());
        }
        toolkit.assemble(&module.to_string(), "sm_90", "inlined.ptx").unwrap();
    }
}

fn calls_lines(kernel: &Kernel) -> Vec<u32> {
    let line = |stmt: &ptx_parser::Stmt| match stmt.kind {
        StmtKind::Inst(inst) => kernel.loc(inst).map(|loc| loc.line),
        _ => None,
    };
    kernel.stmts().iter().filter_map(line).collect()
}

/// A lock whose loop, release and atomics are in functions.
const LOCK: &str = r#"
__device__ int word;
__device__ __noinline__ void take(int *lock) { while (atomicCAS(lock, 0, 1) != 0) {} }
__device__ __noinline__ void give(int *lock) { __threadfence(); atomicExch(lock, 0); }
extern "C" __global__ void k(unsigned long long *out) {
    take(&word);
    volatile unsigned long long *sum = out;
    *sum = *sum + 1 + threadIdx.x;
    give(&word);
}
"#;

#[test]
fn a_lock_in_functions_is_freed() {
    let toolkit = toolkit().unwrap();
    for level in ["-O0", "-O3"] {
        let mut module = compiled(toolkit, LOCK, level);
        let treated = treat(&mut module, "k").unwrap();
        assert_eq!(treated.found.findings.len(), 1, "{level}");
        assert_eq!(treated.done, Done::Rewritten { inlined: true }, "{level}");
        // Nobody else has to look at the functions.
        assert!(
            module
                .kernels()
                .iter()
                .filter(|kernel| kernel.has_body())
                .all(|kernel| { find(&module, kernel).findings.is_empty() })
        );
        let printed = Module::parse(&module.to_string()).unwrap();
        for &machine in Machine::ALL {
            assert_eq!(
                ran(&printed, machine)[0],
                (0..THREADS as u64).map(|t| t + 1).sum::<u64>(),
                "{}",
                machine.name()
            );
        }
        toolkit.assemble(&module.to_string(), "sm_90", "inlined.ptx").unwrap();
    }
}

/// A function with shared memory of its own, in which the block counts from call to call, and one that calls it.
const SHARED: &str = r#"
__device__ __noinline__ int count(int first) {
    __shared__ int calls;
    __shared__ int of[4];
    if (first && threadIdx.x == 0) calls = 0;
    if (first && threadIdx.x < 4) of[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&calls, 1);
    atomicAdd(&of[threadIdx.x % 4], 1);
    __syncthreads();
    int sum = calls * 100 + of[3];
    __syncthreads();
    return sum;
}
__device__ __noinline__ int twice(int n) { return count(0) + n * count(0); }
DEEP
extern "C" __global__ void k(unsigned long long *out) {
    unsigned long long sum = count(1);
    for (int i = 0; i < 3; ++i) sum = sum * 7 + twice(i) + DEPTH;
    out[threadIdx.x] = sum + count(0);
}
"#;

#[test]
fn shared_memory_of_a_function_is_one_in_all_calls() {
    let toolkit = toolkit().unwrap();
    for level in ["-O0", "-O3"] {
        let original = compiled(toolkit, &SHARED.replace("DEEP", "").replace("DEPTH", "0"), level);
        let mut module = original.clone();
        assert!(inline_calls(&mut module, "k").unwrap() >= 6, "{level}");
        let printed = Module::parse(&module.to_string()).unwrap();
        let kernel = printed.kernel("k").unwrap();
        assert_eq!(calls(kernel), 0, "{level}\n{module}");
        let shared = kernel.variables().filter(|(_, variable)| variable.space == ptx_parser::Space::Shared).count();
        assert_eq!(shared, 2, "{level}\n{module}");
        for &machine in Machine::ALL {
            assert_eq!(ran(&printed, machine), ran(&original, machine), "{level}, {}\n{module}", machine.name());
        }
        toolkit.assemble(&module.to_string(), "sm_90", "inlined.ptx").unwrap();
    }
    // A call that stays uses the function's memory, and so all of them have to.
    let deep = "__device__ __noinline__ int deep(int n) { return n ? deep(n - 1) * 3 + count(0) : 1; }";
    let original = compiled(toolkit, &SHARED.replace("DEEP", deep).replace("DEPTH", "deep(2)"), "-O3");
    let mut module = original.clone();
    let result = inlined(&module, module.kernel("k").unwrap()).unwrap();
    assert!(result.kept.iter().any(|call| call.why.ends_with("share, and one of them stays")), "{:?}", result.kept);
    assert!(inline_calls(&mut module, "k").unwrap() >= 1);
    for &machine in Machine::ALL {
        assert_eq!(ran(&module, machine), ran(&original, machine), "{}\n{module}", machine.name());
    }
}

/// Calls that stay, and why.
fn kept(functions: &str, body: &str) -> Vec<String> {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n{functions}\n.visible .entry k(.param .u64 out)\n{{\n\
         .reg .b64 %rd<4>;\n.reg .b32 %r<4>;\n.param .b64 p;\n.param .b64 q;\nld.param.u64 %rd1, [out];\nst.param.b64 [p], %rd1;\n{body}\nret;\n}}\n"
    );
    let module = Module::parse(&text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let result = inlined(&module, module.kernel("k").unwrap()).unwrap();
    if result.calls == 0 {
        assert_eq!(result.kernel.to_string(), module.kernel("k").unwrap().to_string());
    }
    result.kept.into_iter().map(|kept| kept.why).collect()
}

#[test]
fn what_cannot_be_replaced_stays_with_the_reason() {
    let none: [&str; 0] = [];
    let f = |body: &str| format!(".func f(.param .b64 a)\n{{\n.reg .b64 %rd<4>;\n.reg .b32 %r<4>;\n{body}\nret;\n}}");
    let call = "call f, (p);";
    assert_eq!(kept(&f("ld.param.u64 %rd1, [a];"), call), none);
    assert_eq!(kept(".extern .func f(.param .b64 a);", call), ["`f` has no body here"]);
    assert_eq!(kept(&f("call f, (a);"), call), ["`f` may call itself"]);
    let mutual = ".func g(.param .b64 a);\n".to_owned()
        + &f("call g, (a);")
        + "\n.func g(.param .b64 a)\n{\ncall f, (a);\nret;\n}";
    assert_eq!(kept(&mutual, call), ["`f` may call itself"]);
    assert_eq!(kept(&f("alloca.u64 %rd1, 16;"), call), ["`f` takes memory from the stack"]);
    let global = kept(&f(".global .b32 g;\nst.global.b32 [g], 1;"), call);
    assert_eq!(global, ["`f` has memory that all of its calls share"]);
    assert_eq!(kept(&f(".shared .b32 s;\nst.shared.b32 [s], 1;"), call), none);
    let inner = kept(&f("{\n.shared .b32 s;\nst.shared.b32 [s], 1;\n}"), call);
    assert_eq!(inner, ["`f` has memory that all of its calls share"]);
    let address = kept(&f("mov.b64 %rd1, a;\nld.param.u64 %rd2, [%rd1];"), call);
    assert_eq!(address, ["`f` takes the address of a parameter"]);
    assert_eq!(kept(&f("st.param.b64 [a], 1;"), call), ["`f` writes to its own parameter"]);
    let indirect = |address: &str| format!("P: .callprototype _ (.param .b64 _);\n{address}\ncall %rd2, (p), P;");
    let by_address = ["the function is called by its address"];
    for f in [f(""), format!(".visible {}", f(""))] {
        assert_eq!(kept(&f, &indirect("mov.u64 %rd2, f;")), none);
        assert_eq!(kept(&f, &indirect("mov.u64 %rd3, f;\nmov.b64 %rd2, %rd3;")), none);
        assert_eq!(kept(&f, &indirect("ld.global.u64 %rd2, [%rd1];")), by_address);
        assert_eq!(kept(&f, &indirect("mov.b64 %rd2, %rd2;")), by_address);
    }
    // What else an address may be depends on whether others are linked with the module.
    let two = |linkage: &str| format!(".func g(.param .b64 a)\n{{\nret;\n}}\n{linkage} {}", f(""));
    for address in ["mov.u64 %rd2, f;\nmov.u64 %rd2, g;", "mov.u64 %rd3, f;\nadd.s64 %rd2, %rd3, 0;"] {
        assert_eq!(kept(&two(""), &indirect(address)), none);
        assert_eq!(kept(&two(".visible"), &indirect(address)), by_address);
    }
    let itself = kept(&f("call f, (a);"), &indirect("mov.u64 %rd2, f;"));
    assert_eq!(itself, ["the function is called by its address: `f` may call itself"]);
    let many: String = (0..33).map(|number| f("").replace(" f(", &format!(" f{number}("))).collect();
    let all: String = (0..33).map(|number| format!("mov.u64 %rd2, f{number};\n")).collect();
    assert_eq!(
        kept(&many, &indirect(&all)),
        ["the function is called by its address, which may be that of 33 functions"]
    );
    let twice = ".func (.param .b64 r) f(.param .b64 a)\n{\nret;\n}";
    assert_eq!(kept(twice, "call (p), f, (p);"), ["`f` is given one variable twice"]);
    // One call stays, and so does what both are given.
    let both = f("") + "\n.extern .func g(.param .b64 a);";
    let found = kept(&both, "call f, (p);\ncall g, (p);");
    assert_eq!(found, ["what `f` is given is used by address, or by a call that stays", "`g` has no body here"]);
    assert_eq!(kept(&both, "call f, (p);\nst.param.b64 [q], 1;\ncall g, (q);"), ["`g` has no body here"]);
}

/// A kernel that calls one of two functions whose addresses a table has.
fn chosen() -> Module {
    let function = |name: &str, what: &str| {
        format!(
            ".func (.param .b32 r) {name}(.param .b64 a)\n{{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n\
             ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\n{what} %r2, %r1, 7;\nst.u32 [%rd1+4], %r2;\nst.param.b32 [r], %r1;\nret;\n}}\n"
        )
    };
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n{}{}.global .u64 table[2] = {{f, g}};\n\
         .visible .entry k(.param .u64 out)\n{{\n.reg .pred %p<4>;\n.reg .b64 %rd<9>;\n.reg .b32 %r<9>;\n.param .b32 got;\n.param .b64 given;\n\
         P: .callprototype (.param .b32 _) _ (.param .b64 _);\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n\
         mul.wide.u32 %rd2, %r1, 8;\nadd.s64 %rd3, %rd1, %rd2;\nand.b32 %r2, %r1, 1;\nmul.wide.u32 %rd4, %r2, 8;\nmov.u64 %rd5, table;\n\
         add.s64 %rd5, %rd5, %rd4;\nld.global.u64 %rd6, [%rd5];\nst.param.b64 [given], %rd3;\nsetp.gt.u32 %p1, %r1, 3;\n\
         @%p1 call (got), %rd6, (given), P;\nld.param.b32 %r3, [got];\n@%p1 st.global.u32 [%rd3], %r3;\nret;\n}}\n",
        function("f", "add.u32"),
        function("g", "xor.b32"),
    );
    Module::parse(&text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

#[test]
fn an_address_is_compared_with_those_of_all_functions_that_it_may_be() {
    let original = chosen();
    let result = inlined(&original, original.kernel("k").unwrap()).unwrap();
    assert_eq!((result.calls, calls(&result.kernel)), (2, 0), "{}", result.kernel);
    let mut module = original.clone();
    inline_calls(&mut module, "k").unwrap();
    let printed = Module::parse(&module.to_string()).unwrap();
    for &machine in Machine::ALL {
        assert_eq!(ran(&printed, machine), ran(&original, machine), "{}\n{module}", machine.name());
    }
    let toolkit = toolkit().unwrap();
    toolkit.assemble(&module.to_string(), "sm_90", "chosen.ptx").unwrap();
    // No other address is that of a function.
    let text = original.to_string().replace("setp.gt.u32 %p1", "add.s64 %rd6, %rd6, 1;\nsetp.gt.u32 %p1");
    let mut module = Module::parse(&text).unwrap();
    inline_calls(&mut module, "k").unwrap();
    assert_eq!(calls(module.kernel("k").unwrap()), 0);
    let program = Program::decode(&module, "k").unwrap();
    let mut memory = Memory::new();
    let out = memory.alloc_from(&[0u64; THREADS], "out");
    let report = run(&program, &mut memory, &Launch::new(1, THREADS as u32).arg(out)).unwrap();
    assert!(matches!(report.outcome, Outcome::Fault(_)), "{}", report.outcome);
}

/// The histogram of old CUDA samples, for which the lanes of a warp had to run in lockstep.
const HISTOGRAM: &str = r#"
__device__ inline void add(volatile unsigned *s, unsigned bin, unsigned tag) {
    unsigned count;
    do {
        count = s[bin] & 0x07FFFFFFu;
        count = tag | (count + 1);
        s[bin] = count;
    } while (s[bin] != count);
}
extern "C" __global__ void k(unsigned *out, const unsigned *in, unsigned n) {
    __shared__ unsigned s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) add(s, in[i] & 255, threadIdx.x << 27);
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x] & 0x07FFFFFFu;
}
extern "C" __global__ void weak(unsigned *s, unsigned bin) {
    unsigned count;
    do {
        count = (threadIdx.x << 27) | ((s[bin] & 0x07FFFFFFu) + 1);
        s[bin] = count;
        __threadfence_block();
    } while (s[bin] != count);
}
"#;

#[test]
fn lockstep_is_seen_in_what_nvcc_makes() {
    let toolkit = toolkit().unwrap();
    for level in ["-O0", "-O3"] {
        let module = compiled(toolkit, HISTOGRAM, level);
        for (name, line) in [("k", 7), ("weak", 22)] {
            let found = find(&module, module.kernel(name).unwrap());
            let lines: Vec<_> = found.lockstep.iter().map(|found| found.store.source.map(|loc| loc.line)).collect();
            assert_eq!(lines, [Some(line)], "{level} {name}");
        }
    }
}
