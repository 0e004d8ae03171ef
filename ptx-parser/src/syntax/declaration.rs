//! Declarations: registers, variables with their initial values, parameters (PTX ISA, "Variables").

use smallvec::SmallVec;

use super::expression::constant;
use super::header::attributes;
use super::initializer::initial;
use super::lexical::{Fail, Parsed, accept, blanks, broken, cut, dotted, expected, missing, punct, word};
use super::literal::{Number, count, number};
use super::scope::Done;
use crate::types::{Space, Type};
use crate::variable::{Parameter, Variable};

/// The number of variables that the families `x<100>` of a text may declare in all. Each takes room that its text does not.
const MAX_MEMBERS: u32 = 1 << 16;

/// The part of a declaration between the state space and the names: alignment, vector length, type.
struct Shape {
    align: Option<u32>,
    lanes: u8,
    ty: Type,
    /// True if it is a texture, sampler or surface reference, whose initial value is a list of properties.
    opaque: bool,
}

impl Shape {
    /// The alignment in bytes: the largest that is declared, else the size of one element.
    fn alignment(&self) -> u32 {
        self.align.unwrap_or_else(|| self.ty.bytes() * u32::from(self.lanes))
    }
}

/// Reads what may stand in front of a state space as well as behind it, `.align 16 .attribute(.managed)`, and returns the alignment.
pub(crate) fn lead(text: &str) -> Parsed<'_, Option<u32>> {
    let (mut text, mut align) = (text, None);
    loop {
        match dotted(blanks(text)) {
            Ok((rest, "align")) => {
                let (rest, given) = alignment(rest)?;
                (text, align) = (rest, align.max(Some(given)));
            }
            Ok((rest, "attribute")) => text = attributes(rest)?.0,
            _ => return Ok((text, align)),
        }
    }
}

/// The number behind `.align`.
fn alignment(text: &str) -> Parsed<'_, u32> {
    let (rest, align) = count(text)?;
    if !align.is_power_of_two() {
        return Err(broken(blanks(text), format!("alignment {align} is not a power of two"), None));
    }
    Ok((rest, align))
}

/// Reads `.align 8 .v4 .f32` and whatever attributes stand among them, in any order. `align` is what stood in front of the state space.
fn shape(text: &str, align: Option<u32>) -> Parsed<'_, Shape> {
    let mut shape = Shape { align, lanes: 1, ty: Type::B8, opaque: false };
    let mut typed = false;
    let mut text = blanks(text);
    while text.starts_with('.') {
        let (rest, name) = dotted(text)?;
        let mut rest = rest;
        match name {
            "align" => {
                let (after, align) = alignment(rest)?;
                shape.align = shape.align.max(Some(align));
                rest = after;
            }
            "v2" => shape.lanes = 2,
            "v4" => shape.lanes = 4,
            "v8" => shape.lanes = 8,
            // `.ptr .global .align 4` describes what a pointer parameter points to.
            "ptr" | "const" | "global" | "local" | "shared" | "managed" => {
                if let Some((after, _)) = (name == "ptr").then(|| pointee(rest)).transpose()? {
                    rest = after;
                }
            }
            "attribute" => rest = attributes(rest)?.0,
            _ => match Type::from_text(name) {
                Some(ty) => {
                    shape.ty = ty;
                    typed = true;
                }
                None if ["texref", "samplerref", "surfref"].contains(&name) => {
                    shape.ty = Type::B64;
                    shape.opaque = true;
                    typed = true;
                }
                None => return expected(text, "a type, `.align` or `.attribute`"),
            },
        }
        text = blanks(rest);
    }
    if typed { Ok((text, shape)) } else { expected(text, "a type such as `.b32`") }
}

/// Returns what follows `.ptr`: an optional space and alignment.
fn pointee(text: &str) -> Parsed<'_, ()> {
    let mut text = blanks(text);
    if let Ok((rest, space)) = dotted(text)
        && Space::from_text(space).is_some()
    {
        text = blanks(rest);
    }
    if let Ok((rest, "align")) = dotted(text) {
        text = count(rest)?.0;
    }
    Ok((text, ()))
}

/// `.reg .b32 %r<28>, %x;`, behind `.reg`. `declare` is given each name, its count if it is a family, the type and the length of
/// vectors.
pub(crate) fn registers<'a>(
    text: &'a str,
    mut declare: impl FnMut(&'a str, Option<u64>, Type, u8) -> Done<()>,
) -> Parsed<'a, ()> {
    let (rest, shape) = shape(text, None)?;
    // A list without a name declares nothing, which `ptxas` takes.
    if let Some(rest) = accept(rest, ';') {
        return Ok((rest, ()));
    }
    let mut text = rest;
    loop {
        let (rest, name) = word(blanks(text))?;
        let rest = match accept(rest, '<') {
            Some(rest) => {
                let (rest, count) = count(rest)?;
                declare(name, Some(count.into()), shape.ty, shape.lanes)?;
                punct(rest, '>', "`>`")?.0
            }
            None => {
                declare(name, None, shape.ty, shape.lanes)?;
                rest
            }
        };
        match accept(rest, ',') {
            Some(rest) => text = rest,
            None => return punct(rest, ';', "`,` or `;`"),
        }
    }
}

/// `.align 4 .b8 name[16] = {…}, other;`, behind the state space. `align` is the alignment that stood in front of it.
pub(crate) fn variables(
    text: &str,
    (space, align): (Space, Option<u32>),
    external: bool,
) -> Parsed<'_, Vec<Declared<'_>>> {
    let (rest, shape) = shape(text, align)?;
    let mut list = Vec::new();
    if let Some(rest) = accept(rest, ';') {
        return Ok((rest, list));
    }
    let mut text = rest;
    loop {
        let (rest, name) = word(blanks(text))?;
        let (rest, family) = match accept(rest, '<') {
            Some(rest) => {
                let (rest, count) = count(rest)?;
                (punct(rest, '>', "`>`")?.0, Some(count))
            }
            None => (rest, None),
        };
        if family.is_some() && !blanks(rest).starts_with([',', ';']) {
            return missing(rest, "`,` or `;` behind a family of variables");
        }
        let (mut rest, sizes) = dimensions(rest)?;
        let mut init = None;
        if let Some(value) = accept(rest, '=') {
            let value = blanks(value);
            if shape.opaque {
                rest = properties(value)?.0;
            } else {
                let (after, values) = initial(value, shape.ty)?;
                (rest, init) = (after, Some(values));
            }
        }
        let (ty, lanes, align) = (shape.ty, shape.lanes, shape.alignment());
        let given = init.as_ref().map(|init| init.bytes.len() as u64 / u64::from(ty.bytes().max(1)));
        let count = sizes.elements(lanes, ty).or(given);
        let dimensions = sizes.dimensions();
        let variable = Variable { name: name.into(), space, align, ty, lanes, count, dimensions, external, init };
        list.push(Declared { name, family, variable });
        match accept(rest, ',') {
            Some(rest) => text = rest,
            None => return punct(rest, ';', "`,`, `=` or `;`").map(|(rest, ())| (rest, list)),
        }
    }
}

/// A variable as declared.
pub(crate) struct Declared<'a> {
    /// Its name where it stands.
    pub(crate) name: &'a str,
    /// The number of variables that it stands for: `x<4>` are `x0` to `x3`.
    pub(crate) family: Option<u32>,
    pub(crate) variable: Variable,
}

impl Declared<'_> {
    /// The variables that it stands for. `before` is how many the families of the text have declared so far, to which these are
    /// added.
    pub(crate) fn members(self, before: &mut u32) -> Result<Vec<Variable>, nom::Err<Fail>> {
        let Declared { name, family, variable } = self;
        let Some(count) = family else { return Ok(vec![variable]) };
        let sum = before.saturating_add(count);
        if sum > MAX_MEMBERS {
            let message = format!("with `{name}<{count}>`, families declare more than {MAX_MEMBERS} variables");
            return Err(broken(name, message, Some("declare an array")));
        }
        *before = sum;
        let member = |number| Variable { name: format!("{name}{number}").into(), ..variable.clone() };
        Ok((0..count).map(member).collect())
    }
}

/// `{ addr_mode_0 = clamp_to_edge, filter_mode = linear }`, the properties of a sampler, texture or surface.
fn properties(text: &str) -> Parsed<'_, ()> {
    let (mut text, ()) = punct(text, '{', "`{`")?;
    loop {
        if let Some(rest) = accept(text, '}') {
            return Ok((rest, ()));
        }
        let (rest, _) = word(blanks(text))?;
        let (rest, ()) = punct(rest, '=', "`=`")?;
        let rest = blanks(rest);
        let rest = match word(rest) {
            Ok((rest, _)) => rest,
            Err(_) => constant(rest)?.0,
        };
        match accept(rest, ',') {
            Some(rest) => text = rest,
            None => return punct(rest, '}', "`,` or `}`"),
        }
    }
}

/// The sizes of an array, outermost first; `None` where none is given. No sizes: a scalar.
struct Sizes(SmallVec<[Option<u64>; 2]>);

impl Sizes {
    /// Returns how many elements there are in all, those of vectors counted; `None` if a size is not given. `ptxas` cuts the bytes of what the
    /// outermost size counts to 32 bits, and the whole to 64.
    fn elements(&self, lanes: u8, ty: Type) -> Option<u64> {
        let bytes = u64::from(ty.bytes().max(1));
        let Some((outermost, inner)) = self.0.split_first() else { return Some(lanes.into()) };
        let multiply = |product: u64, size: &Option<u64>| Some(product.wrapping_mul((*size)?));
        let row = inner.iter().try_fold(bytes * u64::from(lanes), multiply)? & u64::from(u32::MAX);
        Some(row.wrapping_mul((*outermost)?) / bytes)
    }

    /// Returns how many sizes there are.
    fn dimensions(&self) -> u8 {
        u8::try_from(self.0.len()).unwrap_or(u8::MAX)
    }
}

/// `[4][8]`, `[]`, or nothing.
fn dimensions(text: &str) -> Parsed<'_, Sizes> {
    let mut sizes = Sizes(SmallVec::new());
    let mut text = text;
    while let Some(rest) = accept(text, '[') {
        let (rest, size) = match accept(rest, ']') {
            Some(_) => (rest, None),
            None if blanks(rest).starts_with("WARP_SZ") => (word(blanks(rest))?.0, Some(32)),
            None => match number(blanks(rest))? {
                (rest, Number::Signed(size)) => (rest, Some(size as u64)),
                (rest, Number::Unsigned(size)) => (rest, Some(size)),
                _ => return expected(blanks(rest), "an array size"),
            },
        };
        sizes.0.push(size);
        text = punct(rest, ']', "`]`")?.0;
    }
    Ok((text, sizes))
}

/// A parameter list in parentheses, behind the opening one, which is read up to and with the closing one.
/// Each parameter comes with its name where it stands.
pub(crate) fn parameters(text: &str) -> Parsed<'_, Vec<(&str, Parameter)>> {
    let mut list = Vec::new();
    if let Some(rest) = accept(text, ')') {
        return Ok((rest, list));
    }
    let mut text = text;
    loop {
        let at = blanks(text);
        let (rest, space) = dotted(at)?;
        let space = match space {
            "param" => Space::Param,
            "reg" => Space::Reg,
            _ => return expected(at, "`.param` or `.reg`"),
        };
        let (rest, shape) = shape(rest, None)?;
        // Prototypes of PTX 1.x and 2.x give the types of registers alone.
        let nameless = space == Space::Reg && blanks(rest).starts_with([',', ')']);
        let (rest, name) = match word(blanks(rest)) {
            Ok((rest, name)) => (rest, name),
            Err(_) if nameless => (rest, cut(rest, 0).0),
            Err(_) => return missing(rest, "the name of the parameter"),
        };
        let (after, sizes) = dimensions(rest)?;
        if sizes.dimensions() > 1 {
            let message = "a parameter has one size at most".to_owned();
            return Err(broken(blanks(rest), message, Some("write the product of the sizes")));
        }
        let rest = after;
        let count = sizes.elements(shape.lanes, shape.ty).unwrap_or(0);
        let align = shape.alignment();
        let known = if name.is_empty() { "_" } else { name };
        list.push((
            name,
            Parameter { name: known.into(), space, ty: shape.ty, align, count, dimensions: sizes.dimensions() },
        ));
        match accept(rest, ',') {
            Some(rest) => text = rest,
            None => return punct(rest, ')', "`,` or `)`").map(|(rest, ())| (rest, list)),
        }
    }
}
