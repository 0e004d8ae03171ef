//! The arguments of `pxrw run` against the kernel's signature, structures by value, and memory that is short.

use crate::program::{Folder, Ran, pxrw};

/// A `.npy` file of one dimension. `descr` is NumPy's name of the type, with its quotes.
pub(crate) fn npy(descr: &str, count: usize, values: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': ({count},), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
    bytes.extend(text.bytes());
    bytes.extend(values);
    bytes
}

pub(crate) fn run(input: &str, arguments: &[&str]) -> Ran {
    let arguments = arguments.iter().flat_map(|argument| ["--arg", argument]);
    pxrw(["run", input, "--grid", "1", "--block", "32"].into_iter().chain(arguments))
}

pub(crate) fn module(kernel: &str) -> String {
    format!(".version 9.0\n.target sm_90\n.address_size 64\n{kernel}")
}

/// A kernel that doubles words of a type. Its name is mangled or not.
pub(crate) fn doubles(name: &str, ty: &str) -> String {
    let (reg, add) = if ty == "f32" { ("f32 %v", "add.f32") } else { ("b32 %v", "add.u32") };
    module(&format!(
        ".visible .entry {name}(.param .u64 a) {{\n.reg .b64 %rd<5>; .reg .b32 %r<2>; .reg .{reg};\n\
         ld.param.u64 %rd1, [a]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, %tid.x;\n\
         mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3;\n\
         ld.global.{ty} %v, [%rd4]; {add} %v, %v, %v; st.global.{ty} [%rd4], %v; ret; }}\n"
    ))
}

#[test]
fn elements_that_contradict_the_signature_are_refused_with_the_cast() {
    let folder = Folder::new();
    let mangled = folder.file("mangled.ptx", doubles("_Z6doublePj", "u32"));
    let x = folder.file("x.npy", npy("'<i8'", 32, &[0; 256]));
    run(&mangled, &[&x]).ends_with(2).says(&[
        "parameter 1 of `double(unsigned int*)` points to `unsigned int`",
        "values of type s64 of 8 bytes instead of 4",
        "array.astype(numpy.uint32)",
        &format!("`b64[32]={x}`"),
    ]);
    run(&mangled, &["i64[32]=iota"]).ends_with(2).says(&["write `u32[32]=iota`", "`b64[32]=…`"]);
    run(&mangled, &["f32[32]=1"]).ends_with(2).says(&["points to `unsigned int`", "write `u32[32]=1`"]);
    for fits in ["i32[32]=iota", "u32[32]=iota", "b64[16]=0", &format!("b64[32]={x}")] {
        let ran = run(&mangled, &[fits]).ends_with(0);
        assert_eq!(ran.stderr, "", "{fits}");
    }
    for (name, fits) in [("_Z6doublePv", "f64[32]=0"), ("_Z6doublePc", "f64[32]=0"), ("_Z6doubleP1S", "i64[32]=0")] {
        let input = folder.file("raw.ptx", doubles(name, "u32"));
        assert_eq!(run(&input, &[fits]).ends_with(0).stderr, "", "{name}");
    }
}

#[test]
fn loads_and_stores_speak_where_there_is_no_signature() {
    let folder = Folder::new();
    let floats = folder.file("floats.ptx", doubles("floats", "f32"));
    run(&floats, &["i32[32]=1"]).ends_with(2).says(&["only as f32", "write `f32[32]=1`"]);
    run(&floats, &["f32[32]=1"]).ends_with(0);
    run(&floats, &["b32[32]=1"]).ends_with(0);
    let words = folder.file("words.ptx", doubles("words", "u32"));
    let warned = run(&words, &["i64[32]=1"]).ends_with(0);
    warned.says(&[
        "warning",
        "only in words of 4 bytes",
        "of 8 bytes instead of 4",
        "concluded from the loads and stores",
    ]);
    for silent in ["f32[32]=1", "i32[32]=1", "b64[32]=1"] {
        assert_eq!(run(&words, &[silent]).ends_with(0).stderr, "", "{silent}");
    }
}

#[test]
fn a_declaration_in_the_source_has_the_types_of_a_kernel_without_mangling() {
    let folder = Folder::new();
    let source = "extern \"C\" __global__ void k(const double *x, unsigned *y) { y[threadIdx.x] = x[threadIdx.x]; }\n";
    let input = folder.file("k.cu", source);
    run(&input, &["f64[32]=iota", "i64[32]=0"]).ends_with(2).says(&[
        "argument 2",
        "points to `unsigned`",
        "`u32[32]=0`",
    ]);
    run(&input, &["f64[32]=iota", "u32[32]=0"]).ends_with(0);
}

/// Stores what it finds in its parameter: an int, a double, and through a pointer an array of shorts.
const STRUCTURE: &str = ".visible .entry s(.param .align 8 .b8 p[32], .param .u64 out) {\n\
    .reg .b64 %rd<5>; .reg .b32 %r<3>; .reg .b16 %h; .reg .f64 %d;\n\
    ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [p]; ld.param.f64 %d, [p+8]; ld.param.u64 %rd2, [p+16];\n\
    ld.param.u16 %h, [p+26]; st.global.u16 [%rd2], %h; cvt.rzi.u32.f64 %r2, %d;\n\
    st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r2; ret; }\n";

fn words(folder: &Folder, name: &str) -> Vec<u32> {
    let bytes = std::fs::read(folder.path(name)).unwrap();
    bytes[bytes.len() - 8..].chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

#[test]
fn a_structure_is_given_field_by_field_or_as_its_bytes() {
    let folder = Folder::new();
    let input = folder.file("s.ptx", module(STRUCTURE));
    let (out, inner) = (folder.argument("out.npy"), folder.argument("inner.npy"));
    let out = format!("u32[2]=0>{out}");
    run(&input, &[&format!("{{i32:-7, f64:2.5, u16[4]=9>{inner}, {{u8:1, u16:5}}}}"), &out]).ends_with(0);
    assert_eq!(words(&folder, "out.npy"), [7_u32.wrapping_neg(), 2]);
    let written = std::fs::read(folder.path("inner.npy")).unwrap();
    assert_eq!(written[written.len() - 8..], [5, 0, 9, 0, 9, 0, 9, 0]);

    // The pointer is out of bounds, so that what is stored before is seen in the address of the fault.
    let mut bytes = [0_u8; 32];
    bytes[16..24].copy_from_slice(&0x1230_u64.to_le_bytes());
    let by_value = folder.file("s.bin", bytes);
    run(&input, &[&by_value, &out]).ends_with(1).says(&["out-of-bounds access of 2 bytes at 0x1230"]);
    let fields =
        "[('a', '<i4'), ('', '|V4'), ('b', '<f8'), ('c', '<u8'), ('d', '|u1'), ('', '|V1'), ('e', '<u2'), ('', '|V4')]";
    let record = folder.file("s.npy", npy(fields, 1, &bytes));
    run(&input, &[&record, &out]).ends_with(1).says(&["out-of-bounds access of 2 bytes at 0x1230"]);
}

#[test]
fn a_structure_that_does_not_fit_says_where_its_fields_lie() {
    let folder = Folder::new();
    let input = folder.file("s.ptx", module(STRUCTURE));
    let refused = |argument: &str, texts: &[&str]| {
        run(&input, &[argument, "u32[2]=0"]).ends_with(2).says(&[&["argument 1"], texts].concat());
    };
    refused("{i32:1, f64:2}", &["of 32 bytes (`p`), but the fields take 16", "`i32:1` at byte 0, `f64:2` at byte 8"]);
    refused("{i32:1, f64:2, u16[1]=0, {u8:1, f32:x}}", &["field 4.2 (`f32:x`): `x` is not a number"]);
    refused("{i32:1, x.bin}", &["field 2 (`x.bin`): a field is no file of bytes"]);
    refused("{i32:1", &["the `}` of the structure is missing"]);
    refused("i64:1", &["of 32 bytes (`p`)", "give its fields, such as `{i32:7"]);
    let short = folder.file("short.bin", [0; 31]);
    refused(&short, &["of 32 bytes (`p`), but", "holds 31", "its padding too"]);
    let numbers = folder.file("numbers.npy", npy("'<i4'", 3, &[0; 12]));
    refused(&numbers, &["of 32 bytes (`p`), but", "holds 12"]);
    refused(&format!("{}>out.npy", folder.file("s.bin", [0; 32])), &["a structure cannot be written to a file"]);
    let narrow = folder.file("narrow.ptx", module(".visible .entry k(.param .align 4 .b8 p[8]) { ret; }\n"));
    run(&narrow, &["{f64:1}"]).ends_with(2).says(&["at a multiple of 4, but a field has to lie at a multiple of 8"]);
    run(&narrow, &["{i32:1, u8:1}"]).ends_with(0);
}

#[test]
fn variables_that_no_memory_is_left_for_are_named() {
    let folder = Folder::new();
    // More than this machine has free, but no more than a variable may have.
    let names: Vec<String> = (0..4096).map(|index| format!("huge{index}")).collect();
    let declared: String = names.iter().map(|name| format!(".global .b8 {name}[4294967295];\n")).collect();
    let used: String = names.iter().map(|name| format!("mov.u64 %rd1, {name};\n")).collect();
    let kernel = format!("{declared}.visible .entry k() {{ .reg .b64 %rd<2>;\n{used}ret; }}\n");
    let input = folder.file("huge.ptx", module(&kernel));
    run(&input, &[])
        .ends_with(2)
        .says(&["the module variables of the kernel take 17592186040320 bytes", "of memory are left"]);
}
