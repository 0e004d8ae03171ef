//! Headers that NumPy writes, and those that it does not.

use super::*;

/// A file with the given header text and values.
fn file(text: &str, values: &[u8]) -> tempfile::NamedTempFile {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(values);
    raw(&bytes)
}

fn raw(bytes: &[u8]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    file
}

fn dictionary(descr: &str, order: &str, shape: &str) -> String {
    format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n")
}

fn values(npy: &Npy) -> Vec<u8> {
    let mut bytes = Vec::new();
    npy.read(|at, piece| {
        assert_eq!(at, bytes.len() as u64);
        bytes.extend(piece);
        Ok(())
    })
    .unwrap();
    bytes
}

#[test]
fn arrays_in_c_order_are_read_one_value_behind_the_other() {
    let file = file(&dictionary("<i2", "False", "(2, 3)"), &[1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0]);
    let npy = Npy::open(file.path(), None).unwrap();
    assert_eq!((npy.ty, npy.count), (Type::S16, 6));
    assert_eq!(values(&npy), [1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0]);
}

#[test]
fn bytes_are_put_in_the_order_of_the_device() {
    let file = file(&dictionary(">u4", "False", "(2,)"), &[0, 0, 0, 1, 0, 0, 2, 0]);
    assert_eq!(values(&Npy::open(file.path(), None).unwrap()), [1, 0, 0, 0, 0, 2, 0, 0]);
}

#[test]
fn what_is_written_is_read_again() {
    let types = [
        Type::U8,
        Type::S16,
        Type::U32,
        Type::S64,
        Type::F16,
        Type::F32,
        Type::F64,
        Type::Bf16,
        Type::B32,
        Type::F16x2,
    ];
    for ty in types {
        let mut bytes = header(ty, 3).unwrap();
        let data: Vec<u8> = (0..3 * ty.bytes() as u8).collect();
        bytes.extend(&data);
        let file = raw(&bytes);
        let npy = Npy::open(file.path(), Some(ty)).unwrap();
        assert_eq!((npy.ty, npy.count), (ty, 3));
        assert_eq!(values(&npy), data);
    }
}

#[test]
fn a_large_file_is_read_in_pieces() {
    let count = 300_000_u64;
    let mut bytes = header(Type::F64, count).unwrap();
    let data: Vec<u8> = (0..count * 8).map(|index| (index % 251) as u8).collect();
    bytes.extend(&data);
    let file = raw(&bytes);
    assert_eq!(values(&Npy::open(file.path(), None).unwrap()), data);
}

#[test]
fn a_file_has_the_type_that_the_argument_says() {
    let file = file(&dictionary("<i4", "False", "(1,)"), &[0; 4]);
    assert_eq!(Npy::open(file.path(), Some(Type::S32)).unwrap().ty, Type::S32);
    assert_eq!(Npy::open(file.path(), Some(Type::B32)).unwrap().ty, Type::B32);
    for (ty, word) in [(Type::U32, "u32"), (Type::F32, "f32"), (Type::S64, "s64"), (Type::B64, "b64")] {
        let problem = Npy::open(file.path(), Some(ty)).unwrap_err();
        assert!(problem.what.ends_with(&format!("holds values of type s32, and not {word}")), "{}", problem.what);
        assert!(problem.help.ends_with("if the kernel takes values of type s32, write `s32[…]`"), "{}", problem.help);
    }
}

#[test]
fn files_that_cannot_be_used_are_refused() {
    let cases = [
        (dictionary("<f4", "True", "(2, 2)"), "holds an array in Fortran order"),
        (dictionary("<f4", "False", "(0,)"), "holds no values"),
        (dictionary("<f4", "False", "(5,)"), "ends before the 5 values that its header announces"),
        (
            dictionary("<f4", "False", "(2305843009213693952,)"),
            "ends before the 2305843009213693952 values that its header announces",
        ),
        (dictionary("<c8", "False", "(1,)"), "holds values of NumPy's type '<c8', which no PTX type is"),
        (dictionary("|S4", "False", "(1,)"), "holds values of NumPy's type '|S4', which no PTX type is"),
        ("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,), }".into(), "which no PTX type is"),
        (
            dictionary("<f4", "False", "(4294967296, 4294967296, 0)"),
            "is not in the `.npy` format, or its header is damaged",
        ),
        (
            dictionary("<f4", "False", "(99999999999999999999,)"),
            "is not in the `.npy` format, or its header is damaged",
        ),
        (dictionary("<f4", "False", "(-1,)"), "is not in the `.npy` format, or its header is damaged"),
        (dictionary("\\N{x}", "False", "(1,)"), "describes values in a way that is not supported"),
        (
            "{'descr': [(('title', 'a'), '<i4')], 'fortran_order': False, 'shape': (1,), }".into(),
            "describes values in a way that is not supported",
        ),
        (dictionary("<f4", "False", &"(".repeat(60_000)), "is not in the `.npy` format, or its header is damaged"),
        ("{'descr': '<f4', 'fortran_order': False}".into(), "is not in the `.npy` format, or its header is damaged"),
        (String::new(), "is not in the `.npy` format, or its header is damaged"),
    ];
    for (text, expected) in cases {
        let problem = Npy::open(file(&text, &[0; 16]).path(), None).unwrap_err();
        assert!(problem.what.ends_with(expected), "{}: {text:.80}", problem.what);
    }
}

#[test]
fn what_is_no_such_file_is_refused() {
    let noise: Vec<u8> = (0..2000_u32).map(|index| (index * index % 255) as u8).collect();
    let mut huge = b"\x93NUMPY\x02\x00".to_vec();
    huge.extend([0xff; 4]);
    for bytes in [
        &b""[..],
        b"x",
        b"\x93NUMPY\x01\x00",
        b"\x93NUMPY\x01\x00\xff\xff",
        b"\x93NUMPY\x02\x00\x01",
        b"\x93NUMPY\x09\x00\x00\x00",
        &noise,
        &huge,
    ] {
        let problem = Npy::open(raw(bytes).path(), None).unwrap_err();
        assert!(problem.what.ends_with("is not in the `.npy` format, or its header is damaged"), "{}", problem.what);
    }
    assert!(Npy::open(Path::new("no/such.npy"), None).unwrap_err().what.starts_with("cannot read `no/such.npy`: "));
    assert!(Npy::open(&std::env::temp_dir(), None).unwrap_err().what.ends_with("is not a file"));
}

/// The header of a structure of an int, three bytes in a structure, and a double, as `align=True` lays them out.
const NESTED: &str = "[('a', '<i4'), ('s', [('a', '|i1'), ('b', '|i1', (2,))]), ('', '|V1'), ('z', '<f8')]";

fn record(descr: &str, values: &[u8]) -> tempfile::NamedTempFile {
    file(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (1,), }}\n"), values)
}

#[test]
fn structures_in_structures_are_read_as_their_bytes() {
    let bytes: Vec<u8> = (0..16).collect();
    let wrong = |given| Problem::new(format!("{given}"), "");
    let deep = "[('a', ".repeat(8) + "'<f8'" + &")]".repeat(8);
    let quoted = "[('a \\'q, (\", \\\\', '<i4'), (\"it's > that\", '<i4'), ('\u{fc}', '<f8')]";
    for descr in [NESTED, quoted] {
        let file = record(descr, &bytes);
        assert_eq!(by_value(file.path(), 16, false, wrong).unwrap().unwrap().bytes, bytes, "{descr}");
    }
    let deep = by_value(record(&deep, &bytes[..8]).path(), 8, false, wrong).unwrap().unwrap();
    assert_eq!((deep.bytes.as_slice(), deep.numbers), (&bytes[..8], vec![(0, Type::F64)]));
    let numbers = by_value(record(NESTED, &bytes).path(), 16, false, wrong).unwrap().unwrap().numbers;
    assert_eq!(numbers, [(0, Type::S32), (4, Type::S8), (5, Type::S8), (6, Type::S8), (8, Type::F64)]);
    for raw in ["'|V16'", "[('a', '|V8'), ('b', '<f8')]"] {
        assert!(by_value(record(raw, &bytes).path(), 16, false, wrong).unwrap().unwrap().numbers.is_empty(), "{raw}");
    }
    let reversed = record(&NESTED.replace("<f8", ">f8"), &bytes);
    assert!(
        by_value(reversed.path(), 16, false, wrong).unwrap_err().what.ends_with("the most significant bytes first")
    );
}

#[test]
fn eight_bytes_are_a_structure_unless_an_address_may_be_meant() {
    let bytes = [1, 2, 3, 4, 5, 6, 7, 8];
    let array = file(&dictionary("<f4", "False", "(2,)"), &bytes);
    let wrong = |given| Problem::new(format!("{given}"), "");
    assert_eq!(by_value(array.path(), 8, true, wrong).unwrap(), None);
    // NumPy's structures are never arrays to point to.
    let structure = record("[('x', '<f4'), ('y', '<f4')]", &bytes);
    for (file, may_be_address) in [(&array, false), (&structure, true), (&structure, false)] {
        let read = by_value(file.path(), 8, may_be_address, wrong).unwrap().unwrap();
        assert_eq!((read.bytes.as_slice(), read.numbers), (&bytes[..], vec![(0, Type::F32), (4, Type::F32)]));
    }
}

#[test]
fn values_of_no_size_are_not_counted() {
    let wrong = |given| Problem::new(format!("{given}"), "");
    for (descr, shape) in [("'|V0'", u64::MAX / 2), ("[('a', '|V0', (9000000000000000000,)), ('b', '<f8')]", 1)] {
        let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': ({shape},), }}\n");
        let read = by_value(file(&text, &[0; 8]).path(), 8, false, wrong).unwrap().unwrap();
        assert_eq!(read.numbers, []);
    }
}

#[test]
fn bits_take_any_values_whose_bytes_fit() {
    let bytes: Vec<u8> = (0..16).collect();
    for (file, ty, count) in [
        (record(NESTED, &bytes), Type::B8, 16),
        (record(NESTED, &bytes), Type::B64, 2),
        (file(&dictionary("<c8", "False", "(2,)"), &bytes), Type::B32, 4),
        (file(&dictionary("<f4", "False", "(4,)"), &bytes), Type::B64, 2),
    ] {
        let npy = Npy::open(file.path(), Some(ty)).unwrap();
        assert_eq!((npy.ty, npy.count, values(&npy)), (ty, count, bytes.clone()));
    }
    let three = file(&dictionary("|S3", "False", "(1,)"), &bytes[..3]);
    assert!(Npy::open(three.path(), Some(Type::B16)).unwrap_err().what.contains("which no PTX type is"));
    let reversed = file(&dictionary(">f4", "False", "(4,)"), &bytes);
    assert!(Npy::open(reversed.path(), Some(Type::B8)).is_err());
    assert_eq!(values(&Npy::open(reversed.path(), Some(Type::B32)).unwrap())[..4], [3, 2, 1, 0]);
}

#[test]
fn the_advice_keeps_the_values() {
    for (descr, help) in [
        ("'<c8'", "array.view('f4')"),
        ("'<c16'", "array.view('f8')"),
        ("[('a', '<i4')]", "array.view('u1')"),
        ("'|S4'", "array.view('u1')"),
        ("'<M8[s]'", "array.view('i8')"),
        ("'<f16'", "array.astype('f8')"),
    ] {
        let problem = Npy::open(record(descr, &[0; 32]).path(), None).unwrap_err();
        assert!(problem.help.contains(help), "{descr}: {}", problem.help);
    }
    let wide = file(&dictionary("<i8", "False", "(1,)"), &[0; 8]);
    let problem = Npy::open(wide.path(), Some(Type::F32)).unwrap_err();
    assert!(
        problem.help.starts_with("cast the array before it is saved, `array.astype(numpy.float32)`"),
        "{problem:?}"
    );
}
