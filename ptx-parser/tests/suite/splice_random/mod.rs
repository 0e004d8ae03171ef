//! Splices random bodies between two compilations of random programs. Names of a taken body keep their meaning, and nothing else changes.
use crate::common;
mod program;

use std::collections::{BTreeMap, BTreeSet};

use crate::common::noise::{Random, mutate};
use crate::common::{assemble, parse};
use program::Program;
use ptx_parser::{Kernel, Module, SpliceError, StmtKind};

/// The words and other characters of a text.
fn words(text: &str) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    let mut open = false;
    for c in text.chars() {
        let word = c.is_ascii_alphanumeric() || "_$%.".contains(c);
        match list.last_mut() {
            Some(last) if word && open => last.push(c),
            _ if !c.is_whitespace() => list.push(c.to_string()),
            _ => {}
        }
        open = word;
    }
    list
}

/// Expands names to their definitions. Two modules agree on a name if the expansions are equal.
struct Meanings<'m> {
    module: &'m Module,
    labels: BTreeMap<String, String>,
    /// Names that mean the same in both compilations, whatever their definitions look like.
    kept: &'m BTreeSet<String>,
}

/// Returns the names that mean the same in every compilation: other modules see them, or they are functions whose address is taken.
fn kept(module: &Module) -> BTreeSet<String> {
    let values = module.variables().iter().filter_map(|variable| variable.init.as_ref());
    let addressed = values.flat_map(|init| &init.addresses).map(|address| address.name.to_string());
    let addressed = addressed.filter(|name| name.starts_with('f'));
    let visible = module.kernels().iter().filter(|kernel| kernel.header_tokens().starts_with(".visible"));
    let text = module.to_string();
    let variables = text.lines().filter(|line| line.starts_with(".visible .global"));
    let variables = variables.filter_map(|line| words(line).into_iter().find(|word| word.starts_with('v')));
    addressed.chain(visible.map(|kernel| kernel.name().to_owned())).chain(variables).collect()
}

impl<'m> Meanings<'m> {
    fn of(module: &'m Module, kept: &'m BTreeSet<String>) -> Meanings<'m> {
        let text = module.to_string();
        let mut labels = BTreeMap::new();
        if let Some((_, section)) = text.split_once(".debug_str") {
            for entry in section.split('$').skip(1) {
                let (label, bytes) = entry.split_once(':').unwrap();
                let end = bytes.find('}').unwrap_or(bytes.len());
                labels.insert(format!("${label}"), bytes[..end].replace(".b8", ",").replace(char::is_whitespace, ""));
            }
        }
        Meanings { module, labels, kept }
    }

    fn name(&self, name: &str) -> String {
        if self.kept.contains(name) {
            return format!("<{name}>");
        }
        if let Some(variable) = self.module.variables().iter().find(|variable| &*variable.name == name) {
            let init = variable.init.clone().unwrap_or_default();
            let addresses = init.addresses.iter().map(|a| format!("{} {} {}", a.at, a.generic, self.name(&a.name)));
            // A string is its bytes, a variable of the user is itself.
            let identity = if name.starts_with('$') { "" } else { name };
            let addresses: Vec<String> = addresses.collect();
            return format!("<{identity} {:?} {} {:?} {:?}>", variable.ty, variable.bytes(), init.bytes, addresses);
        }
        match self.module.kernel(name) {
            Some(kernel) => format!("<{}>", self.body(kernel)),
            None => name.to_owned(),
        }
    }

    /// A body in which names are replaced by what they lead to.
    fn body(&self, kernel: &Kernel) -> String {
        let mut out = String::new();
        for stmt in kernel.stmts() {
            let text = kernel.bare_text(stmt);
            if let StmtKind::Loc(position) = stmt.kind {
                let loc = kernel.loc_of(position);
                let name = text.split_once("function_name").map(|(_, rest)| words(rest)[0].clone());
                let at = loc.inlined_at.map(|(file, line, column)| (self.module.file(file), line, column));
                let name = name.map(|name| self.labels[&name].clone());
                out +=
                    &format!("{:?} {} {} {name:?} {at:?}\n", self.module.file(loc.file).unwrap(), loc.line, loc.column);
                continue;
            }
            out.extend(words(&text).iter().map(|word| self.name(word) + " "));
            out.push('\n');
        }
        out
    }
}

/// The lines in which a module first mentions its own names declare them.
fn names_are_declared_first(text: &str) {
    let module = parse(text);
    let variables = module.variables().iter().map(|variable| &*variable.name);
    for name in variables.chain(module.kernels().iter().map(|kernel| kernel.name())) {
        let mention = |line: &&str| words(line).iter().any(|word| word == name);
        let line = text.lines().filter(|line| !line.trim_start().starts_with("//")).find(mention).unwrap();
        let front = line.split('=').next().unwrap();
        let declares = [".global", ".visible", ".func"].iter().any(|word| front.starts_with(word));
        assert!(declares && mention(&front), "{name}: {line}\n{text}");
    }
}

/// Every line that is not in a taken body is in the result, in its order, and every body that is not taken byte for byte.
fn rest_is_unchanged(plain: &Module, result: &Module, taken: &[&str]) {
    let text = result.to_string();
    let mut rest = plain.to_string();
    for kernel in plain.kernels().iter().filter(|kernel| kernel.has_body()) {
        if taken.contains(&kernel.name()) {
            rest = rest.replace(&kernel.to_string(), "");
        } else {
            assert_eq!(result.kernel(kernel.name()).unwrap().to_string(), kernel.to_string());
        }
    }
    let mut lines = text.lines();
    // Where a body was, an empty line is left.
    for line in rest.lines().filter(|line| !line.is_empty()) {
        assert!(lines.any(|other| other == line), "`{line}` is gone\n{rest}\n-----\n{text}");
    }
}

#[test]
fn names_lead_to_what_they_led_to() {
    let mut seen = [0; 5];
    for seed in 1..=600u64 {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let mut program = Program::new(&mut random);
        let plain = parse(&program.compile(&mut random));
        // A variable of the user with another value cannot be the same, and must not be there twice.
        let changed = random.below(4) == 0 && program.change_a_value();
        let marked = parse(&program.compile(&mut random));
        let bodies = marked.kernels().iter().filter(|kernel| kernel.has_body()).map(Kernel::name);
        let rewritten: Vec<&str> = bodies.filter(|_| random.below(3) == 0).collect();
        let names = plain.splice_closure(&marked, &rewritten);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert!(rewritten.iter().all(|name| names.contains(name)));
        let mut result = plain.clone();
        if let Err(error) = result.splice(&marked, &names) {
            assert!(
                changed && matches!(error, SpliceError::Differs { .. }),
                "{seed}: {error}\n{plain}\n-----\n{marked}"
            );
            assert_eq!(result.to_string(), plain.to_string());
            seen[4] += 1;
            continue;
        }
        let text = result.to_string();
        assert_eq!(parse(&text).to_string(), text);
        rest_is_unchanged(&plain, &result, &names);
        names_are_declared_first(&text);
        let kept: BTreeSet<String> = kept(&plain).intersection(&kept(&marked)).cloned().collect();
        let (there, here) = (Meanings::of(&marked, &kept), Meanings::of(&result, &kept));
        for name in &names {
            // All others are in what these mention.
            if kept.contains(*name) {
                let (found, wanted) = (result.kernel(name).unwrap(), marked.kernel(name).unwrap());
                let same = here.body(found) == there.body(wanted);
                assert!(same, "{seed} {name}\n{plain}\n-----\n{marked}\n-----\n{text}");
            }
        }
        let users = result.variables().iter().filter(|variable| variable.name.starts_with('v'));
        let mut users: Vec<&str> = users.map(|variable| &*variable.name).collect();
        users.sort_unstable();
        assert!(
            users.windows(2).all(|pair| pair[0] != pair[1]) && users.iter().all(|name| !name.contains('_')),
            "{users:?}"
        );
        if seed % 20 == 0 {
            [plain.to_string(), marked.to_string(), text.clone()].iter().for_each(|text| assemble(text));
        }
        for (count, happened) in seen.iter_mut().zip([
            result.variables().len() > plain.variables().len(),
            result.kernels().iter().any(|kernel| kernel.name().contains('_')),
            names.len() > rewritten.len(),
            text.contains("$L__info_string_1")
                && text.matches(".file\t").count() > plain.to_string().matches(".file\t").count(),
        ]) {
            *count += usize::from(happened);
        }
    }
    // The cases that the test is about come up.
    assert!(seen.iter().all(|&count| count > 5), "{seen:?}");
}

/// Whatever the modules say, a refusal changes nothing, and a result is what it prints.
#[test]
fn any_pair_of_modules_is_spliced_or_refused() {
    let (mut refused, mut spliced) = (0, 0);
    let samples: Vec<String> =
        common::samples().into_iter().map(|(_, text)| text).filter(|text| text.len() < 20_000).collect();
    for seed in 1..=400u64 {
        let mut random = Random(seed.wrapping_mul(0xD134_2543_DE82_EF95) | 1);
        let program = Program::new(&mut random);
        let text = match random.below(3) {
            0 => samples[random.below(samples.len())].clone(),
            _ => program.compile(&mut random),
        };
        let other = match random.below(2) {
            0 => mutate(&text, &mut random),
            _ => mutate(&program.compile(&mut random), &mut random),
        };
        let (Ok(plain), Ok(marked)) = (Module::parse(&text), Module::parse(&other)) else { continue };
        let names: Vec<&str> = marked.kernels().iter().map(Kernel::name).filter(|_| random.below(2) == 0).collect();
        let closed = plain.splice_closure(&marked, &names);
        let closed: Vec<&str> = closed.iter().map(String::as_str).collect();
        for names in [names, closed] {
            let mut result = plain.clone();
            match result.splice(&marked, &names) {
                Ok(()) => {
                    spliced += 1;
                    assert_eq!(parse(&result.to_string()).to_string(), result.to_string());
                    result.kernels().iter().for_each(|kernel| kernel.verify().unwrap());
                }
                Err(error) => {
                    refused += 1;
                    assert!(!error.to_string().is_empty());
                    assert_eq!(result.to_string(), text);
                }
            }
        }
    }
    assert!(refused > 20 && spliced > 20, "{refused} {spliced}");
}
