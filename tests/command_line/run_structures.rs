//! Structures of the size of a pointer or a number, fields that are too few, and types that have other names.

use crate::program::{Folder, Ran};
use crate::run_arguments::{doubles, module, npy, run};

/// A kernel that stores the eight bytes of its first parameter.
fn stores(name: &str, align: u32) -> String {
    module(&format!(
        ".visible .entry {name}(.param .align {align} .b8 p[8], .param .u64 out) {{\n\
         .reg .b64 %rd<3>; .reg .b32 %r<3>;\n\
         ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [p]; ld.param.u32 %r2, [p+4];\n\
         st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r2; ret; }}\n"
    ))
}

fn floats(values: [f32; 2]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn stored(folder: &Folder, input: &str, argument: &str) -> (Ran, Vec<u8>) {
    let out = format!("f32[2]=0>{}", folder.argument("out.npy"));
    let ran = run(input, &[argument, &out]).ends_with(0);
    let bytes = std::fs::read(folder.path("out.npy")).unwrap();
    (ran, bytes[bytes.len() - 8..].to_vec())
}

#[test]
fn a_structure_of_eight_bytes_gets_no_address() {
    let folder = Folder::new();
    let two = folder.file("two.npy", npy("'<f4'", 2, &floats([1.0, 2.0])));
    for (name, align) in [("_Z2tw3TwoPf", 4), ("_Z2tw3TwoPf", 8), ("plain", 4)] {
        let input = folder.file("tw.ptx", stores(name, align));
        for given in [two.as_str(), "{f32:1, f32:2}"] {
            assert_eq!(stored(&folder, &input, given).1, floats([1.0, 2.0]), "{name} {align} {given}");
        }
        run(&input, &["f32[2]=1", "f32[2]=0"]).ends_with(2).says(&[
            "is a structure or array of 8 bytes",
            "but a buffer is an address",
            "give its fields, such as `{i32:7",
            "`FILE.npy`",
        ]);
    }
    let mangled = folder.file("tw.ptx", stores("_Z2tw3TwoPf", 8));
    run(&mangled, &["f64:1", "f32[2]=0"]).ends_with(2).says(&["(`p`), `Two`, but f64 is one number"]);
    assert_eq!(stored(&folder, &mangled, "b64:0x400000003f800000").1, floats([1.0, 2.0]));
    let vector = folder.file("v.ptx", stores("_Z1v6float2Pf", 8));
    run(&vector, &["f64:1", "f32[2]=0"]).ends_with(2).says(&["`float2`, but f64 is one number"]);
    let (ran, bytes) = stored(&folder, &vector, "{f32:1, f32:2}");
    assert_eq!((ran.stderr.as_str(), bytes), ("", floats([1.0, 2.0])));
}

#[test]
fn a_guess_about_eight_bytes_is_said() {
    let folder = Folder::new();
    let input = folder.file("tw.ptx", stores("plain", 8));
    let two = folder.file("two.npy", npy("'<f4'", 2, &floats([1.0, 2.0])));
    for given in [two.as_str(), "f32[2]=1"] {
        let (ran, bytes) = stored(&folder, &input, given);
        assert_ne!(bytes, floats([1.0, 2.0]));
        ran.says(&["warning", "whose type is not known: it gets the address of the buffer", "`FILE.npy`"]);
    }
    stored(&folder, &input, "f64:1").0.says(&["warning", "it is taken as one f64"]);
    assert_eq!(stored(&folder, &input, "b64:1").0.stderr, "");
}

#[test]
fn a_small_structure_is_no_number() {
    let folder = Folder::new();
    let input = folder.file("s3.ptx", module(".visible .entry _Z2s32S3(.param .align 1 .b8 p[3]) { ret; }\n"));
    let ran = run(&input, &["i8:1"]).ends_with(2).says(&["`S3`, but s8 is one number", "give its fields"]);
    assert!(!ran.stderr.contains("b24"), "{}", ran.stderr);
    run(&input, &["{i8:1, i8:2, i8:3}"]).ends_with(0);
}

#[test]
fn fields_that_are_left_out_are_not_padded_away() {
    let folder = Folder::new();
    let sized = |align: u32, bytes: u32| {
        module(&format!(".visible .entry k(.param .align {align} .b8 p[{bytes}]) {{ ret; }}\n"))
    };
    let wide = folder.file("wide.ptx", sized(8, 16));
    run(&wide, &["{i32:7, i8:1, i8:2, i8:3, f32:2.5}"]).ends_with(2).says(&[
        "of 16 bytes (`p`), but the fields take 12, and it lies at a multiple of 8, but the fields only need a multiple of 4",
    ]);
    run(&wide, &["{i32:7, i8:1, i8:2, i8:3, f64:2.5}"]).ends_with(0);
    let one = folder.file("one.ptx", sized(8, 8));
    run(&one, &["{f32:1}"]).ends_with(2).says(&["but the fields take 4"]);
    let aligned = run(&one, &["{f32:1, f32:2}"]).ends_with(0);
    aligned.says(&["warning", "at a multiple of 8, but the fields only need a multiple of 4", "`alignas`"]);
    let bytes = folder.file("one.bin", [0; 8]);
    assert_eq!(run(&one, &[&bytes]).ends_with(0).stderr, "");
}

#[test]
fn a_number_that_gets_an_address_is_said() {
    let folder = Folder::new();
    let input = folder.file("n.ptx", module(".visible .entry _Z1nx(.param .u64 n) { ret; }\n"));
    run(&input, &["f32[2]=1"]).ends_with(0).says(&["warning", "is `long long`, and gets the address of a buffer"]);
}

#[test]
fn other_names_of_a_type_are_followed() {
    let folder = Folder::new();
    let header = "typedef float hidden;\n";
    folder.file("hidden.h", header);
    let source = "#include <cstdint>\n#include \"hidden.h\"\nusing idx_t = std::int64_t;\ntypedef long long *pll;\n\
        struct Cfg { using T = double; };\n\
        extern \"C\" __global__ void k(const idx_t *a, pll b, const Cfg::T *c, hidden *d) { d[0] = a[0] + b[0] + c[0]; }\n";
    let input = folder.file("k.cu", source);
    let given = ["i64[1]=1", "i64[1]=2", "f64[1]=3", "f32[1]=0"];
    let wrong = [
        ("i32[1]=1", "points to `idx_t`, but"),
        ("i32[1]=1", "points to `long long`, but"),
        ("f32[1]=1", "points to `Cfg::T`, but"),
        ("f64[1]=1", "only as f32, but"),
    ];
    for (index, (argument, text)) in wrong.into_iter().enumerate() {
        let mut arguments = given;
        arguments[index] = argument;
        run(&input, &arguments).ends_with(2).says(&[&format!("argument {}", index + 1), text]);
    }
    assert_eq!(run(&input, &given).ends_with(0).stderr, "");
}

#[test]
fn one_file_by_two_spellings_is_one_file() {
    let folder = Folder::new();
    let two = doubles("k", "u32").replace("(.param .u64 a)", "(.param .u64 a, .param .u64 b)");
    let input = folder.file("k.ptx", two);
    let path = folder.argument("o.npy");
    let other = path.replace("/o.npy", "/./o.npy");
    let arguments = [format!("u32[32]=0>{path}"), format!("u32[32]=0>{other}")];
    let same = "an argument before it is written to";
    run(&input, &[&arguments[0], &arguments[1]]).ends_with(2).says(&[same]);
    std::os::unix::fs::symlink(folder.path("."), folder.path("link")).unwrap();
    let linked = format!("u32[32]=0>{}", folder.argument("link/o.npy"));
    run(&input, &[&arguments[0], &linked]).ends_with(2).says(&[same]);
    assert_eq!(folder.names(), ["k.ptx", "link"]);
}

#[test]
fn a_float_that_is_loaded_from_another_field_is_said() {
    let folder = Folder::new();
    let kernel = ".visible .entry k(.param .align 8 .b8 p[24]) {\n.reg .f64 %d; .reg .f32 %f<3>;\n\
        ld.param.f64 %d, [p+8]; ld.param.v2.f32 {%f1, %f2}, [p+16]; ret; }\n";
    let input = folder.file("k.ptx", module(kernel));
    for right in ["{i32:1, f64:2, f32:3, f32:4}", "{u8:1, b64:2, {b32:3, f32:4}}"] {
        assert_eq!(run(&input, &[right]).ends_with(0).stderr, "", "{right}");
    }
    for (wrong, byte) in
        [("{f64:2, i64:1, f32:3, f32:4}", 8), ("{i32:1, f64:2, f32:3, i32:4}", 20), ("{i64:1, f64:2, i64:3}", 16)]
    {
        run(&input, &[wrong])
            .ends_with(0)
            .says(&["warning", &format!("from byte {byte} of parameter 1 of `k`, where no such field")]);
    }
    let record = |name: &str, fields: &str| folder.file(name, npy(fields, 1, &[0; 24]));
    let right = record("right.npy", "[('n', '<i4'), ('', '|V4'), ('d', '<f8'), ('v', '<f4', (2,))]");
    let raw = folder.file("raw.npy", npy("'|u1'", 24, &[0; 24]));
    for right in [right, raw] {
        assert_eq!(run(&input, &[&right]).ends_with(0).stderr, "", "{right}");
    }
    let swapped = record("swapped.npy", "[('d', '<f8'), ('n', '<i4'), ('', '|V4'), ('v', '<f4', (2,))]");
    run(&input, &[&swapped]).ends_with(0).says(&[
        "warning",
        "from byte 8 of parameter 1",
        "must lie as those of the structure",
    ]);
}
