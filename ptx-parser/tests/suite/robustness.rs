//! Nothing panics, whatever the text: mutations of the samples, token soup, texts that are cut off.
//!
//! The mutations are seeded, so that every run does the same ones.
use crate::common::noise::{Random, TOKENS, mutate};
use crate::common::properties::{self, canonical};
use crate::common::{contents, kernel, parse, samples};
use ptx_parser::{Module, Patch, Type};

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
            accepted += usize::from(properties::parse(&mutant));
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
            canonical(&mutant);
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
        properties::parse(&soup);
        properties::parse(&format!("{head}{soup}{tail}"));
        properties::parse(&format!(".version 9.0\n.target sm_90\n.global .b32 {soup}"));
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
                properties::parse(&text[..end]);
            }
        }
    }
}
