//! NumPy's `.npy` files: whose values a buffer gets, and what a buffer is written to.
//!
//! The header is read when the arguments are, the values when the buffer is filled, a piece at a time. A file may hold an array of any
//! number of dimensions in C order; the kernel sees its values one behind the other. What is written has one dimension.

use std::borrow::Cow;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use npyz::{DType, Endianness, NpyHeader, Order, TypeChar, TypeStr, WriterBuilder};
use ptx_parser::Type;

use super::element::Element;
use super::element::is_bits;
use super::problem::NO_ELEMENTS;
use super::problem::Problem;

/// A file whose header was read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Npy {
    pub(super) path: PathBuf,
    /// The type that its values are taken as.
    pub(super) ty: Type,
    pub(super) count: u64,
    /// The offset of the values in the file.
    offset: u64,
    swapped: bool,
}

/// NumPy's own headers have about a hundred characters; the structure of records takes a few more.
const LONGEST_HEADER: usize = 1 << 16;

impl Npy {
    /// Reads the header. The file must hold values of the type, if one is given.
    pub(super) fn open(path: &Path, wanted: Option<Type>) -> Result<Npy, Problem> {
        let Head { header, offset, file_bytes } = Head::read(path)?;
        let dtype = header.dtype();
        let (path_of, empty) = (|| path.to_owned(), header.len() == 0);
        let npy = match wanted.and_then(|wanted| as_bits(&dtype, header.len(), wanted)).filter(|_| !empty) {
            Some(_) if is_big_endian(&dtype) => return Err(big_endian(path)),
            Some((ty, count)) => Npy { path: path_of(), ty, count, offset, swapped: false },
            None => {
                let (ty, swapped) = element_type(path, &dtype, wanted)?;
                Npy { path: path_of(), ty, count: header.len(), offset, swapped }
            }
        };
        npy.check_size(file_bytes)?;
        Ok(npy)
    }

    fn check_size(&self, file_bytes: u64) -> Result<(), Problem> {
        let name = self.path.display();
        if self.count == 0 {
            return Err(Problem::new(format!("`{name}` holds no values"), NO_ELEMENTS));
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
        // A piece and the whole are both multiples of the element's size.
        while done < total
            && let Some(piece) = piece.get_mut(..PIECE.min(total - done) as usize)
        {
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
    /// The offset of the values in the file.
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
        let header = bytes
            .as_deref()
            .filter(|bytes| is_harmless(bytes))
            .and_then(|bytes| NpyHeader::from_reader(utf8(bytes).as_ref()).ok());
        let (Some(header), Some(bytes)) = (header, bytes.as_ref()) else {
            let (what, help) = match bytes.as_deref().is_some_and(is_whole) {
                true => (
                    format!("the header of `{name}` describes values in a way that is not supported"),
                    "save the bytes alone, `numpy.save(name, array.view('u1'))`, or give field names without titles and escapes",
                ),
                false => (
                    format!("`{name}` is not in the `.npy` format, or its header is damaged"),
                    "NumPy writes such a file with `numpy.save`",
                ),
            };
            return Err(Problem::new(what, help));
        };
        if header.order() == Order::Fortran && header.shape().len() > 1 {
            let help = "save it with `numpy.save(name, numpy.ascontiguousarray(array))`";
            return Err(Problem::new(format!("`{name}` holds an array in Fortran order"), help));
        }
        Ok(Head { header, offset: bytes.len() as u64, file_bytes: metadata.len() })
    }
}

/// The values of a structure from a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ByValue {
    pub(super) bytes: Vec<u8>,
    /// The offset of each number with its type; none where the file has raw bytes.
    pub(super) numbers: Vec<(u64, Type)>,
}

/// The bytes of all values of a file, for a parameter of so many bytes; `None` for an array of numbers where the parameter `may_be_address` of
/// one. `wrong` makes the message about a file of another size.
pub(super) fn by_value(
    path: &Path,
    bytes: u64,
    may_be_address: bool,
    wrong: impl Fn(u64) -> Problem,
) -> Result<Option<ByValue>, Problem> {
    let Head { header, offset, file_bytes } = Head::read(path)?;
    let dtype = header.dtype();
    if may_be_address && matches!(dtype, DType::Plain(_)) {
        return Ok(None);
    }
    if is_big_endian(&dtype) {
        return Err(big_endian(path));
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
    if values.len() as u64 != bytes {
        return Err(wrong(values.len() as u64));
    }
    let mut numbers = Vec::new();
    let size = dtype.num_bytes().map_or(0, |size| size as u64);
    // A damaged header may announce any number of values of no size.
    let is_whole = size > 0 && size.checked_mul(header.len()) == Some(bytes);
    let known = is_whole && (0..header.len()).all(|index| collect_numbers(&dtype, index * size, &mut numbers));
    let raw = matches!(&dtype, DType::Plain(scalar) if scalar.num_bytes() == Some(1));
    Ok(Some(ByValue { bytes: values, numbers: if known && !raw { numbers } else { Vec::new() } }))
}

/// Adds the numbers of a type that lies at an offset. Returns false if something else is in it; padding is none.
fn collect_numbers(dtype: &DType, offset: u64, numbers: &mut Vec<(u64, Type)>) -> bool {
    let size = |dtype: &DType| dtype.num_bytes().map_or(0, |size| size as u64);
    match dtype {
        DType::Plain(scalar) => match number_type(scalar) {
            Some(ty) => {
                numbers.push((offset, ty));
                true
            }
            None => false,
        },
        DType::Array(count, element) => {
            size(element) > 0
                && (0..*count).all(|index| collect_numbers(element, offset + index * size(element), numbers))
        }
        DType::Record(fields) => {
            let mut at = offset;
            fields.iter().all(|field| {
                let begin = at;
                at += size(&field.dtype);
                field.name.is_empty() || collect_numbers(&field.dtype, begin, numbers)
            })
        }
    }
}

/// Returns true if a number of a type has its most significant byte first.
fn is_big_endian(dtype: &DType) -> bool {
    match dtype {
        DType::Plain(scalar) => scalar.endianness() == Endianness::Big && scalar.num_bytes() != Some(1),
        DType::Array(_, element) => is_big_endian(element),
        DType::Record(fields) => fields.iter().any(|field| is_big_endian(&field.dtype)),
    }
}

fn big_endian(path: &Path) -> Problem {
    let help = "convert it first: `array.astype(array.dtype.newbyteorder('<'))`";
    Problem::new(format!("`{}` has the most significant bytes first", path.display()), help)
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

/// Returns true if a header has all that NumPy writes.
fn is_whole(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes.get(10..).unwrap_or_default());
    let has = |key: &str| text.contains(&format!("'{key}': "));
    let shape = text.split("'shape': (").nth(1).and_then(|rest| rest.split(')').next());
    let is_shape = |shape: &str| {
        let sizes = shape.split(',').map(str::trim).filter(|size| !size.is_empty());
        let product = sizes
            .map(|size| size.parse::<u64>().ok())
            .try_fold(1_u64, |product, size| product.checked_mul(size?.max(1)));
        product.is_some()
    };
    has("descr") && has("fortran_order") && text.trim_end().ends_with('}') && shape.is_some_and(is_shape)
}

/// The header as the reader takes it. Up to version 2, which has the third byte's place behind `NUMPY`, the text is Latin-1.
fn utf8(bytes: &[u8]) -> Cow<'_, [u8]> {
    let start = match bytes.get(6) {
        Some(1) => 10,
        Some(2) => 12,
        _ => return bytes.into(),
    };
    let (Some(magic), Some(text)) = (bytes.get(..6), bytes.get(start..)) else { return bytes.into() };
    let text: String = text.iter().map(|&byte| char::from(byte)).collect();
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    [magic, &[3, 0], &length.to_le_bytes(), text.as_bytes()].concat().into()
}

/// Returns true if the header's text can be given to the reader, which is written for headers of NumPy's making: it descends into brackets
/// without a limit, and multiplies the dimensions without looking for an overflow.
fn is_harmless(bytes: &[u8]) -> bool {
    /// Brackets in one another: a structure in a structure takes three.
    const DEEPEST: i32 = 64;
    /// Escaped characters that the reader knows.
    const ESCAPED: &str = "\\'\"nrtx";
    let text = String::from_utf8_lossy(bytes.get(10..).unwrap_or_default());
    let (mut depth, mut quoted, mut product, mut number) = (0_i32, None, 1_u64, None::<u64>);
    let mut chars = text.chars().chain([' ']);
    while let Some(c) = chars.next() {
        match (quoted, c) {
            (Some(_), '\\') => {
                if !chars.next().is_some_and(|escaped| ESCAPED.contains(escaped)) {
                    return false;
                }
            }
            (None, '\\') => return false,
            (Some(quote), c) if quote == c => quoted = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quoted = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, _) => {}
        }
        if depth > DEEPEST {
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

/// The values of a file as bits of another size than theirs, and their number; `None` where they have that size, or the bytes do not fit.
fn as_bits(dtype: &DType, count: u64, wanted: Type) -> Option<(Type, u64)> {
    let size = u64::from(wanted.bytes());
    let number = matches!(dtype, DType::Plain(scalar) if number_type(scalar).is_some());
    let own = dtype.num_bytes().and_then(|bytes| u64::try_from(bytes).ok())?;
    let bytes = own.checked_mul(count)?;
    let fits = is_bits(wanted) && bytes.is_multiple_of(size) && (!number || own != size);
    fits.then_some((wanted, bytes / size))
}

/// The type that the file's values are taken as, and whether their bytes are in the other order.
fn element_type(path: &Path, dtype: &DType, wanted: Option<Type>) -> Result<(Type, bool), Problem> {
    let name = path.display();
    let unusable = || {
        let what = format!("`{name}` holds values of NumPy's type {}, which no PTX type is", dtype.descr());
        Problem::new(what, conversion(dtype))
    };
    let DType::Plain(scalar) = dtype else { return Err(unusable()) };
    let own = number_type(scalar).ok_or_else(unusable)?;
    let ty = wanted.unwrap_or(own);
    // Bits may be any numbers of their size; types that NumPy lacks travel as unsigned integers.
    let same = ty == own || npy_code(ty) == npy_code(own) || is_bits(ty) && ty.bytes() == own.bytes();
    if !same {
        let what = format!("`{name}` holds values of type {}, and not {}", own.text(), ty.text());
        let cast = match Element::of(ty).map(Element::numpy) {
            Some(Some(number)) => format!("cast the array before it is saved, `array.astype(numpy.{number})`"),
            Some(None) => "save the array's bfloat16 bits as `uint16`".to_owned(),
            None => format!("save the bits as `uint{}`", ty.bits()),
        };
        let help = format!("{cast}; if the kernel takes values of type {0}, write `{0}[…]`", own.text());
        return Err(Problem::new(what, help));
    }
    Ok((ty, is_big_endian(dtype)))
}

/// The PTX type of a number of NumPy's.
fn number_type(scalar: &TypeStr) -> Option<Type> {
    Some(match (scalar.type_char(), scalar.size_field()) {
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
        _ => return None,
    })
}

/// Says how to save values of another type without a loss.
fn conversion(dtype: &DType) -> String {
    let view = |of: &str, why: &str| format!("save a view of it, `numpy.save(name, array.view('{of}'))`, {why}");
    match dtype {
        DType::Plain(scalar) => match (scalar.type_char(), scalar.size_field()) {
            (TypeChar::Complex, bytes @ (8 | 16)) => {
                view(&format!("f{}", bytes / 2), "which has the real and imaginary parts one behind the other")
            }
            (TypeChar::TimeDelta | TypeChar::DateTime, _) => view("i8", "which has the numbers"),
            (TypeChar::Int | TypeChar::Uint | TypeChar::Float | TypeChar::Complex | TypeChar::Object, _) => {
                "convert it first: `numpy.save(name, array.astype('f8'))`, or any of i1 to i8, u1 to u8, f2, f4, f8"
                    .into()
            }
            _ => view("u1", "which has the bytes"),
        },
        _ => view("u1", "which has the bytes, or write `b8[BYTES]=FILE.npy`"),
    }
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

/// Returns what stands before `count` values of a type in a file.
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
#[path = "npy_tests.rs"]
mod tests;
