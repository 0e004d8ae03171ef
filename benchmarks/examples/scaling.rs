//! Times what `pxrw lint` and `pxrw ssde` do, ptxas aside, on kernels of doubling sizes: `scaling [FAMILY [LARGEST]]`, or `scaling --print FAMILY SIZE` to see a
//! kernel.
//!
//! Prints the seconds of each, the least of three runs or more, how many times longer it takes than for half the size, and the mean of that. *lint* is reading, and detection in all
//! kernels and functions; *ssde* is reading, detection, rewriting, and the certificates of the result.
#![allow(missing_docs)]

use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::Instant;

use ptx_parser::{Errors, Module};
use ssde_ptx::{Linked, SeenByCallers, certify, compared, find_among, treat_among};

/// A kind of kernel that can be made as large as one likes.
struct Family {
    name: &'static str,
    about: &'static str,
    write: fn(usize) -> String,
    /// The largest size that is timed.
    largest: usize,
}

const FAMILIES: [Family; 10] = [
    Family { name: "spins", about: "spin locks taken one after the other", write: spins, largest: 1600 },
    Family { name: "ifs", about: "branches one after the other, without a loop", write: ifs, largest: 40_000 },
    Family { name: "nested", about: "loops in one another", write: nested, largest: 10_000 },
    Family { name: "calls", about: "functions that call the next one twice", write: calls, largest: 400 },
    Family { name: "waits", about: "loops in one another, each of which waits", write: waits, largest: 4000 },
    Family { name: "whiles", about: "the same with the test ahead", write: whiles, largest: 4000 },
    Family { name: "table", about: "a branch table in a loop that waits", write: table, largest: 4000 },
    Family { name: "backs", about: "back edges to one header", write: backs, largest: 1000 },
    Family { name: "counters", about: "loops in one another, each with its counter", write: counters, largest: 1000 },
    Family { name: "lock", about: "spin loops for one lock", write: lock, largest: 400 },
];

/// How many sizes of a family are timed, each twice the one before.
const SIZES: u32 = 4;

/// The least number of runs; the shortest one counts.
const RUNS: u32 = 3;

/// The least time that the runs take together, in seconds.
const LEAST_SECONDS: f64 = 0.5;

const HEADER: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";

const BEGIN: &str = ".visible .entry k(.param .u64 words, .param .u32 count)
{
.reg .pred %p<4>;
.reg .b32 %r<8>;
.reg .b64 %rd<4>;
ld.param.u64 %rd1, [words];
cvta.to.global.u64 %rd2, %rd1;
ld.param.u32 %r1, [count];
mov.u32 %r2, %tid.x;
mov.u32 %r3, 0;
";

const RESULT: &str = "st.global.u32 [%rd2], %r3;\n";

const END: &str = "ret;\n}\n";

/// Each lock is a word of its own; `lock` has one for all.
fn spins(size: usize) -> String {
    kernel(|text| {
        for index in 0..size {
            let at = 4 * index;
            let _ = writeln!(
                text,
                "SPIN{index}:\natom.global.cas.b32 %r4, [%rd2+{at}], 0, 1;\nsetp.ne.s32 %p1, %r4, 0;\n@%p1 bra SPIN{index};\n\
                 atom.global.exch.b32 %r5, [%rd2+{at}], 0;"
            );
        }
    })
}

fn ifs(size: usize) -> String {
    kernel(|text| {
        for index in 0..size {
            let test = format!("setp.lt.u32 %p1, %r2, {index};\n@%p1 bra BEHIND{index};");
            let _ = writeln!(text, "{test}\nadd.s32 %r3, %r3, {index};\nBEHIND{index}:");
        }
        text.push_str(RESULT);
    })
}

/// All loops go round by one counter: registers of their own would be live in all loops within, so that to list them alone takes quadratic time.
fn nested(size: usize) -> String {
    kernel(|text| {
        for index in 0..size {
            let _ = writeln!(text, "mov.u32 %r4, {index};\nHEAD{index}:");
        }
        for index in (0..size).rev() {
            let _ = writeln!(text, "add.s32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r1;\n@%p1 bra HEAD{index};");
        }
        text.push_str(RESULT);
    })
}

/// The innermost read is the last before all tests.
fn waits(size: usize) -> String {
    kernel(|text| {
        for index in 0..size {
            let _ = writeln!(text, "HEAD{index}:\nld.volatile.global.u32 %r4, [%rd2+{}];", 4 * index);
        }
        for index in (0..size).rev() {
            let _ = writeln!(text, "setp.ne.s32 %p1, %r4, {index};\n@%p1 bra HEAD{index};");
        }
        text.push_str(RESULT);
    })
}

fn whiles(size: usize) -> String {
    kernel(|text| {
        for index in 0..size {
            let read = format!("ld.volatile.global.u32 %r4, [%rd2+{}];", 4 * index);
            let _ = writeln!(text, "HEAD{index}:\n{read}\nsetp.ne.s32 %p1, %r4, {index};\n@%p1 bra BEHIND{index};");
        }
        for index in (0..size).rev() {
            let _ = writeln!(text, "bra HEAD{index};\nBEHIND{index}:");
        }
        text.push_str(RESULT);
    })
}

fn table(size: usize) -> String {
    kernel(|text| {
        let targets: Vec<String> = (0..size).map(|index| format!("WAY{index}")).collect();
        let _ =
            writeln!(text, "HEAD:\nld.volatile.global.u32 %r4, [%rd2];\nWAYS: .branchtargets {};", targets.join(", "));
        text.push_str("brx.idx %r4, WAYS;\n");
        for index in 1..size {
            let _ = writeln!(text, "WAY{index}:\nst.global.u32 [%rd2+{}], {index};\nbra HEAD;", 4 * index);
        }
        text.push_str("WAY0:\n");
    })
}

/// Each branch goes round a loop of its own, of the blocks up to it: all of them together are quadratic.
fn backs(size: usize) -> String {
    kernel(|text| {
        text.push_str("HEAD:\n");
        for index in 0..size {
            let read = format!("ld.volatile.global.u32 %r4, [%rd2+{}];", 4 * index);
            let _ = writeln!(text, "{read}\nsetp.ne.s32 %p1, %r4, {index};\n@%p1 bra HEAD;");
        }
        text.push_str(RESULT);
    })
}

/// Each counter is live in all loops within its own: the lists of live registers are quadratic.
fn counters(size: usize) -> String {
    kernel(|text| {
        let _ = writeln!(text, ".reg .b32 %c<{size}>;");
        for index in 0..size {
            let read = format!("ld.volatile.global.u32 %r4, [%rd2+{}];", 4 * index);
            let _ = writeln!(text, "mov.u32 %c{index}, 0;\nHEAD{index}:\n{read}");
        }
        for index in (0..size).rev() {
            let count = format!("add.s32 %c{index}, %c{index}, 1;\nsetp.lt.s32 %p1, %c{index}, %r4;");
            let _ = writeln!(text, "{count}\n@%p1 bra HEAD{index};");
        }
        text.push_str(RESULT);
    })
}

/// Each loop may wait for the release behind every other one: what is found is quadratic.
fn lock(size: usize) -> String {
    kernel(|text| {
        for index in 0..size {
            let spin = format!("SPIN{index}:\natom.global.cas.b32 %r4, [%rd2], 0, 1;\nsetp.ne.s32 %p1, %r4, 0;");
            let _ = writeln!(text, "{spin}\n@%p1 bra SPIN{index};\natom.global.exch.b32 %r5, [%rd2], 0;");
        }
    })
}

fn calls(size: usize) -> String {
    let call =
        |callee: usize| format!("{{\n.param .b64 word;\nst.param.b64 [word], %rd1;\ncall.uni f{callee}, (word);\n}}\n");
    let mut text = HEADER.to_owned();
    // Writing to a string cannot fail.
    for index in (0..size).rev() {
        let _ = write!(
            text,
            ".func f{index}(.param .b64 word)\n{{\n.reg .b32 %r<2>;\n.reg .b64 %rd<2>;\nld.param.b64 %rd1, [word];\n"
        );
        text +=
            &if index + 1 == size { "atom.add.u32 %r1, [%rd1], 1;\n".to_owned() } else { call(index + 1).repeat(2) };
        text += "ret;\n}\n";
    }
    text + ".visible .entry k(.param .u64 words)\n{\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [words];\n"
        + &call(0)
        + "ret;\n}\n"
}

fn kernel(body: impl FnOnce(&mut String)) -> String {
    let mut text = format!("{HEADER}{BEGIN}");
    body(&mut text);
    text + END
}

/// What `pxrw lint` does with a text; how many loops it finds.
fn lint(text: &str) -> Result<usize, Errors> {
    let module = Module::parse(text)?;
    let seen = SeenByCallers::of(&module, Linked::WithOthers);
    let kernels = module.kernels().iter().filter(|kernel| kernel.has_body());
    Ok(kernels.map(|kernel| find_among(&seen, &module, kernel).findings.len()).sum())
}

/// What `pxrw ssde` does with a text before ptxas sees it; how many kernels it certifies.
fn ssde(text: &str) -> Result<usize, Errors> {
    let mut module = Module::parse(text)?;
    let original = module.clone();
    let seen = SeenByCallers::of(&module, Linked::WithOthers);
    let named: Vec<String> =
        module.kernels().iter().filter(|kernel| kernel.has_body()).map(|kernel| kernel.name().to_owned()).collect();
    for name in &named {
        treat_among(&seen, &mut module, name);
    }
    let rewritten = Module::parse(&module.to_string())?;
    let pairs = named.iter().filter_map(|name| Some((original.kernel(name)?, rewritten.kernel(name)?)));
    let certified = pairs.filter(|(before, after)| certify(&compared(&original, before, after), after).is_ok());
    Ok(certified.count())
}

/// The seconds that something takes, and what it gives.
fn seconds<T>(what: impl Fn() -> Result<T, Errors>) -> Result<(f64, T), Errors> {
    let run = || {
        let start = Instant::now();
        what().map(|result| (start.elapsed().as_secs_f64(), result))
    };
    let mut best = run()?;
    let (start, mut runs) = (Instant::now(), 1);
    // What takes some thousandths of a second is disturbed the most.
    while runs < RUNS || start.elapsed().as_secs_f64() < LEAST_SECONDS {
        let again = run()?;
        runs += 1;
        best = if again.0 < best.0 { again } else { best };
    }
    Ok(best)
}

fn time(family: &Family, largest: usize) -> Result<(), Errors> {
    println!("{}: {}", family.name, family.about);
    println!(
        "{:>8}  {:>8} {:>6}  {:>8} {:>6}  {:>6} {:>9}",
        "size", "lint s", "growth", "ssde s", "growth", "found", "certified"
    );
    let mut times: Vec<(f64, f64)> = Vec::new();
    for size in (0..SIZES).rev().map(|halved| largest >> halved).filter(|&size| size > 0) {
        let text = (family.write)(size);
        let ((one, found), (other, certified)) = (seconds(|| lint(&text))?, seconds(|| ssde(&text))?);
        let growth =
            |now: f64, before: Option<f64>| before.map_or("-".to_owned(), |before| format!("{:.2}", now / before));
        let last = times.last();
        let (first, second) = (growth(one, last.map(|last| last.0)), growth(other, last.map(|last| last.1)));
        println!("{size:>8}  {one:>8.4} {first:>6}  {other:>8.4} {second:>6}  {found:>6} {certified:>9}");
        times.push((one, other));
    }
    if let [first, .., last] = times[..] {
        let mean = |first: f64, last: f64| (last / first).powf(1.0 / (times.len() - 1) as f64);
        let (lint, ssde) = (mean(first.0, last.0), mean(first.1, last.1));
        println!("    mean  {:>8} {lint:>6.2}  {:>8} {ssde:>6.2}", "", "");
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let family = |name: &str| FAMILIES.iter().find(|family| family.name == name);
    let done = match words.as_slice() {
        [] => FAMILIES.iter().try_for_each(|family| time(family, family.largest)).map(Some),
        ["--print", name, size] => {
            Ok(family(name).zip(size.parse().ok()).map(|(family, size)| print!("{}", (family.write)(size))))
        }
        [name] => family(name).map(|family| time(family, family.largest)).transpose(),
        [name, size] => family(name).zip(size.parse().ok()).map(|(family, size)| time(family, size)).transpose(),
        _ => Ok(None),
    };
    match done {
        Ok(Some(())) => ExitCode::SUCCESS,
        Ok(None) => {
            let names: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
            eprintln!(
                "usage: scaling [FAMILY [LARGEST]] | scaling --print FAMILY SIZE; a family is one of {}",
                names.join(", ")
            );
            ExitCode::from(2)
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
