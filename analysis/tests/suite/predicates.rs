//! Predicates that are known ones, their opposites, or always the same.

use ptx_parser::Module;

use analysis::Analyses;

/// Returns how some text writes `%q`: as `%p` or its opposite (whether it is negated), and as a truth value.
fn made(text: &str) -> (Option<bool>, Option<bool>) {
    let source = format!(
        ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{{\n.reg .pred %p, %q, %t, %f;\n.reg .b32 %r;\n\
         mov.u32 %r, %tid.x;\nsetp.eq.u32 %p, %r, 0;\nmov.pred %f, 0;\nnot.pred %t, %f;\n{text}\n@%q bra END;\n@%p bra END;\n@%t bra END;\n@%f bra END;\nEND:\nret;\n}}\n"
    );
    let module = Module::parse(&source).unwrap();
    let kernel = &module.kernels()[0];
    let facts = Analyses::of(kernel);
    let insts: Vec<_> = kernel.insts().collect();
    let [_, compared, _, _, .., last, _, _, _, _, _] = insts[..] else { panic!("{text}") };
    let (predicate, value) = (facts.values.defs(compared)[0].1, facts.values.defs(last)[0].1);
    let passed = facts.values.passed_on(kernel, value).filter(|&(from, _)| from == predicate);
    (passed.map(|(_, negated)| negated), facts.values.truth(kernel, value))
}

#[test]
fn predicates_that_known_ones_are_combined_with_are_passed_on() {
    for (text, negated) in [
        ("mov.pred %q, %p;", false),
        ("not.pred %q, %p;", true),
        ("xor.pred %q, %p, 0;", false),
        ("xor.pred %q, 1, %p;", true),
        ("xor.pred %q, %p, %f;", false),
        ("xor.pred %q, %t, %p;", true),
        ("and.pred %q, %p, %t;", false),
        ("or.pred %q, %f, %p;", false),
        ("and.pred %q, %p, %p;", false),
        ("or.pred %q, %p, %p;", false),
    ] {
        assert_eq!(made(text), (Some(negated), None), "{text}");
    }
    assert_eq!(made("mov.pred %q, %t;"), (None, Some(true)));
}

#[test]
fn predicates_of_which_nothing_is_known_are_not() {
    for text in [
        "xor.pred %q, %p, %p;",
        "and.pred %q, %p, %f;",
        "or.pred %q, %p, %t;",
        "@%t mov.pred %q, %p;",
        "setp.ne.u32 %q, %r, 1;",
    ] {
        assert_eq!(made(text), (None, None), "{text}");
    }
}
