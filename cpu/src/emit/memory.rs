//! Loads, stores, fences, and instructions that only matter to caches (PTX ISA, "Data Movement and Conversion Instructions", "membar").
//!
//! Weak accesses are copies of bytes, which a C compiler may combine and reorder. All others are atomic accesses that order those around them, because the emulator
//! puts a fence beside each of them.

use ptx_parser::{Base, Mnemonic, Modifier, Operand, Space, Type};

use super::names::{Place, c_type, elements};
use super::view::{View, literal};
use crate::refusal::Refusal;

/// Returns the statement of C for an instruction.
///
/// # Errors
/// A form that the ISA or the emulator does not have.
pub(crate) fn emit(view: &View<'_>) -> Result<String, Refusal> {
    match view.opcode().mnemonic() {
        _ if view.has(Modifier::Async) => Err(view.refuse("asynchronous stores are not translated")),
        Mnemonic::Ld | Mnemonic::Ldu => load(view),
        Mnemonic::St => store(view),
        Mnemonic::Membar | Mnemonic::Fence => Ok("__atomic_thread_fence(__ATOMIC_SEQ_CST);".to_owned()),
        // Only caches read a policy, so that its number does not matter.
        Mnemonic::Createpolicy => view.assign(Type::B64, "0"),
        // Advice to caches, and instructions about other grids, have no effect.
        _ => Ok(";".to_owned()),
    }
}

/// The state space of an access; `Generic` where the opcode names none.
pub(super) fn space(view: &View<'_>) -> Space {
    view.opcode().properties().space.unwrap_or(Space::Generic)
}

/// Returns true for an address operand in memory that a kernel cannot write.
fn is_constant(view: &View<'_>, index: usize) -> Result<bool, Refusal> {
    let place = match *view.operand(index)? {
        Operand::Address(Base::Symbol(symbol), _) => Some(view.place(symbol)?),
        _ => None,
    };
    let is_parameter = matches!(place, Some(Place::Param(_)));
    Ok(space(view) == Space::Const || matches!(space(view), Space::Param | Space::Generic) && is_parameter)
}

/// The layout of the elements of an access.
struct Shape {
    /// Words of one element: 2 of 128 bits.
    words: u32,
    /// Bits of a word.
    bits: u32,
    /// The suffix of the functions that access a word: `_ordered` for those that order others.
    suffix: &'static str,
}

impl Shape {
    fn of(view: &View<'_>, count: usize) -> Result<Shape, Refusal> {
        let ty = view.ty();
        // One thread of the host at a time runs a block, so that nobody else accesses its memory.
        let orders = view.opcode().properties().volatile && space(view) != Space::Shared;
        let suffix = if orders { "_ordered" } else { "" };
        let (words, bits) = if ty == Type::B128 { (2, 64) } else { (1, ty.bits()) };
        if !matches!(bits, 8 | 16 | 32 | 64) {
            return Err(view.refuse("this type has no place in memory"));
        }
        let bytes = bits / 8 * words * count as u32;
        let most = if matches!(space(view), Space::Global | Space::Generic) { 32 } else { 16 };
        if !count.is_power_of_two() || bytes > most {
            let reason = format!("one access moves 1, 2, 4 or 8 elements and at most {most} bytes, not {bytes}");
            return Err(view.refuse(reason));
        }
        Ok(Shape { words, bits, suffix })
    }

    /// Returns true if there is more than one word, so that the address must be kept.
    fn is_vector(&self, count: usize) -> bool {
        self.words as usize * count > 1
    }

    /// The expression that loads word `index` from the address in a variable.
    fn load(&self, from: &str, index: u32) -> String {
        format!("pxrw_load{}{}({})", self.bits, self.suffix, self.at(from, index))
    }

    /// The statement that stores to word `index`.
    fn store(&self, to: &str, index: u32, value: &str) -> String {
        format!("pxrw_store{}{}({}, {value});", self.bits, self.suffix, self.at(to, index))
    }

    fn at(&self, base: &str, index: u32) -> String {
        match index * self.bits / 8 {
            0 => base.to_owned(),
            bytes => format!("{base} + {bytes}"),
        }
    }
}

fn load(view: &View<'_>) -> Result<String, Refusal> {
    let ty = view.ty();
    let results = elements(view.kernel, view.operand(0)?);
    let shape = Shape::of(view, results.len())?;
    let address = view.address(1, space(view))?;
    let base = if shape.is_vector(results.len()) { "pxrw_from" } else { &address };
    let mut text = Vec::new();
    for (index, result) in results.iter().enumerate() {
        let at = index as u32 * shape.words;
        if *result == Operand::Sink {
            // An access that orders others is made although its value is not wanted.
            if !shape.suffix.is_empty() {
                text.push(format!("(void){};", shape.load(base, at)));
            }
            continue;
        }
        let Some((name, declared)) = view.register(result) else {
            return Err(view.refuse("a load needs registers for its results"));
        };
        if declared == Type::Pred || declared.bits() < ty.bits() || (declared == Type::B128) != (ty == Type::B128) {
            return Err(view.refuse("the register is narrower than the type"));
        }
        if ty == Type::B128 {
            text.push(format!("{name}.low = {};", shape.load(base, at)));
            text.push(format!("{name}.high = {};", shape.load(base, at + 1)));
            continue;
        }
        let value = shape.load(base, at);
        text.push(match ty.is_signed() && declared.bits() > ty.bits() {
            true => format!("{name} = ({})(int{}_t){value};", c_type(declared), ty.bits()),
            false => format!("{name} = {value};"),
        });
    }
    Ok(match (text.as_slice(), shape.is_vector(results.len())) {
        ([], _) => ";".to_owned(),
        ([one], false) => one.clone(),
        (several, _) => format!("{{ const unsigned char *const pxrw_from = {address}; {} }}", several.join(" ")),
    })
}

fn store(view: &View<'_>) -> Result<String, Refusal> {
    let ty = view.ty();
    if is_constant(view, 0)? {
        return Err(view.refuse("constant memory and kernel parameters cannot be written"));
    }
    let sources = elements(view.kernel, view.operand(1)?);
    let shape = Shape::of(view, sources.len())?;
    let address = view.address(0, space(view))?;
    let base = if shape.is_vector(sources.len()) { "pxrw_to" } else { &address };
    let mut text = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let at = index as u32 * shape.words;
        if ty == Type::B128 {
            let [low, high] = halves(view, source)?;
            text.push(shape.store(base, at, &low));
            text.push(shape.store(base, at + 1, &high));
        } else {
            text.push(shape.store(base, at, &view.value(source, ty)?));
        }
    }
    Ok(match (text.as_slice(), shape.is_vector(sources.len())) {
        ([], _) => return Err(view.refuse("nothing to store")),
        ([one], false) => one.clone(),
        (several, _) => format!("{{ unsigned char *const pxrw_to = {address}; {} }}", several.join(" ")),
    })
}

/// Both halves of an operand of 128 bits: of a register, or of an integer with its sign.
pub(super) fn halves(view: &View<'_>, operand: &Operand) -> Result<[String; 2], Refusal> {
    match (*operand, view.register(operand)) {
        (_, Some((name, Type::B128))) => Ok([format!("{name}.low"), format!("{name}.high")]),
        (Operand::Int(value), _) => {
            let high = if value < 0 { u64::MAX } else { 0 };
            Ok([literal(value.cast_unsigned(), Type::B64), literal(high, Type::B64)])
        }
        _ => Err(view.refuse("128 bits must be a register or an integer")),
    }
}
