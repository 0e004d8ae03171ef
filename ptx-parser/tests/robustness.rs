//! Nothing panics, whatever the text: mutations of the samples, token soup, texts that are cut off.
//!
//! The mutations are seeded, so that every run does the same ones.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod common;

use common::noise::{Random, TOKENS, survives};
use common::{contents, kernel, parse, samples};
use ptx_parser::{Module, Patch, Type};

/// Deletes, doubles, swaps or inserts a piece of a text, or cuts it off.
fn mutate(text: &str, random: &mut Random) -> String {
    let place = |random: &mut Random| {
        let mut at = random.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at += 1;
        }
        at
    };
    let word_end = |at: usize| {
        let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.');
        let rest = &text[at..];
        let end = rest.find(|c| !word(c)).unwrap_or(rest.len());
        at + end.max(rest.chars().next().map_or(0, char::len_utf8))
    };
    let at = place(random);
    let end = match random.below(2) {
        0 => text[at..].chars().next().map_or(at, |c| at + c.len_utf8()),
        _ => word_end(at),
    };
    match random.below(6) {
        0 => format!("{}{}", &text[..at], &text[end..]),
        1 => format!("{}{}", &text[..end], &text[at..]),
        2 => {
            let other = place(random).max(end);
            let other_end = word_end(other);
            format!(
                "{}{}{}{}{}",
                &text[..at],
                &text[other..other_end],
                &text[end..other],
                &text[at..end],
                &text[other_end..]
            )
        }
        3 => format!("{}{}{}", &text[..at], random.pick(TOKENS), &text[at..]),
        4 => format!("{}{}{}", &text[..at], random.pick(TOKENS), &text[end..]),
        _ => text[..at].to_owned(),
    }
}

#[test]
fn mutations_of_every_sample() {
    let mut random = Random(0x5EED);
    let (mut accepted, mut all) = (0, 0);
    for (_, text) in samples() {
        // The debugger's sections are long and all alike; mutations belong in front of them.
        let text = text.split("\t.section\t.debug_abbrev").next().unwrap();
        for _ in 0..3000 {
            let mut mutant = mutate(text, &mut random);
            while random.below(3) == 0 {
                mutant = mutate(&mutant, &mut random);
            }
            accepted += usize::from(survives(&mutant));
            all += 1;
        }
    }
    // Both happen, so both are tested.
    assert!(accepted > all / 20 && accepted < all * 19 / 20, "{accepted} of {all} were accepted");
}

/// What is accepted can be edited, and prints as it is then.
#[test]
fn accepted_mutants_can_be_edited() {
    let mut random = Random(0xED17);
    let mut edited = 0;
    for (name, text) in samples() {
        for _ in 0..100 {
            let mutant = mutate(&text, &mut random);
            let Ok(mut module) = Module::parse(&mutant) else { continue };
            for kernel in module.kernels_mut() {
                let reg = kernel.new_reg("r", Type::B32);
                let text = format!("mov.u32 {}, 0;", kernel.reg_name(reg));
                let stmts = kernel.fragment(&text).unwrap();
                if !kernel.has_body() {
                    continue;
                }
                let mut patch = Patch::new();
                patch.insert_before(random.below(kernel.stmts().len() + 1), stmts);
                kernel.apply(patch).unwrap();
            }
            let printed = module.to_string();
            let again = Module::parse(&printed).unwrap_or_else(|error| panic!("{name}: {error}\n{printed}"));
            assert_eq!(contents(&again), contents(&module), "{name}");
            edited += 1;
        }
    }
    assert!(edited > 100, "{edited}");
}

#[test]
fn token_soup() {
    let mut random = Random(0x50FA);
    let start = kernel("¡");
    let (head, tail) = start.split_once('¡').unwrap();
    for _ in 0..20_000 {
        let mut soup = String::new();
        for _ in 0..random.below(40) {
            soup.push_str(random.pick(TOKENS));
            if random.below(2) == 0 {
                soup.push(' ');
            }
        }
        survives(&soup);
        survives(&format!("{head}{soup}{tail}"));
        survives(&format!(".version 9.0\n.target sm_90\n.global .b32 {soup}"));
        if let Ok(mut module) = Module::parse(start.replace('¡', "").as_str()) {
            let kernel = &mut module.kernels_mut()[0];
            if let Ok(stmts) = kernel.fragment(&soup) {
                let mut patch = Patch::new();
                patch.insert_before(usize::MAX, stmts);
                kernel.apply(patch).unwrap();
                let printed = module.to_string();
                assert_eq!(contents(&parse(&printed)), contents(&module), "{soup}\n{printed}");
            }
        }
    }
}

#[test]
fn every_way_to_cut_a_text_off() {
    for (name, text) in samples() {
        if name == "handwritten.ptx" || name == "indirect.ptx" {
            for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
                survives(&text[..end]);
            }
        }
    }
}
