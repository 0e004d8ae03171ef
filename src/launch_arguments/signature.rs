//! The types that a kernel's parameters have in C++ or are used as, and the arguments that contradict them.
//!
//! A demangled name has the types. A kernel whose name is not mangled has them in its declaration, if the source has one that is understood. Else, and
//! where a declaration has a name that is not known, there are the loads and stores of the PTX: floating-point accesses say for sure what
//! a buffer holds; others only say how wide its elements most likely are, which is a warning's matter.
//!
//! PTX has a structure by value as an array of bytes. One of eight bytes may be a class around a pointer, so that a buffer can be meant; a type, or an
//! alignment of less than a pointer's, says that it cannot.

use ptx_parser::{Kernel, Parameter, Type};

use super::accesses::{self, Access};
use super::cpp_types::{self, CppType};
use super::element::Element;
use super::grammar;
use super::problem::Problem;
use super::value::{BufferValue, Fill, Value};

/// The knowledge of each parameter's type.
pub(super) struct Signature(Vec<Known>);

enum Known {
    Nothing,
    Declared(CppType),
    Accessed(Access),
}

/// A reason not to take an argument as it is.
pub(super) enum Contradiction {
    Certain(Problem),
    /// Something that is concluded and may be meant as it is.
    Likely(Problem),
}

impl Signature {
    /// Collects what is known of a kernel whose demangled name is given, if it has one, and so is the source, if it is CUDA.
    pub(super) fn of(kernel: &Kernel, demangled: Option<&str>, source: Option<&str>) -> Signature {
        let parameters = kernel.params();
        let types = match demangled {
            Some(name) => cpp_types::of_demangled(name),
            None => source.and_then(|source| cpp_types::of_source(source, kernel.name())),
        };
        let types = types.filter(|types| types.len() == parameters.len());
        let mut accesses = accesses::of(kernel).into_iter();
        let mut types = types.into_iter().flatten();
        let known = parameters.iter().map(|parameter| {
            let accessed = accesses.next().flatten().map_or(Known::Nothing, Known::Accessed);
            types.next().and_then(|ty| declared(ty, parameter)).unwrap_or(accessed)
        });
        Signature(known.collect())
    }

    /// Returns the type in C++ of the parameter at `index`, if it is known.
    pub(super) fn declared(&self, index: usize) -> Option<&CppType> {
        match self.0.get(index)? {
            Known::Declared(ty) => Some(ty),
            _ => None,
        }
    }

    /// Finds a contradiction between an argument and the parameter at `index`. `which` names the parameter in messages, `text` is the argument as the user wrote it.
    pub(super) fn contradiction(&self, index: usize, value: &Value, text: &str, which: &str) -> Option<Contradiction> {
        match (self.0.get(index)?, value) {
            (Known::Declared(declared), Value::Buffer(buffer)) if declared.pointer => {
                let element = declared.element.filter(|&element| contradicts(element, buffer))?;
                let what = format!("{which} points to `{}`, but {}", declared.text, held(buffer, element));
                Some(Contradiction::Certain(Problem::new(what, remedy(buffer, element, text))))
            }
            (Known::Declared(declared), Value::Buffer(_)) if declared.element.is_some() => {
                let what = format!("{which} is `{}`, and gets the address of a buffer", declared.text);
                let help = "check the order of the arguments, unless the kernel makes a pointer of the number";
                Some(Contradiction::Likely(Problem::new(what, help)))
            }
            (Known::Declared(declared), Value::Scalar { ty, .. }) if !declared.pointer => {
                let given = Element::of(*ty)?;
                let element =
                    declared.element.filter(|element| element.bytes == given.bytes && element.contradicts(given))?;
                let what = format!("{which} is `{}`, but the argument is {}", declared.text, ty.text());
                let help = format!("give `{}:…`; for the bits of a number, `b{}:0x…`", element.word(), ty.bits());
                Some(Contradiction::Certain(Problem::new(what, help)))
            }
            (Known::Accessed(Access::Float(ty)), Value::Buffer(buffer)) => {
                let element = Element::of(*ty).filter(|&element| contradicts(element, buffer))?;
                let what = format!(
                    "the kernel accesses what {which} points to only as {}, but {}",
                    ty.text(),
                    held(buffer, element)
                );
                Some(Contradiction::Certain(Problem::new(what, remedy(buffer, element, text))))
            }
            (Known::Accessed(Access::Words(bytes)), Value::Buffer(buffer)) => {
                let given = Element::of(buffer.ty).filter(|given| given.bytes != *bytes)?;
                let what = format!(
                    "the kernel accesses what {which} points to only in words of {}, but {}",
                    in_bytes(*bytes),
                    held(buffer, Element { bytes: *bytes, ..given })
                );
                let help =
                    "this is concluded from the loads and stores of the PTX, which has no types of C++; ".to_owned();
                Some(Contradiction::Likely(Problem::new(what, help + &raw(buffer))))
            }
            _ => None,
        }
    }
}

/// A type, if it is known and can be that of the parameter. An array of bytes is a structure, whatever its type is called.
fn declared(ty: CppType, parameter: &Parameter) -> Option<Known> {
    let is_structure = parameter.dimensions > 0;
    match ty.pointer {
        true => (ty.known && !is_structure && parameter.bytes() == 8).then_some(Known::Declared(ty)),
        false => (ty.known || is_structure).then_some(Known::Declared(ty)),
    }
}

/// Returns true if a buffer holds other numbers than those of an element. NumPy has no bfloat16: a file of them holds unsigned integers.
fn contradicts(element: Element, buffer: &BufferValue) -> bool {
    let stand_in = buffer.ty == Type::U16 && matches!(buffer.fill, Fill::File(_)) && element.numpy().is_none();
    !stand_in && Element::of(buffer.ty).is_some_and(|given| element.contradicts(given))
}

/// Says what a buffer holds, and the size of its elements if another one is expected.
fn held(buffer: &BufferValue, expected: Element) -> String {
    let holder = match &buffer.fill {
        Fill::File(file) => format!("`{}` holds", file.path.display()),
        _ => "the buffer holds".to_owned(),
    };
    let size = buffer.ty.bytes();
    let sizes = format!(" of {} instead of {}", in_bytes(size), expected.bytes);
    format!("{holder} values of type {}{}", buffer.ty.text(), if size == expected.bytes { "" } else { &sizes })
}

/// The cast to make.
fn remedy(buffer: &BufferValue, element: Element, text: &str) -> String {
    // Else it is a file by its name alone.
    let spelled = text.split_once('[').filter(|(word, _)| grammar::is_word(word.trim()));
    let rewritten = spelled.map(|(_, rest)| format!("write `{}[{rest}`", element.word()));
    let cast = match (&buffer.fill, element.numpy()) {
        (Fill::File(_), Some(name)) => Some(format!("cast the array before it is saved, `array.astype(numpy.{name})`")),
        (Fill::File(_), None) => Some("save the array's bfloat16 bits as `uint16`".to_owned()),
        _ => None,
    };
    let steps: Vec<String> = cast.into_iter().chain(rewritten).collect();
    format!("{}; {}", steps.join(", and "), raw(buffer))
}

/// Says how to have a buffer's bits taken as they are.
fn raw(buffer: &BufferValue) -> String {
    let (bits, count) = (buffer.ty.bits(), buffer.count);
    let file = match &buffer.fill {
        Fill::File(file) => file.path.display().to_string(),
        _ => "…".to_owned(),
    };
    format!("if the bits are meant as they are, write `b{bits}[{count}]={file}`")
}

fn in_bytes(bytes: u32) -> String {
    if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") }
}
