//! Launches of a kernel on every machine, with the memory that plain Rust says they must leave.
//!
//! A [`Case`] is a kernel, its launch, its arguments in their order, and for each buffer that it changes the expected contents. Floats are
//! compared bit for bit.

use std::fmt::Debug;

use ccc::{Options, Status};
use emulator::{Arg, Checks, Element, Launch, Machine, Memory, Outcome, Pointer, Program, Report, run};
use ptx_parser::{Module, Patch};

/// The expected contents of a buffer after a launch, as a check that fails with the first difference.
type Check = Box<dyn Fn(&Memory, Pointer) -> Result<(), String>>;

enum Value {
    Number(Arg),
    Buffer { name: String, bytes: Vec<u8>, check: Option<Check> },
}

/// See the module.
pub struct Case<'m> {
    module: &'m Module,
    kernel: &'m str,
    launch: Launch,
    values: Vec<Value>,
    printed: Option<Vec<String>>,
    /// Parts of the texts of what the checks of memory find.
    findings: Vec<&'static str>,
    /// Blocks wait for each other.
    dependent: bool,
}

impl<'m> Case<'m> {
    /// A launch of `blocks` blocks of `threads` threads.
    #[must_use]
    pub fn new(module: &'m Module, kernel: &'m str, blocks: u32, threads: u32) -> Case<'m> {
        Case {
            module,
            kernel,
            launch: Launch::new(blocks, threads),
            values: Vec::new(),
            printed: None,
            findings: Vec::new(),
            dependent: false,
        }
    }

    /// Blocks wait for each other, so that none can do the work of another one.
    #[must_use]
    pub fn dependent(mut self) -> Case<'m> {
        self.dependent = true;
        self
    }

    /// A grid and blocks of two dimensions.
    #[must_use]
    pub fn shape(mut self, grid: [u32; 2], block: [u32; 2]) -> Case<'m> {
        self.launch.grid = [grid[0], grid[1], 1];
        self.launch.block = [block[0], block[1], 1];
        self
    }

    /// Bytes of dynamic shared memory per block.
    #[must_use]
    pub fn shared(mut self, bytes: u32) -> Case<'m> {
        self.launch.shared_bytes = bytes;
        self
    }

    /// A number as the next argument.
    #[must_use]
    pub fn value<T: Element>(mut self, value: T) -> Case<'m> {
        self.values.push(Value::Number(Arg::value(value)));
        self
    }

    /// A buffer as the next argument, which the kernel must leave as it is.
    #[must_use]
    pub fn input<T: Element + PartialEq + Debug + 'static>(self, values: &[T]) -> Case<'m> {
        self.changes(values, values)
    }

    /// A buffer as the next argument, which begins as zeros.
    #[must_use]
    pub fn output<T: Element + PartialEq + Debug + Default + 'static>(self, expected: &[T]) -> Case<'m> {
        let zeros = vec![T::default(); expected.len()];
        self.changes(&zeros, expected)
    }

    /// A buffer as the next argument: what it holds before and after.
    #[must_use]
    pub fn changes<T: Element + PartialEq + Debug + 'static>(self, before: &[T], after: &[T]) -> Case<'m> {
        let after = after.to_vec();
        self.holds(before, move |values| {
            let differs = |index: &usize| bytes(&values[*index..=*index]) != bytes(&after[*index..=*index]);
            match (0..after.len()).find(differs) {
                Some(index) => Err(format!("element {index} is {:?} and not {:?}", values[index], after[index])),
                None => Ok(()),
            }
        })
    }

    /// A buffer as the next argument of which only some property is known in the end, because threads may come in any order.
    #[must_use]
    pub fn holds<T: Element + 'static>(
        mut self,
        before: &[T],
        check: impl Fn(&[T]) -> Result<(), String> + 'static,
    ) -> Case<'m> {
        let count = before.len();
        let check = move |memory: &Memory, pointer: Pointer| {
            check(&memory.read::<T>(pointer, count).map_err(|error| error.to_string())?)
        };
        let name = format!("argument {}", self.values.len());
        self.values.push(Value::Buffer { name, bytes: bytes(before), check: Some(Box::new(check)) });
        self
    }

    /// Returns what the kernel prints, line by line; threads may come in any order.
    #[must_use]
    pub fn prints(mut self, lines: impl IntoIterator<Item = String>) -> Case<'m> {
        let mut lines: Vec<String> = lines.into_iter().collect();
        lines.sort();
        self.printed = Some(lines);
        self
    }

    /// Returns what the checks of memory find, one part of its text for each. Without this they find nothing.
    #[must_use]
    pub fn finds(mut self, findings: &[&'static str]) -> Case<'m> {
        self.findings = findings.to_vec();
        self
    }

    /// Runs on all machines, each with memory of its own, on one of them also by two host threads, and once more with the checks of memory.
    /// Where the kernel can do the work of other blocks as well, it also runs on all machines as two blocks that do the work of all.
    ///
    /// # Panics
    /// If a launch does not end as it must.
    #[track_caller]
    pub fn run(self) {
        let repeated = if self.dependent { None } else { repeated(self.module, self.kernel) };
        let modules = [Some(("", self.module)), repeated.as_ref().map(|module| (" in a grid-stride loop", module))];
        let runs = modules.iter().flatten().flat_map(|run| Machine::ALL.iter().map(move |machine| (*run, *machine)));
        let wrong = runs.filter_map(|((how, module), machine)| {
            let what = self.on(module, machine, 1, Checks::default()).err()?;
            Some(format!("{}{how} on {}: {what}", self.kernel, machine.name()))
        });
        let shared = || {
            let what = self.on(self.module, Machine::Its, 2, Checks::default()).err()?;
            Some(format!("{} by two host threads: {what}", self.kernel))
        };
        let checked = || Some(format!("{} with checks: {}", self.kernel, self.checked().err()?));
        let wrong: Vec<String> = wrong.chain(shared()).chain(std::iter::once_with(checked).flatten()).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    /// One machine is enough: what is found hardly depends on the order of things, and the checks cost a multiple of the time.
    fn checked(&self) -> Result<(), String> {
        let findings = self
            .on(self.module, Machine::Stack, 1, Checks { races: true, uninitialised: true, undefined: true })?
            .findings;
        let races = findings.races.iter().flatten().map(ToString::to_string);
        let found: Vec<String> = races
            .chain(findings.uninitialised.iter().flatten().map(ToString::to_string))
            .chain(findings.undefined.iter().flatten().map(ToString::to_string))
            .collect();
        let same = found.len() == self.findings.len()
            && self.findings.iter().all(|expected| found.iter().any(|found| found.contains(expected)));
        if same { Ok(()) } else { Err(format!("found\n{}\nand not\n{}", found.join("\n"), self.findings.join("\n"))) }
    }

    fn on(&self, module: &Module, machine: Machine, threads: usize, checks: Checks) -> Result<Report, String> {
        let program = Program::decode(module, self.kernel).map_err(|error| error.to_string())?;
        let mut memory = Memory::new();
        let mut launch = Launch { checks, threads, ..self.launch.clone().on(machine) };
        let mut buffers = Vec::new();
        for value in &self.values {
            match value {
                Value::Number(arg) => launch.args.push(arg.clone()),
                Value::Buffer { name, bytes, check } => {
                    let pointer = memory.alloc_from(bytes, name);
                    launch.args.push(pointer.into());
                    buffers.push((name, pointer, check));
                }
            }
        }
        let report = run(&program, &mut memory, &launch).map_err(|error| error.to_string())?;
        if report.outcome != Outcome::Finished {
            return Err(format!("{}", report.outcome));
        }
        if let Some(expected) = &self.printed {
            let mut lines: Vec<&str> = report.output.lines().collect();
            lines.sort_unstable();
            if lines != *expected {
                return Err(format!("it printed\n{}\nand not\n{}", lines.join("\n"), expected.join("\n")));
            }
        }
        for (name, pointer, check) in buffers {
            if let Some(check) = check {
                check(&memory, pointer).map_err(|what| format!("{name}: {what}"))?;
            }
        }
        Ok(report)
    }
}

/// The module with a kernel of which two blocks do the work of all (`#CCC grid blocks(2)`); `None` if that is refused.
#[must_use]
pub fn repeated(module: &Module, name: &str) -> Option<Module> {
    let mut module = module.clone();
    let kernel = module.kernels_mut().iter_mut().find(|kernel| kernel.name() == name)?;
    let marker = kernel.fragment("//#CCC grid 1 blocks 2 line 1\n").ok()?;
    let mut patch = Patch::new();
    patch.insert_before(0, marker);
    kernel.apply(patch).ok()?;
    let options = Options { kernels: Some(vec![name.to_owned()]), ..Options::default() };
    let reports = ccc::rewrite_module(&mut module, &options);
    let grid = reports.iter().find_map(|report| report.grid.as_ref())?;
    if grid.status != Status::Rewritten {
        return None;
    }
    // As it is read, and not as it was made.
    Module::parse(&module.to_string()).ok()
}

fn bytes<T: Element>(values: &[T]) -> Vec<u8> {
    let mut bytes = vec![0; values.len() * T::BYTES];
    T::put_all(values, &mut bytes);
    bytes
}
