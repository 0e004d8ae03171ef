//! Tampers with a rewritten text at one place: what a checker has to notice.

use std::collections::BTreeSet;

use ptx_parser::{Flow, Inst, Kernel, Module, StmtKind};

use crate::generate::Random;

/// A text that was tampered with.
#[derive(Clone, Debug)]
pub struct Tampered {
    /// The text.
    pub text: String,
    /// The change, for people.
    pub what: String,
    /// True if it was done to an instruction that memory or the registers of the input see, and to no other: a faithful text cannot do
    /// without it, if any thread comes to it.
    pub seen: bool,
}

/// Changes one instruction of a module with one kernel; `None` if the change is none, or makes no PTX.
///
/// `added` tells the registers that the rewrite added, by what their names have in common.
#[must_use]
pub fn tamper(text: &str, added: &str, random: &mut Random) -> Option<Tampered> {
    let module = Module::parse(text).ok()?;
    let kernel = module.kernels().first()?;
    let insts: Vec<(usize, Inst)> = kernel.stmts().iter().filter_map(|stmt| placed(kernel, &stmt.kind)).collect();
    let &(line, inst) = random.pick(&insts);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut seen = is_seen(kernel, inst, added);
    let before = lines[line].trim().to_owned();
    let what = match random.below(6) {
        0 => {
            lines.remove(line);
            format!("line {}: `{before}` dropped", line + 1)
        }
        1 => {
            lines.insert(line, before.clone());
            // Nobody comes to what stands behind a branch without a condition.
            seen &= kernel.inst(inst).guard.is_some() || !kernel.properties(inst).is_terminator();
            format!("line {}: `{before}` doubled", line + 1)
        }
        2 => {
            let &(_, next) = insts.iter().find(|&&(at, _)| at == line + 1)?;
            seen &= is_seen(kernel, next, added);
            lines.swap(line, line + 1);
            format!("line {}: `{before}` swapped with `{}`", line + 1, lines[line].trim())
        }
        _ => {
            lines[line] = altered(kernel, text, &before, random)?;
            // Where a branch leads to is found out by following it.
            seen &= kernel.properties(inst).flow == Flow::Next;
            format!("line {}: `{before}` becomes `{}`", line + 1, lines[line])
        }
    };
    let changed = lines.join("\n") + "\n";
    let same = |module: &Module| module.canonical();
    let other = Module::parse(&changed).ok()?;
    (same(&other) != same(&module)).then_some(Tampered { text: changed, what, seen })
}

/// The line of an instruction, counted from 0.
fn placed(kernel: &Kernel, kind: &StmtKind) -> Option<(usize, Inst)> {
    let StmtKind::Inst(inst) = *kind else { return None };
    kernel.text_position(inst).map(|at| (at.line as usize - 1, inst))
}

/// Returns true if an instruction does more than find the way.
fn is_seen(kernel: &Kernel, inst: Inst, added: &str) -> bool {
    let mut touched = false;
    kernel.visit(inst, |reg, _| touched |= kernel.reg_name(reg).contains(added));
    let jumps = matches!(kernel.properties(inst).flow, Flow::Branch | Flow::Return | Flow::Exit);
    !(touched || jumps && kernel.inst(inst).guard.is_none())
}

/// An instruction with another guard, register, number or label.
fn altered(kernel: &Kernel, text: &str, inst: &str, random: &mut Random) -> Option<String> {
    let is_word = |c: char| c.is_alphanumeric() || "_$%.".contains(c);
    let operands =
        inst.find(' ').filter(|_| !inst.starts_with('@')).or_else(|| inst.find(' ').filter(|_| random.chance(70)));
    let Some(operands) = operands else {
        let (guard, rest) = inst.strip_prefix('@')?.split_once(' ')?;
        let negated = guard.strip_prefix('!').map_or(format!("!{guard}"), str::to_owned);
        return Some(format!("@{negated} {rest}"));
    };
    let words = |text: &str, from: usize| -> Vec<(usize, usize)> {
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (at, c) in text.char_indices().filter(|&(at, c)| at > from && is_word(c)) {
            match found.last_mut() {
                Some((_, end)) if *end == at => *end = at + c.len_utf8(),
                _ => found.push((at, at + c.len_utf8())),
            }
        }
        found
    };
    let list = words(inst, operands);
    if list.is_empty() {
        return None;
    }
    let &(start, end) = random.pick(&list);
    let word = &inst[start..end];
    let replaced = if let Ok(number) = word.parse::<i64>() {
        (number + [1, -1, 2][random.below(3) as usize]).to_string()
    } else if word.starts_with('%') {
        let kind = |word: &str| word.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
        let others: BTreeSet<&str> = words(text, 0).into_iter().map(|(start, end)| &text[start..end]).collect();
        let others: Vec<&str> =
            others.into_iter().filter(|other| *other != word && kind(other) == kind(word)).collect();
        (!others.is_empty()).then(|| (*random.pick(&others)).to_owned())?
    } else {
        let labels: Vec<&str> = kernel.labels().map(|label| kernel.label_name(label)).collect();
        let known = labels.contains(&word);
        let others: Vec<&str> = labels.into_iter().filter(|&other| other != word).collect();
        (known && !others.is_empty()).then(|| (*random.pick(&others)).to_owned())?
    };
    Some(format!("{}{replaced}{}", &inst[..start], &inst[end..]))
}
