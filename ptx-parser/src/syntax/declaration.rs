//! Declarations: registers, variables with their initial values, parameters (PTX ISA, "Variables").

use smallvec::SmallVec;

use super::initial::initial;
use super::lexical::{Number, Parsed, accept, blanks, broken, count, dotted, expected, missing, number, punct, word};
use super::names::Names;
use crate::types::{Space, Type};
use crate::variable::{Parameter, Variable};

/// What stands between the state space and the names: alignment, vector length, type.
struct Shape {
    align: Option<u32>,
    lanes: u8,
    ty: Type,
}

impl Shape {
    /// The alignment in bytes: as declared, else the size of one element.
    fn alignment(&self) -> u32 {
        self.align.unwrap_or_else(|| self.ty.bytes() * u32::from(self.lanes))
    }
}

/// Reads `.align 8 .v4 .f32` and whatever attributes stand among them, in any order.
fn shape(text: &str) -> Parsed<'_, Shape> {
    let mut shape = Shape { align: None, lanes: 1, ty: Type::B8 };
    let mut typed = false;
    let mut text = blanks(text);
    while text.starts_with('.') {
        let (rest, name) = dotted(text)?;
        let mut rest = rest;
        match name {
            "align" => {
                let (after, align) = count(rest)?;
                if !align.is_power_of_two() {
                    return Err(broken(blanks(rest), format!("alignment {align} is not a power of two"), None));
                }
                shape.align = Some(align);
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
            "attribute" => rest = parenthesised(rest)?.0,
            _ => match Type::from_text(name) {
                Some(ty) => {
                    shape.ty = ty;
                    typed = true;
                }
                None if ["texref", "samplerref", "surfref"].contains(&name) => {
                    shape.ty = Type::B64;
                    typed = true;
                }
                None => return expected(text, "a type, `.align` or `.attribute`"),
            },
        }
        text = blanks(rest);
    }
    if typed { Ok((text, shape)) } else { expected(text, "a type such as `.b32`") }
}

/// What follows `.ptr`: an optional space and alignment.
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

/// A list in parentheses that nobody looks into.
pub(super) fn parenthesised(text: &str) -> Parsed<'_, ()> {
    let (rest, ()) = punct(text, '(', "`(`")?;
    let mut depth = 1;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b';' | b'{' => return missing(&rest[at..], "`)`"),
            _ => {}
        }
        if depth == 0 {
            return Ok((&rest[at + 1..], ()));
        }
    }
    expected(&rest[rest.len()..], "`)`")
}

/// `.reg .b32 %r<28>, %x;`, behind `.reg`.
pub(crate) fn registers<'a>(text: &'a str, names: &mut Names<'a>) -> Parsed<'a, ()> {
    let (rest, shape) = shape(text)?;
    let mut text = rest;
    loop {
        let (rest, name) = word(blanks(text))?;
        let rest = match accept(rest, '<') {
            Some(rest) => {
                let (rest, count) = count(rest)?;
                names.declare_family(name, u64::from(count), shape.ty, shape.lanes)?;
                punct(rest, '>', "`>`")?.0
            }
            None => {
                names.declare_reg(name, shape.ty, shape.lanes)?;
                rest
            }
        };
        match accept(rest, ',') {
            Some(rest) => text = rest,
            None => return punct(rest, ';', "`,` or `;`"),
        }
    }
}

/// `.align 4 .b8 name[16] = {…}, other;`, behind the state space. Each comes with its name where it stands.
pub(crate) fn variables(text: &str, space: Space, external: bool) -> Parsed<'_, Vec<(&str, Variable)>> {
    let (rest, shape) = shape(text)?;
    let mut list = Vec::new();
    let mut text = rest;
    loop {
        let (rest, name) = word(blanks(text))?;
        if accept(rest, '<').is_some() {
            let message = format!("a family of variables `{name}<…>` is not supported");
            return Err(broken(name, message, Some("declare the variables one by one")));
        }
        let (mut rest, sizes) = dimensions(rest)?;
        let mut init = Vec::new();
        if let Some(value) = accept(rest, '=') {
            rest = initial(blanks(value), shape.ty, &sizes.inner(shape.lanes), &mut init)?.0;
        }
        let count = match sizes.elements(shape.lanes) {
            None if !init.is_empty() => Some(init.len() as u64),
            count => count,
        };
        let align = shape.alignment();
        list.push((name, Variable { name: name.into(), space, align, ty: shape.ty, count, external, init }));
        match accept(rest, ',') {
            Some(rest) => text = rest,
            None => return punct(rest, ';', "`,`, `=` or `;`").map(|(rest, ())| (rest, list)),
        }
    }
}

/// The sizes of an array, outermost first; `None` where none is given. No sizes: a scalar.
struct Sizes(SmallVec<[Option<u64>; 2]>);

impl Sizes {
    /// How many elements there are in all, those of vectors counted; `None` if a size is not given.
    fn elements(&self, lanes: u8) -> Option<u64> {
        self.0.iter().try_fold(u64::from(lanes), |product, size| Some(product.saturating_mul((*size)?)))
    }

    /// How many elements each level of braces in an initial value holds: the second, the third, ….
    fn inner(&self, lanes: u8) -> SmallVec<[u64; 2]> {
        let lanes = u64::from(lanes);
        let below =
            |level: usize| self.0[level..].iter().fold(lanes, |all, size| all.saturating_mul(size.unwrap_or(1)));
        let mut inner: SmallVec<[u64; 2]> = (1..self.0.len()).map(below).collect();
        if lanes > 1 && !self.0.is_empty() {
            inner.push(lanes);
        }
        inner
    }
}

/// `[4][8]`, `[]`, or nothing.
fn dimensions(text: &str) -> Parsed<'_, Sizes> {
    let mut sizes = Sizes(SmallVec::new());
    let mut text = text;
    while let Some(rest) = accept(text, '[') {
        let (rest, size) = match accept(rest, ']') {
            Some(_) => (rest, None),
            None => match number(blanks(rest))? {
                (rest, Number::Int(size)) => (rest, Some(size)),
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
        let (rest, shape) = shape(rest)?;
        let (rest, name) = word(blanks(rest))?;
        let (rest, sizes) = dimensions(rest)?;
        let count = sizes.elements(shape.lanes).unwrap_or(0);
        let align = shape.alignment();
        list.push((name, Parameter { name: name.into(), space, ty: shape.ty, align, count }));
        match accept(rest, ',') {
            Some(rest) => text = rest,
            None => return punct(rest, ')', "`,` or `)`").map(|(rest, ())| (rest, list)),
        }
    }
}
