//! Structures that a kernel takes by value: `{i32:7, f32:1.5, f32[1024]=0>y.npy, {u8:1, u8:2}}`, or the bytes of a file.
//!
//! Fields are laid out as C lays out a `struct`: each at the next multiple of its alignment, which is its size, and the whole a multiple of the
//! largest of them. A field may be a scalar, a buffer, whose address it holds, or a structure in braces again. The elements of an
//! array are fields one behind the other. What is aligned further than to its own size (`float4`, `alignas`) takes padding that is
//! written out, such as `b32:0`, at the end as well: a structure that came out too small is most likely one with a field left out.

use std::path::Path;

use ptx_parser::Type;

use super::check::{Target, described, open};
use super::element::is_bits;
use super::grammar::{self, Written};
use super::npy;
use super::problem::Problem;
use super::value::{BufferValue, Structure, Value};

/// So many braces in one another are deeper than any structure.
const DEEPEST: usize = 32;

/// A field as it is written, and what was read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    pub(super) text: String,
    pub(super) written: Written,
}

/// Reads the fields of `{…}`. `depth` is the number of braces around it.
pub(super) fn parse(text: &str, depth: usize) -> Result<Vec<Field>, Problem> {
    if depth >= DEEPEST {
        return Err(Problem::new("the braces are nested too deep", format!("at most {DEEPEST} may be in one another")));
    }
    let fields = split(text)?.into_iter().enumerate().map(|(index, text)| {
        let named = |problem: Problem| problem.of_field(index + 1, text);
        if text.is_empty() {
            return Err(named(Problem::new("it has no value", "leave the comma out, or write the field")));
        }
        let written = grammar::parse_at(text, depth + 1).map_err(named)?;
        Ok(Field { text: text.to_owned(), written })
    });
    fields.collect()
}

/// Returns the texts between the braces and the commas of this level.
fn split(text: &str) -> Result<Vec<&str>, Problem> {
    let help = "write a structure as `{i32:7, f32:1.5, f32[1024]=0>y.npy}`; the name of a file in it has no comma and no brace";
    let (mut parts, mut depth, mut begin) = (Vec::new(), 0_usize, 1);
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => {
                parts.push(text[begin..at].trim());
                let behind = text[at + 1..].trim();
                return match behind {
                    "" if parts == [""] => Err(Problem::new("the structure has no field", help)),
                    "" => Ok(parts),
                    _ => Err(Problem::new(format!("`{behind}` follows the `}}`"), help)),
                };
            }
            '}' => depth -= 1,
            ',' if depth == 1 => {
                parts.push(text[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    Err(Problem::new("the `}` of the structure is missing", help))
}

/// Lays out fields as a value of their own; files are opened.
pub(super) fn lay_out(fields: Vec<Field>) -> Result<Structure, Problem> {
    let mut whole = Structure::default();
    for (index, Field { text, written }) in fields.into_iter().enumerate() {
        let named = |problem: Problem| problem.of_field(index + 1, &text);
        let offset = match open(written, None).map_err(named)? {
            Value::Scalar { ty, bits } => {
                let bytes = bits.to_le_bytes();
                let bytes = bytes.get(..ty.bytes() as usize).unwrap_or(&bytes);
                let offset = whole.put(bytes, u64::from(ty.bytes()));
                whole.numbers.push((offset, ty));
                offset
            }
            Value::Buffer(buffer) => {
                let offset = whole.put(&[0; 8], 8);
                whole.numbers.push((offset, Type::U64));
                whole.buffers.push((offset, text.clone(), buffer));
                offset
            }
            Value::Structure(inner) => {
                let offset = whole.put(&inner.bytes, inner.align);
                whole.numbers.extend(inner.numbers.into_iter().map(|(at, ty)| (offset + at, ty)));
                whole.buffers.extend(inner.buffers.into_iter().map(|(at, text, buffer)| (offset + at, text, buffer)));
                offset
            }
        };
        whole.places.push((offset, text));
    }
    whole.pad(whole.align);
    Ok(whole)
}

impl Structure {
    /// Adds bytes at the next multiple of their alignment and returns their offset.
    fn put(&mut self, bytes: &[u8], align: u64) -> u64 {
        self.align = self.align.max(align);
        self.pad(align);
        let offset = self.bytes.len() as u64;
        self.bytes.extend_from_slice(bytes);
        offset
    }

    /// Adds zeros up to the next multiple of an alignment.
    fn pad(&mut self, align: u64) {
        self.bytes.resize(self.bytes.len().next_multiple_of(align.max(1) as usize), 0);
    }

    /// The buffers that fields hold the addresses of.
    pub(super) fn buffers(&self) -> impl Iterator<Item = &BufferValue> {
        self.buffers.iter().map(|(_, _, buffer)| buffer)
    }

    /// Checks that the structure has the size and alignment that its parameter has. Returns what is assumed where the parameter's alignment is
    /// larger than that of the fields.
    pub(super) fn fits(&self, target: Target<'_>) -> Result<Option<Problem>, Problem> {
        let Target { parameter, which, declared } = target;
        let (expected, align) = (parameter.bytes(), u64::from(parameter.align).max(1));
        let which = format!("{which} is {}", described(parameter));
        let given = self.bytes.len() as u64;
        if !target.is_structure() {
            return Err(Problem::new(format!("{which}, and no structure"), "give its value without braces"));
        }
        if self.align > align {
            let what =
                format!("{which}, at a multiple of {align}, but a field has to lie at a multiple of {}", self.align);
            return Err(Problem::new(what, self.layout()));
        }
        // The bytes of a file say nothing of their alignment.
        let is_aligned_less = self.align < align && !self.places.is_empty();
        let further = format!("at a multiple of {align}, but the fields only need a multiple of {}", self.align);
        if given != expected {
            let further = if is_aligned_less { format!(", and it lies {further}") } else { String::new() };
            return Err(Problem::new(format!("{which}, but the fields take {given}{further}"), self.layout()));
        }
        let is_vector = declared.is_some_and(|declared| declared.element.is_some());
        let assumed = is_aligned_less && !is_vector;
        let help =
            "check the sizes of the fields; only `alignas` and vectors such as `float4` need more than their parts";
        Ok(assumed.then(|| Problem::new(format!("{which}, {further}"), help)))
    }

    /// Finds a floating-point number that the kernel loads where no field of its type begins. Raw bytes have no fields.
    pub(super) fn contradicts(&self, loads: &[(u64, Type)], which: &str) -> Option<Problem> {
        let lies = |&(offset, ty): &(u64, Type)| {
            self.numbers
                .iter()
                .any(|&(at, field)| at == offset && field.bytes() == ty.bytes() && (field == ty || is_bits(field)))
        };
        let &(offset, ty) = loads.iter().find(|load| !lies(load)).filter(|_| !self.numbers.is_empty())?;
        let what = format!(
            "the kernel loads a number of type {} from byte {offset} of {which}, where no such field lies",
            ty.text()
        );
        Some(Problem::new(what, self.layout()))
    }

    /// Says where the fields lie, for the user to compare with the declaration.
    fn layout(&self) -> String {
        if self.places.is_empty() {
            return "the fields of the file must lie as those of the structure do; raw bytes are `array.view('u1')`"
                .into();
        }
        let places = self.places.iter().map(|(offset, text)| format!("`{text}` at byte {offset}"));
        let places = places.collect::<Vec<_>>().join(", ");
        format!(
            "the fields lie as in C, {places}; what is aligned further, such as a `float4`, takes padding such as `b32:0`"
        )
    }
}

/// Reads a structure from a file of its bytes.
pub(super) fn from_bytes(path: &Path, target: Target<'_>) -> Result<Structure, Problem> {
    let cannot = |error: std::io::Error| {
        Problem::new(format!("cannot read `{}`: {error}", path.display()), "name a file that can be read")
    };
    let metadata = std::fs::metadata(path).map_err(cannot)?;
    if !metadata.is_file() {
        return Err(Problem::new(
            format!("`{}` is not a file", path.display()),
            "name a file with the structure's bytes",
        ));
    }
    if metadata.len() != target.parameter.bytes() {
        return Err(wrong_size(path, metadata.len(), target));
    }
    let bytes = std::fs::read(path).map_err(cannot)?;
    Ok(Structure { bytes, align: 1, ..Structure::default() })
}

/// Reads a structure from a `.npy` file; `None` if it holds an array whose address the parameter takes.
pub(super) fn from_npy(path: &Path, target: Target<'_>) -> Result<Option<Structure>, Problem> {
    if !target.is_structure() {
        return Ok(None);
    }
    let wrong = |given| wrong_size(path, given, target);
    let given = npy::by_value(path, target.parameter.bytes(), target.may_take_address(), wrong)?;
    Ok(given.map(|npy::ByValue { bytes, numbers }| Structure { bytes, numbers, align: 1, ..Structure::default() }))
}

fn wrong_size(path: &Path, given: u64, target: Target<'_>) -> Problem {
    let Target { parameter, which, .. } = target;
    let what = format!("{which} is {}, but `{}` holds {given}", described(parameter), path.display());
    let help = "a file by value has all bytes of the structure, its padding too; NumPy lays fields out as C does with \
                `numpy.dtype([…], align=True)`";
    Problem::new(what, help)
}
