//! NumPy's `.npy` files: whose values a buffer gets, and what a buffer is written to.
//!
//! The header is read when the arguments are, the values when the buffer is filled, a piece at a time. A file may hold an array of any
//! number of dimensions in C order; the kernel sees its values one behind the other. What is written has one dimension.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use npyz::{DType, Endianness, NpyHeader, Order, TypeChar, TypeStr, WriterBuilder};
use ptx_parser::Type;

use super::Problem;

/// A file whose header was read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Npy {
    pub(super) path: PathBuf,
    /// The type that its values are taken as.
    pub(super) ty: Type,
    pub(super) count: u64,
    /// Where the values begin.
    offset: u64,
    swapped: bool,
}

/// NumPy's own headers have about a hundred characters; the structure of records takes a few more.
const LONGEST_HEADER: usize = 1 << 16;

impl Npy {
    /// Reads the header. The file must hold values of the type, if one is given.
    pub(super) fn open(path: &Path, wanted: Option<Type>) -> Result<Npy, Problem> {
        let Head { header, offset, file_bytes } = Head::read(path)?;
        let (ty, swapped) = element_type(path, &header.dtype(), wanted)?;
        let npy = Npy { path: path.to_owned(), ty, count: header.len(), offset, swapped };
        npy.check_size(file_bytes)?;
        Ok(npy)
    }

    fn check_size(&self, file_bytes: u64) -> Result<(), Problem> {
        let name = self.path.display();
        if self.count == 0 {
            return Err(Problem::new(format!("`{name}` holds no values"), "a buffer has at least one element"));
        }
        let expected =
            self.count.checked_mul(u64::from(self.ty.bytes())).and_then(|bytes| bytes.checked_add(self.offset));
        if expected.is_none_or(|expected| expected > file_bytes) {
            let what = format!("`{name}` ends before the {} values that its header announces", self.count);
            return Err(Problem::new(what, "the file is cut off; write it again"));
        }
        Ok(())
    }

    /// Hands all values to `sink`, a piece at a time, as the device has them: least significant byte first.
    pub(super) fn read(&self, mut sink: impl FnMut(u64, &[u8]) -> Result<(), Problem>) -> Result<(), Problem> {
        const PIECE: u64 = 1 << 20;
        let size = self.ty.bytes() as usize;
        let total = self.count.saturating_mul(size as u64);
        let failed = |error| cannot_read(&self.path, &error);
        let mut file = File::open(&self.path).map_err(failed)?;
        file.seek(SeekFrom::Start(self.offset)).map_err(failed)?;
        let mut piece = vec![0; PIECE.min(total) as usize];
        let mut done = 0;
        while done < total {
            // A piece and the whole are both multiples of the element's size.
            let piece = &mut piece[..PIECE.min(total - done) as usize];
            file.read_exact(piece).map_err(failed)?;
            if self.swapped {
                piece.chunks_exact_mut(size).for_each(<[u8]>::reverse);
            }
            sink(done, piece)?;
            done += piece.len() as u64;
        }
        Ok(())
    }
}

/// The part of a file before its values.
struct Head {
    header: NpyHeader,
    /// Where the values begin.
    offset: u64,
    file_bytes: u64,
}

impl Head {
    fn read(path: &Path) -> Result<Head, Problem> {
        let name = path.display();
        let metadata = std::fs::metadata(path).map_err(|error| cannot_read(path, &error))?;
        if !metadata.is_file() {
            return Err(Problem::new(format!("`{name}` is not a file"), "name a `.npy` file"));
        }
        let bytes = File::open(path).and_then(header_bytes).map_err(|error| cannot_read(path, &error))?;
        let header =
            bytes.as_deref().filter(|bytes| is_harmless(bytes)).and_then(|bytes| NpyHeader::from_reader(bytes).ok());
        let (Some(header), Some(bytes)) = (header, bytes) else {
            let help = "NumPy writes such a file with `numpy.save`";
            return Err(Problem::new(format!("`{name}` is not in the `.npy` format, or its header is damaged"), help));
        };
        if header.order() == Order::Fortran && header.shape().len() > 1 {
            let help = "save it with `numpy.save(name, numpy.ascontiguousarray(array))`";
            return Err(Problem::new(format!("`{name}` holds an array in Fortran order"), help));
        }
        Ok(Head { header, offset: bytes.len() as u64, file_bytes: metadata.len() })
    }
}

/// The bytes of all values of a file, for a parameter of so many bytes; `None` for an array of numbers where the parameter could be
/// its address. `wrong` makes the message about a file of another size.
pub(super) fn by_value(path: &Path, bytes: u64, wrong: impl Fn(u64) -> Problem) -> Result<Option<Vec<u8>>, Problem> {
    let Head { header, offset, file_bytes } = Head::read(path)?;
    let dtype = header.dtype();
    if bytes == 8 && matches!(dtype, DType::Plain(_)) {
        return Ok(None);
    }
    if dtype.descr().contains('>') {
        let help = "convert it first: `array.astype(array.dtype.newbyteorder('<'))`";
        return Err(Problem::new(format!("`{}` has the most significant bytes first", path.display()), help));
    }
    let given = file_bytes - offset;
    if given != bytes {
        return Err(wrong(given));
    }
    let mut values = Vec::new();
    let mut file = File::open(path).map_err(|error| cannot_read(path, &error))?;
    let read = file.seek(SeekFrom::Start(offset)).and_then(|_| file.take(bytes).read_to_end(&mut values));
    read.map_err(|error| cannot_read(path, &error))?;
    // The file may have become shorter.
    if values.len() as u64 == bytes { Ok(Some(values)) } else { Err(wrong(values.len() as u64)) }
}

fn cannot_read(path: &Path, error: &std::io::Error) -> Problem {
    Problem::new(format!("cannot read `{}`: {error}", path.display()), "name a `.npy` file that can be read")
}

/// The bytes of the file up to its values, if it begins as such a file does.
fn header_bytes(mut file: File) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    // Magic, version, and the length of the text in two bytes or, from version 2 on, in four.
    file.by_ref().take(10).read_to_end(&mut bytes)?;
    let length = match *bytes.as_slice() {
        [0x93, b'N', b'U', b'M', b'P', b'Y', 1, _, low, high] => usize::from(u16::from_le_bytes([low, high])),
        [0x93, b'N', b'U', b'M', b'P', b'Y', 2 | 3, _, low, high] => {
            let mut upper = [0; 2];
            if file.read_exact(&mut upper).is_err() {
                return Ok(None);
            }
            bytes.extend(upper);
            u32::from_le_bytes([low, high, upper[0], upper[1]]) as usize
        }
        _ => return Ok(None),
    };
    if length > LONGEST_HEADER {
        return Ok(None);
    }
    let end = bytes.len() + length;
    file.take(length as u64).read_to_end(&mut bytes)?;
    Ok((bytes.len() == end).then_some(bytes))
}

/// Whether the header's text can be given to the reader, which is written for headers of NumPy's making: it descends into brackets
/// without a limit, and multiplies the dimensions without looking for an overflow.
fn is_harmless(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes.get(10..).unwrap_or_default());
    let (mut depth, mut quoted, mut product, mut number) = (0_i32, None, 1_u64, None::<u64>);
    for c in text.chars().chain([' ']) {
        match (quoted, c) {
            (_, '\\') => return false,
            (Some(quote), c) if quote == c => quoted = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quoted = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, _) => {}
        }
        if depth > 4 {
            return false;
        }
        match (quoted.is_none().then(|| c.to_digit(10)).flatten(), number) {
            (Some(digit), _) => {
                let next = number.unwrap_or(0).checked_mul(10).and_then(|n| n.checked_add(u64::from(digit)));
                let Some(next) = next else { return false };
                number = Some(next);
            }
            (None, Some(dimension)) => {
                // Zeros are left out: the reader multiplies the other dimensions by themselves, too.
                let Some(next) = product.checked_mul(dimension.max(1)) else { return false };
                (product, number) = (next, None);
            }
            (None, None) => {}
        }
    }
    true
}

/// The type that the file's values are taken as, and whether their bytes are in the other order.
fn element_type(path: &Path, dtype: &DType, wanted: Option<Type>) -> Result<(Type, bool), Problem> {
    let name = path.display();
    let unusable = || {
        let help = "convert it first: `numpy.save(name, array.astype('f4'))`, or any of i1 to i8, u1 to u8, f2, f4, f8";
        Problem::new(format!("`{name}` holds values of NumPy's type {}, which no PTX type is", dtype.descr()), help)
    };
    let DType::Plain(scalar) = dtype else { return Err(unusable()) };
    let own = match (scalar.type_char(), scalar.size_field()) {
        (TypeChar::Int, 1) => Type::S8,
        (TypeChar::Int, 2) => Type::S16,
        (TypeChar::Int, 4) => Type::S32,
        (TypeChar::Int, 8) => Type::S64,
        (TypeChar::Uint | TypeChar::Bool, 1) => Type::U8,
        (TypeChar::Uint, 2) => Type::U16,
        (TypeChar::Uint, 4) => Type::U32,
        (TypeChar::Uint, 8) => Type::U64,
        (TypeChar::Float, 2) => Type::F16,
        (TypeChar::Float, 4) => Type::F32,
        (TypeChar::Float, 8) => Type::F64,
        _ => return Err(unusable()),
    };
    let ty = wanted.unwrap_or(own);
    // Bits may be any numbers of their size; types that NumPy lacks travel as unsigned integers.
    let same = ty == own || npy_code(ty) == npy_code(own) || is_bits(ty) && ty.bytes() == own.bytes();
    if !same {
        let what = format!("`{name}` holds values of type {}, and not {}", own.text(), ty.text());
        return Err(Problem::new(what, format!("write `{}[…]`, or convert the file", own.text())));
    }
    Ok((ty, scalar.endianness() == Endianness::Big && own.bytes() > 1))
}

fn is_bits(ty: Type) -> bool {
    matches!(ty, Type::B8 | Type::B16 | Type::B32 | Type::B64)
}

/// NumPy's code for a type: its kind and its size in bytes.
fn npy_code(ty: Type) -> String {
    let kind = match ty {
        Type::F16 | Type::F32 | Type::F64 | Type::Tf32 => 'f',
        Type::S8 | Type::S16 | Type::S32 | Type::S64 => 'i',
        _ => 'u',
    };
    let order = if ty.bytes() > 1 { '<' } else { '|' };
    format!("{order}{kind}{}", ty.bytes())
}

/// What stands before `count` values of a type in a file.
pub(super) fn header(ty: Type, count: u64) -> Result<Vec<u8>, Problem> {
    let failed = |error: &dyn std::fmt::Display| {
        Problem::new(format!("cannot write values of type {} as `.npy`: {error}", ty.text()), "leave the `>` out")
    };
    let code: TypeStr = npy_code(ty).parse().map_err(|error| failed(&error))?;
    let mut bytes = Vec::new();
    let options = npyz::WriteOptions::new_header_only().dtype(DType::Plain(code)).shape(&[count]);
    options.writer(&mut bytes).write_header_only().map_err(|error| failed(&error))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
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
            assert_eq!(problem.help, "write `s32[…]`, or convert the file");
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
            (dictionary("\\N{x}", "False", "(1,)"), "is not in the `.npy` format, or its header is damaged"),
            (dictionary("<f4", "False", &"(".repeat(60_000)), "is not in the `.npy` format, or its header is damaged"),
            (
                "{'descr': '<f4', 'fortran_order': False}".into(),
                "is not in the `.npy` format, or its header is damaged",
            ),
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
            assert!(
                problem.what.ends_with("is not in the `.npy` format, or its header is damaged"),
                "{}",
                problem.what
            );
        }
        assert!(Npy::open(Path::new("no/such.npy"), None).unwrap_err().what.starts_with("cannot read `no/such.npy`: "));
        assert!(Npy::open(&std::env::temp_dir(), None).unwrap_err().what.ends_with("is not a file"));
    }
}
