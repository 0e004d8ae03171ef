//! Random sources: what is not rewritten is nvcc's byte for byte, and what is rewritten leaves the same memory as nvcc's kernel, on every machine.
use ccc::{Options, Status};
use emulator::{Launch, Machine, Memory, Outcome, Program};
use frontend::Compiled;
use ptx_parser::Module;
use rayon::prelude::*;
use tests::random_sources::{ELEMENTS, SHAPE, Wrong, source};
use tests::saved::toolkit;
use toolkit::CudaSource;

/// The number of sources that are tried, and of kernels in each.
const SOURCES: u64 = 12;
const KERNELS: usize = 10;

/// The buffers that a kernel leaves.
fn run(module: &Module, kernel: &str, machine: Machine) -> Vec<Vec<i32>> {
    let program = Program::decode(module, kernel).unwrap();
    let mut memory = Memory::new();
    let input: Vec<i32> = (0..ELEMENTS as i32).map(|i| (i * 2_654_435) >> 3 & 1023).collect();
    let input = memory.alloc_from(&input, "in");
    let out = memory.alloc_from(&vec![-1; ELEMENTS as usize], "out");
    let counters = memory.alloc_from(&[0; 16], "counters");
    let launch = Launch::new(SHAPE.0, SHAPE.1).arg(input).arg(out).arg(counters).arg(600_i32).on(machine);
    let report = emulator::run(&program, &mut memory, &launch).unwrap();
    assert_eq!(report.outcome, Outcome::Finished, "{kernel} on {}", machine.name());
    vec![memory.read(out, ELEMENTS as usize).unwrap(), memory.read(counters, 16).unwrap()]
}

fn text_of(module: &Module, kernel: &str) -> String {
    module.kernel(kernel).unwrap().to_string()
}

fn compile(text: &str) -> Compiled {
    let source = CudaSource::new(text, "random.cu");
    let (compiled, _) = frontend::compile(&source, "sm_90", &["-std=c++17".into()], toolkit().unwrap())
        .unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    compiled
}

/// Numbers of kernels: those with nothing wrong in them, those whose directives reached the PTX, those that were rewritten.
#[derive(Clone, Copy, Default)]
struct Count {
    right: u64,
    reached: u64,
    rewritten: u64,
}

impl Count {
    fn and(self, other: Count) -> Count {
        Count {
            right: self.right + other.right,
            reached: self.reached + other.reached,
            rewritten: self.rewritten + other.rewritten,
        }
    }
}

/// Compiles and rewrites the source of a seed, and runs what was rewritten.
fn tried(seed: u64) -> Count {
    let mut count = Count::default();
    let source = source(seed, KERNELS);
    let compiled = compile(&source.text);
    let rewritten = compiled.rewrite(&Options { block: Some(SHAPE.1), ..Options::default() });
    assert!(rewritten.problems.is_empty(), "seed {seed}: {:?}\n{}", rewritten.problems, source.text);
    // Each mistake is named, and no other.
    let wrong = |wrong: Wrong| source.wrong.iter().filter(|(_, other)| *other == wrong).count();
    assert_eq!(compiled.mistakes.len(), wrong(Wrong::NearMiss), "seed {seed}: {:?}", compiled.mistakes);
    let said: Vec<String> = compiled.unreached(&rewritten).iter().map(|one| one.message()).collect();
    let saying = |what: &str| said.iter().filter(|said| said.contains(what)).count();
    assert_eq!(saying("\"nobody\" is undefined"), wrong(Wrong::NoVariable), "seed {seed}: {said:?}\n{}", source.text);
    assert_eq!(
        saying("the preprocessor leaves the directive out"),
        wrong(Wrong::LeftOut),
        "seed {seed}: {said:?}\n{}",
        source.text
    );
    let alone = wrong(Wrong::Alone) + wrong(Wrong::NearMiss) + wrong(Wrong::LeftOut);
    assert_eq!(saying("nothing is marked in the loop itself"), alone, "seed {seed}: {said:?}\n{}", source.text);
    // Without the word, they are comments and pragmas that nobody knows. Names in the PTX are the same for the same text only.
    let without = source.text.replace("\n#CCC ", "\n//XXX ").replace("CCC", "XXX");
    let plain = compile(&without);
    assert!(plain.mistakes.is_empty(), "{:?}", plain.mistakes);
    for kernel in &source.kernels {
        assert_eq!(text_of(&compiled.module, kernel), text_of(&plain.module, kernel), "seed {seed}, {kernel}");
        let report = rewritten.reports.iter().find(|report| report.kernel.name == *kernel);
        count.reached += u64::from(report.is_some());
        let is_wrong = source.wrong.iter().any(|(name, _)| name == kernel);
        count.right += u64::from(!is_wrong);
        assert!(!(is_wrong && report.is_some()), "seed {seed}, {kernel}: nothing can be collected");
        if report.is_some_and(frontend::Report::is_rewritten) {
            count.rewritten += 1;
            let expected = run(&compiled.module, kernel, Machine::Stack);
            for &machine in Machine::ALL {
                let found = run(&rewritten.module, kernel, machine);
                assert_eq!(found, expected, "seed {seed}, {kernel} on {}\n{}", machine.name(), source.text);
            }
        } else {
            assert_eq!(text_of(&rewritten.module, kernel), text_of(&plain.module, kernel), "seed {seed}, {kernel}");
        }
        let statuses = report.iter().flat_map(|report| &report.kernel.regions).map(|region| &region.status);
        let local = statuses.filter(
            |status| matches!(status, Status::Refused(refusal) if refusal.to_string().contains("local memory")),
        );
        let has_local = compiled.module.kernel(kernel).unwrap().to_string().contains(".local");
        assert!(
            has_local || local.count() == 0,
            "seed {seed}, {kernel}: local memory that only the markers made\n{}",
            source.text
        );
    }
    toolkit().unwrap().assemble(&rewritten.module.to_string(), "sm_90", "rewritten").unwrap();
    count
}

#[test]
fn directives_change_nothing_but_what_is_rewritten() {
    let counts = (0..SOURCES).into_par_iter().map(tried);
    let Count { right, reached, rewritten } = counts.reduce(Count::default, Count::and);
    assert!(reached * 10 > right * 9, "directives of {reached} of {right} kernels reached the PTX");
    assert!(rewritten * 3 > right, "only {rewritten} of {right} kernels were rewritten");
}
