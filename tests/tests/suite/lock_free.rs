//! Lock-free structures as they are written, and loops that only look like them: in which of them something is found, at all levels of optimisation.
//!
//! Each kernel of the sources in `lock_free/` says in a comment before it what is expected: `// nothing: push`, `// found: spin_lock` for what is found
//! with and without assumptions, `// assumed: walk` for what is found only where nothing is assumed, or `// still found: split_list` for what is found although it waits for nobody.
use std::collections::BTreeMap;
use std::path::Path;

use ptx_parser::Module;
use rayon::prelude::*;
use ssde_ptx::{Done, Linked, SeenByCallers, Treated, find, find_among, treat};
use tests::saved::{Build, root, toolkit};
use toolkit::CudaSource;

/// The folder of which no PTX is saved: its test is not in every run.
const RARE: &str = "lock_free/goals";

/// What is expected of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expected {
    Nothing,
    Found,
    Assumed,
    StillFound,
}

impl Expected {
    const WORDS: [(&str, Expected); 4] = [
        ("nothing", Expected::Nothing),
        ("found", Expected::Found),
        ("assumed", Expected::Assumed),
        ("still found", Expected::StillFound),
    ];

    /// Whether it is what was found, with assumptions and without.
    fn is(self, loops: usize, strictly: usize) -> bool {
        match self {
            Expected::Nothing => loops == 0,
            Expected::Found | Expected::StillFound => loops > 0 && strictly >= loops,
            Expected::Assumed => loops == 0 && strictly > 0,
        }
    }
}

/// What is expected of each kernel of a source.
fn expected(text: &str) -> BTreeMap<String, Expected> {
    let kernels = text.lines().filter_map(|line| {
        let (word, name) = line.strip_prefix("// ")?.split_once(": ")?;
        let (_, expected) = Expected::WORDS.into_iter().find(|&(known, _)| known == word)?;
        Some((name.trim().to_owned(), expected))
    });
    kernels.collect()
}

fn tried(arch: &str, level: &str) {
    let tried = Tried::all("lock_free", arch, level);
    assert!(tried.expected.len() > 30, "{} kernels", tried.expected.len());
    assert!(tried.wrong.is_empty(), "{arch} {level}: {:#?}", tried.wrong);
}

/// The kernels in the sources of a folder.
#[derive(Default)]
struct Tried {
    expected: Vec<Expected>,
    /// Those of which something else is said than is expected.
    wrong: Vec<String>,
    /// In how many something is found.
    found: usize,
}

impl Tried {
    fn all(folder: &str, arch: &str, level: &str) -> Tried {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "cu"));
        files.sort();
        let all = files.par_iter().map(|file| Tried::one(file, arch, level));
        all.reduce(Tried::default, Tried::and)
    }

    fn one(file: &Path, arch: &str, level: &str) -> Tried {
        let mut tried = Tried::default();
        let text = std::fs::read_to_string(file).unwrap();
        let build = Build::new(file, arch, &[level]).without_lines();
        let module = if file.starts_with(root().join(RARE)) { build.compiled_now() } else { build.module() };
        let module = module.unwrap_or_else(|error| panic!("{error:#}"));
        let [seen, strictly] =
            [false, true].map(|strict| SeenByCallers::of(&module, Linked::WithOthers).strictly(strict));
        for (name, expected) in expected(&text) {
            let kernel = module.kernel(&name).unwrap_or_else(|| panic!("no kernel `{name}`"));
            let found = |seen: &SeenByCallers| find_among(seen, &module, kernel).findings.len();
            let loops = found(&seen);
            tried.expected.push(expected);
            tried.found += usize::from(loops > 0);
            // Where nothing is to be found, it does not matter what assumptions take away.
            let strictly = if expected == Expected::Nothing { None } else { Some(found(&strictly)) };
            if !expected.is(loops, strictly.unwrap_or(0)) {
                let strictly = strictly.map_or_else(String::new, |strictly| format!(", {strictly} strictly"));
                tried.wrong.push(format!("{name}: {loops} loops found{strictly}, expected {expected:?}"));
            }
        }
        tried
    }

    fn and(mut self, other: Tried) -> Tried {
        self.expected.extend(other.expected);
        self.wrong.extend(other.wrong);
        self.found += other.found;
        self
    }
}

/// Of structures from the literature, written by people who had not seen this program, a part is found that waits for nobody.
#[test]
fn of_structures_from_the_literature_a_part_is_found() {
    let Tried { expected, wrong, .. } = Tried::all("lock_free/literature", "sm_90", "-O3");
    assert!(wrong.is_empty(), "{wrong:#?}");
    let count = |is: Expected| expected.iter().filter(|&&expected| expected == is).count();
    let (still, of) = (count(Expected::StillFound), expected.len() - count(Expected::Found));
    assert!(of > 130 && still * 10 <= of, "{still} of {of}");
}

/// The same of others, one in each file.
#[test]
fn of_more_structures_a_part_is_found() {
    let Tried { expected, wrong, .. } = Tried::all("lock_free/structures", "sm_90", "-O3");
    assert!(wrong.is_empty(), "{wrong:#?}");
    let still = expected.iter().filter(|&&expected| expected == Expected::StillFound).count();
    assert!(expected.len() > 90 && still * 10 <= expected.len(), "{still} of {}", expected.len());
}

/// The same of a later sample, by somebody who had the README alone. Of what nvcc makes of them for a debugger, more is found.
#[test]
fn of_structures_of_a_later_sample_a_part_is_found() {
    let Tried { expected, wrong, found } = Tried::all("lock_free/strangers", "sm_90", "-O3");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(expected.len() == 56 && found <= 1, "{found} of {}", expected.len());
    let Tried { expected, wrong, found } = Tried::all("lock_free/strangers", "sm_90", "-G");
    assert!(found <= 5, "{found} of {}: {wrong:#?}", expected.len());
}

/// The same of the last sample, of larger structures.
#[test]
fn of_the_last_sample_a_part_is_found() {
    let Tried { expected, wrong, found } = Tried::all("lock_free/samples", "sm_90", "-O3");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(expected.len() == 50 && found <= 8, "{found} of {}", expected.len());
}

/// Waits that look like lock-free loops, written by somebody who tried to have them missed: they hang on a reconvergence stack, and end where lanes go on by themselves. Those that are
/// assumed to end walk over links that come to no end, as is told.
#[test]
fn waits_that_look_lock_free_are_found() {
    let Tried { expected, wrong, found } = Tried::all("lock_free/disguised", "sm_90", "-O3");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(expected.len() == 270 && found >= 260, "{found} of {}", expected.len());
    let Tried { expected, wrong, found } = Tried::all("lock_free/disguised", "sm_90", "-G");
    assert!(found >= 260, "{found} of {}: {wrong:#?}", expected.len());
}

/// The same of others, who aimed at what a loop could be thought to move on by. Of those that are assumed to end, most walk over links that come to no end, or read plainly what others write; one takes
/// a store to be elsewhere that is not, one puts back on a list what it has taken.
#[test]
fn waits_that_seem_to_move_on_are_found() {
    let Tried { expected, wrong, found } = Tried::all("lock_free/aimed", "sm_90", "-O3");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(expected.len() == 515 && found >= 479, "{found} of {}", expected.len());
    let Tried { expected, wrong, found } = Tried::all("lock_free/aimed", "sm_90", "-G");
    assert!(found >= 474, "{found} of {}: {wrong:#?}", expected.len());
}

/// Of a lock and a push on a stack behind it, the lock is found; both go on ending when it is rewritten.
#[test]
fn a_lock_beside_a_lock_free_loop_is_rewritten() {
    let toolkit = toolkit().unwrap();
    let text = "struct Node { int value; Node *next; };\n\
        __device__ Node *head; __device__ int lock, sum;\n\
        extern \"C\" __global__ void k(Node *pool, int *out, int n) {\n\
        for (int i = 0; i < n; i++) {\nNode *mine = &pool[n * threadIdx.x + i], *old = *(Node *volatile *)&head, *seen;\n\
        do {\nseen = old; mine->next = seen; __threadfence();\n\
        old = (Node *)atomicCAS((unsigned long long *)&head, (unsigned long long)seen, (unsigned long long)mine);\n\
        } while (old != seen);\n\
        Node *top = *(Node *volatile *)&head;\nwhile (top) {\n\
        seen = (Node *)atomicCAS((unsigned long long *)&head, (unsigned long long)top, (unsigned long long)top->next);\n\
        if (seen == top) break;\ntop = seen;\n}\nout[threadIdx.x] = top ? top->value : -1;\n\
        while (atomicCAS(&lock, 0, 1) != 0) {}\n__threadfence(); sum += 1; __threadfence(); atomicExch(&lock, 0);\n}\n}\n";
    for level in ["-O3", "-G"] {
        let compiled = toolkit.compile_to_ptx(&CudaSource::new(text, "k.cu"), "sm_90", &[level.into()]).unwrap();
        let mut module = Module::parse(&compiled.ptx).unwrap();
        let Treated { found, done } = treat(&mut module, "k").unwrap();
        let (loops, assumed) = (found.findings.len(), found.assumptions.len());
        assert!(matches!(done, Done::Rewritten { .. }), "{level}: {done:?}");
        assert!(level == "-G" || (loops, assumed) == (1, 2), "{loops} found, {assumed} assumed");
        assert!(find(&module, module.kernel("k").unwrap()).findings.is_empty(), "{level}");
    }
}

#[test]
#[ignore = "takes some minutes where nothing is optimised"]
fn more_structures() {
    for (arch, level) in [("sm_75", "-O3"), ("sm_90", "-O3"), ("sm_100", "-O3")] {
        let Tried { expected, wrong, .. } = Tried::all(RARE, arch, level);
        assert!(expected.len() > 100 && wrong.is_empty(), "{arch}: {wrong:#?}");
    }
}

/// Walks that begin behind a pointer in memory, and waits that look like them. For a debugger, two of the walks are found.
#[test]
fn walks_that_begin_behind_a_pointer() {
    for arch in ["sm_75", "sm_90", "sm_100"] {
        let Tried { expected, wrong, .. } = Tried::all("lock_free/walks", arch, "-O3");
        assert!(expected.len() == 6 && wrong.is_empty(), "{arch}: {wrong:#?}");
    }
}

#[test]
fn optimised_for_volta_and_later() {
    tried("sm_75", "-O3");
}

#[test]
fn optimised_for_hopper() {
    tried("sm_90", "-O3");
}

#[test]
fn optimised_for_blackwell() {
    tried("sm_100", "-O3");
}

#[test]
fn unoptimised() {
    ["sm_75", "sm_90", "sm_100"].into_iter().for_each(|arch| tried(arch, "-G"));
}
