//! The canonical layout: what it looks like, that it says the same, and that it is its own canonical form.
use crate::common;
use crate::common::noise::Random;
use crate::common::{kernel, parse, samples};
use ptx_parser::Patch;

/// What must hold of the canonical form of any text.
fn check(name: &str, text: &str) -> String {
    let canonical = common::properties::canonical(text).unwrap_or_else(|| panic!("{name} is refused"));
    assert!(canonical.ends_with('\n') && !canonical.contains("\n\n\n") && !canonical.contains("\r\n"), "{name}");
    canonical
}

#[test]
fn samples_have_a_canonical_form() {
    for (name, text) in samples() {
        let canonical = check(&name, &text);
        assert_eq!(check(&name, &text.replace('\n', "\r\n")), canonical, "{name}: line breaks make no difference");
    }
}

/// Blanks and line breaks between tokens make no difference, except for the empty lines and comments that are kept.
#[test]
fn layout_makes_no_difference() {
    let mut random = Random(0xF0_4A7);
    for (name, text) in samples() {
        // Without comments and strings, in which blanks mean something, and without debug sections, which are long.
        if text.contains("//#") || text.contains("/*") || text.contains(".section") || text.contains('"') {
            continue;
        }
        let bare: String =
            text.lines().map(|line| line.split("//").next().unwrap().trim_end().to_owned() + "\n").collect();
        let bare = bare.split('\n').filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
        let canonical = check(&name, &bare);
        let mut other = String::new();
        for part in bare.split_inclusive([',', ';', '{', '(']) {
            other.push_str(part);
            // A line break behind a statement could make an empty line, which is kept.
            let blank = if part.ends_with([',', '(']) { "\n" } else { "\t" };
            other.push_str(["", " ", blank][random.below(3)]);
        }
        let same = check(&name, &other) == canonical;
        assert!(same, "{name}:\n{other}\n-----\n{canonical}");
    }
}

#[test]
fn everything_has_one_layout() {
    let text = "// a module\r\n.version   9.0\n.target sm_90 ,  debug .address_size 64// bits\n\n\n\n\
                .global.align 4 .b8 table [ 4 ]={0x1,0b10 , 03,-0x4};.global .f32 pi = 3.25;\n\
                .visible.func(.param .b32 r)f ( .param .b32 a,.param .align 8 .b8 b[ 16 ] ) .noreturn{ret ;}\n\
                .entry k ( .param .u64 a // the array\n, .param .u32 n ) .maxntid 32,4 .minnctapersm 2\n\
                { // body\n.reg .b32 %r<9>;.reg.pred %p ; .loc 1  7 2\n/* before */L:@!%p   add.s32 %r1,%r2,0x10;// behind\n\n\n\
                mov.b64 {%r1,%r2},-1; { .reg .f32 %f;mov .f32 %f , 0f3f800000; ld.global.u32 %r1,[ a + -8 ]; }\n\
                // end\n} // k";
    let expected = "// a module
.version 9.0
.target sm_90, debug
.address_size 64 // bits

.global .align 4 .b8 table[4] = {1, 2, 3, -4};
.global .f32 pi = 0d400A000000000000;
.visible .func (.param .b32 r) f(
\t.param .b32 a,
\t.param .align 8 .b8 b[16]
)
.noreturn
{
\tret;
}
.entry k(
\t.param .u64 a, // the array
\t.param .u32 n
)
.maxntid 32, 4
.minnctapersm 2
{ // body
\t.reg .b32 %r<9>;
\t.reg .pred %p;
\t.loc 1 7 2
\t/* before */
L:
\t@!%p add.s32 %r1, %r2, 16; // behind

\tmov.b64 {%r1, %r2}, -1;
\t{
\t\t.reg .f32 %f;
\t\tmov.f32 %f, 0f3F800000;
\t\tld.global.u32 %r1, [a+-8];
\t}
\t// end
} // k
";
    assert_eq!(check("one layout", text), expected);
}

#[test]
fn debug_entries_stand_alone() {
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n.section .debug_str { $L__a: .b8 99,98, 0x0 // three\n.b64 $L__a+4 }\n";
    let expected = ".section .debug_str\n{\n\t$L__a:\n\t.b8 99, 98, 0 // three\n\t.b64 $L__a+4\n}\n";
    assert!(check("a section", text).ends_with(expected), "{}", check("a section", text));
    let places = ".section .a { .b32 .debug_abbrev .b32 .debug_str+8 .b64 f.x.y+4 .b64 f .b8 1 .b64 f.x-f.b8 2 }";
    let expected = ".section .a\n{\n\t.b32 .debug_abbrev\n\t.b32 .debug_str+8\n\t.b64 f.x.y+4\n\t.b64 f\n\t.b8 1\n\t.b64 f.x-f\n\t.b8 2\n}\n";
    assert_eq!(check("places", places), expected);
}

#[test]
fn comments_of_several_lines_stand_alone() {
    let text = kernel("mov.u32 /* one\ntwo */ %r1, 1; /* three */ // four\nret; /* five\nsix */ /* seven */ // eight");
    let expected = "\tmov.u32 %r1, 1;\n\t/* one\ntwo */\n\t/* three */ // four\n\tret;\n\t/* five\nsix */\n\t/* seven */ // eight\n}\n";
    let canonical = check("comments", &text);
    assert!(canonical.ends_with(expected), "{canonical}");
}

/// Comments of several lines in sections, and debug lines of old compilers, which nobody reads.
#[test]
fn what_is_not_laid_out_stays() {
    let rest = ".section .b { .b8 1 /*\n*/ }\n@@DWARF .2byte  0x1 , ]\n";
    let canonical = check("a section", &format!(".version 9.0\n{rest}"));
    assert!(canonical.ends_with(rest), "{canonical}");
}

/// What headers and variables have beside names is laid out as tokens.
#[test]
fn attributes_and_directives_have_one_layout() {
    let text = ".version 9.0\n.global.attribute ( .managed ,.unified( 0x10,2U) ).b32 a;\n\
                .func.attribute(.unified\n(1 , 2))f().abi_preserve 010 .later 1,2;\n";
    let expected = ".version 9.0\n.global .attribute(.managed, .unified(16, 2U)) .b32 a;\n\
                    .func .attribute(.unified(1, 2)) f()\n.abi_preserve 8\n.later 1, 2;\n";
    assert_eq!(check("attributes", text), expected);
}

#[test]
fn markers_among_operands_are_comments() {
    let canonical = check("markers", &kernel("//#one\nmov.u32 %r1, //#two\n1; .reg .b32 x //#three\n; //#four\nret;"));
    let expected = "\t//#one\n\tmov.u32 %r1, 1; // #two\n\t.reg .b32 x; // #three\n\t//#four\n\tret;\n}\n";
    assert!(canonical.ends_with(expected), "{canonical}");
}

/// One pass leaves none of the carriage returns that stand in front of a line feed.
#[test]
fn carriage_returns_go() {
    let text = ".version 9.0\r\n/* a\r\r\r\nb\rc */\r\n.section .b {\r\n/* d\r\r\n*/ }\r\n";
    assert_eq!(check("returns", text), ".version 9.0\n/* a\nb\rc */\n.section .b {\n/* d\n*/ }\n");
}

/// PTX has six blanks; what Unicode takes for one is part of a comment.
#[test]
fn comments_end_with_any_character() {
    let canonical = check("a comment", ".version 9.0\n// one\u{a0}\u{2028} \t\n");
    assert!(canonical.ends_with("// one\u{a0}\u{2028}\n"), "{canonical}");
}

/// Old compilers wrote prototypes without a semicolon.
#[test]
fn comments_behind_prototypes_are_written_once() {
    let text = ".version 1.4\n.func (.reg .u32 %r) f (.reg .u32 %a) // one\n.func g;\n";
    let canonical = check("prototypes", text);
    assert_eq!(canonical.matches("// one").count(), 1, "{canonical}");
}

#[test]
fn a_byte_order_mark_goes() {
    for text in ["\u{feff}\n.version 9.0\n", "\u{feff} /* a */ .entry k() { }\n"] {
        let bare = text.trim_start_matches(['\u{feff}', '\n', ' ']);
        assert_eq!(check("a mark", text), check("no mark", bare));
    }
    assert!(ptx_parser::Module::parse("\n\u{feff}.version 9.0\n").is_err(), "it stands at the beginning only");
}

#[test]
fn long_lists_are_wrapped() {
    let values: Vec<String> = (0..100).map(|value| value.to_string()).collect();
    let text = format!(".version 9.0\n.target sm_90\n.global .b8 a[100] = {{{}}};\n", values.join(","));
    let canonical = check("a list", &text);
    assert!(canonical.lines().all(|line| line.len() <= 100) && canonical.lines().count() > 4, "{canonical}");
}

/// What edits made has a place as well.
#[test]
fn edited_modules_have_a_canonical_form() {
    let mut module = parse(&kernel("mov.u32 %r1, %tid.x; // the lane\nret;"));
    let kernel = &mut module.kernels_mut()[0];
    kernel.new_reg("extra", ptx_parser::Type::B32);
    kernel.new_shared("buffer", 16, 64);
    kernel.add_directive("maxntid", &[64]).unwrap();
    let stmts = kernel.fragment("AGAIN:\n//#note\n{ .reg .b32 %x; mov.u32 %x, %extra; } bra AGAIN;").unwrap();
    let mut patch = Patch::new();
    patch.insert_before(kernel.stmts().len() - 1, stmts);
    kernel.apply(patch).unwrap();
    let canonical = module.canonical();
    assert_eq!(canonical, check("edited", &module.to_string()));
    assert!(canonical.contains("\n\nAGAIN:\n\t//#note\n\t{\n\t\t.reg .b32 %x;\n"), "{canonical}");
}
