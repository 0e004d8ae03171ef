//! The operands of a form, and the notation in which the rows write them.
//!
//! An operand is a role, a class, and marks: `r0+?` is a value that is read, of the opcode's first type, in a register
//! that may be wider, and may be left out. Behind `=` stand the literals that may stand, `4|8|16`, `0..15` or in steps, `24..256*8`, `*32`.
//!
//! | role | | class | | mark | |
//! | --- | --- | --- | --- | --- | --- |
//! | `w` | written | `0` `1` … | of the opcode's first, second … type | `+` | the register may be wider than the type |
//! | `r` | read | `W0` | of twice that width | `?` | may be left out |
//! | `x` | both | `u32` … | of that type | `^` | a predicate may follow behind a bar |
//! | | | `%0` | a register, no literal | `!` | it must follow |
//! | | | `#` | a literal integer | `_` | may be the sink |
//! | | | `m0` | whatever `mov` takes | `$` | may be a special register |
//! | | | `p` | a predicate | `&` | may be the address of a variable |
//! | | | `{4}0` `{v}0` `{n/2}0` | a vector of 4; as `.v2` `.v4` `.v8` say; half the columns | `.` | may be a part of a register |
//! | | | `a` `A` `b` | an address; one as wide as the module says unless a narrower space is named; a bracketed list | | |
//! | | | `c1` | a texture with its coordinates, of the opcode's second type; of a given type, a surface with its | | |
//! | | | `l` `g` `f` `t` `*` | a label, a table of labels, a callee, a tuple, anything | | |

use std::fmt;

use smallvec::SmallVec;

use super::availability::Needs;
use super::register_types::TypeSet;
use super::words::{MatrixShape, Modifier};
use crate::types::{Space, Type};

/// The kinds of operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A register, or a literal where it is read.
    Value,
    /// A register, no literal.
    Register,
    /// A literal integer.
    Literal,
    /// An operand of `mov`: values, special registers, addresses, vectors to pack or unpack.
    Move,
    /// A predicate, negated or not; where it is read, a literal too.
    Predicate,
    /// A vector of that many elements; 1 stands for a single register, in braces or not.
    Vector(u8),
    /// An address in brackets.
    Address,
    /// An address in brackets that may reach all memory: a register is as wide as the addresses of the module.
    FullAddress,
    /// A list in brackets: a texture or tensor reference with its coordinates.
    Bracket,
    /// A texture or surface with its coordinates, in brackets.
    Coordinates(Geometry),
    /// A label.
    Label,
    /// The name of a list of labels.
    LabelTable,
    /// A function, or a register that points to one.
    Callee,
    /// Results or arguments of a call.
    Tuple,
    /// Not described.
    Any,
}

/// The requirements of a texture's or surface's geometry on its coordinates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Geometry {
    /// The number of elements a vector of coordinates has at least: 1, 2 or 4.
    pub(crate) least: u8,
    /// The number of them, in front, that are integers whatever the type of the others is: the layer, the sample.
    pub(crate) indices: u8,
    /// True if a register may stand instead of the vector, as `ptxas` has it whatever the geometry is but for layers and samples.
    pub(crate) alone: bool,
    /// True if a sampler may stand in front of the coordinates.
    pub(crate) sampled: bool,
}

impl Geometry {
    /// Returns the geometry of a texture, from the modifier that names it.
    fn of(modifier: Modifier) -> Option<Geometry> {
        let (least, indices, alone) = match modifier {
            Modifier::N1d => (1, 0, true),
            Modifier::N2d => (2, 0, true),
            Modifier::N3d | Modifier::Cube => (4, 0, true),
            Modifier::A1d => (2, 1, false),
            Modifier::A2d | Modifier::Acube => (4, 1, false),
            Modifier::N2dms => (4, 0, false),
            Modifier::A2dms => (4, 2, false),
            _ => return None,
        };
        Some(Geometry { least, indices, alone, sampled: true })
    }

    /// The same of a surface: its layer is a coordinate like the others.
    fn of_surface(self) -> Geometry {
        Geometry { indices: 0, alone: true, sampled: false, ..self }
    }
}

/// The width that the register of a value may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Width {
    /// As the type says.
    Exact,
    /// That or wider (PTX ISA, "Operand Size Exceeding Instruction-Type Size").
    OrWider,
}

/// An operand of a form whose types are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Param {
    /// `w`, `r` or `x`.
    pub(crate) role: u8,
    pub(crate) kind: Kind,
    pub(crate) ty: Type,
    pub(crate) width: Width,
    pub(crate) marks: Marks,
    /// The literals that may stand for it, if not all.
    pub(crate) literals: Literals,
    /// The registers that may stand alone, by type; none where a register alone may not.
    registers: TypeSet,
}

impl Param {
    /// Returns true if a register of a type may stand for it, alone.
    #[inline]
    pub(crate) fn takes(&self, ty: Type) -> bool {
        self.registers.has(ty)
    }
}

/// The further syntax that an operand may or must have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Marks {
    pub(crate) optional: bool,
    /// `|p` may follow.
    pub(crate) pair: bool,
    /// `|p` must follow.
    pub(crate) pair_required: bool,
    pub(crate) sink: bool,
    pub(crate) special: bool,
    pub(crate) symbol: bool,
    pub(crate) part: bool,
    /// A vector of one stands in braces, too.
    pub(crate) braces: bool,
}

/// The literals that may stand for an operand, as a row writes them; empty for all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Literals(&'static str);

impl Literals {
    /// Returns true if a literal is one of them, as it is or cut to 32 bits: the assembler cuts some before it looks.
    #[inline]
    pub(crate) fn have(self, value: i64) -> bool {
        self.0.is_empty() || self.have_one_of(value)
    }

    fn have_one_of(self, value: i64) -> bool {
        [value, i64::from(value as i32), i64::from(value as u32)].iter().any(|&value| self.have_exactly(value))
    }

    fn have_exactly(self, value: i64) -> bool {
        self.0.split('|').any(|some| {
            let (range, step) = some.split_once('*').unwrap_or((some, "1"));
            let (least, most) = range.split_once("..").unwrap_or((range, range));
            let bound = |text: &str, default| text.parse().unwrap_or(default);
            let within = (bound(least, i64::MIN)..=bound(most, i64::MAX)).contains(&value);
            within && value % bound(step, 1).max(1) == 0
        })
    }
}

impl fmt::Display for Literals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |some: &str| match some.split_once('*') {
            Some(("", step)) => format!("a multiple of {step}"),
            Some((range, step)) => format!("{}, a multiple of {step}", range.replace("..", " to ")),
            None => some.replace("..", " to "),
        };
        f.write_str(&self.0.split('|').map(one).collect::<Vec<_>>().join(" or "))
    }
}

/// The operands of a form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Signature {
    pub(crate) params: SmallVec<[Param; 4]>,
    /// The requirements of the form; others of the same modifiers may need less.
    pub(crate) needs: Needs,
    /// The least number that there must be.
    pub(crate) required: usize,
}

/// The type of an operand as a row writes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TypeOf {
    Nth(usize),
    DoubleNth(usize),
    Fixed(Type),
}

/// The number of elements of a vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lanes {
    /// The columns of the shape, divided by this.
    Columns(u8),
    Fixed(u8),
    Modifier,
}

/// The sizes of operands that the modifiers of an opcode determine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    /// 2, 4, 8 of `.v2` `.v4` `.v8`; else 1.
    pub(super) vector: u8,
    /// The columns of the result of a warpgroup's product: 128 of `.m64n128k16`; 256 does not fit, which is why they
    /// are counted in pairs.
    pub(super) columns: u8,
    geometry: Geometry,
    /// True if a space other than global memory is named, so that 32 bits are enough for an address.
    pub(super) narrow_space: bool,
}

impl Shape {
    /// Reads the modifiers.
    pub(super) fn of(modifiers: &[Modifier]) -> Shape {
        let mut shape = Shape { vector: 1, columns: 0, geometry: Geometry::default(), narrow_space: false };
        for &modifier in modifiers {
            shape.geometry = Geometry::of(modifier).unwrap_or(shape.geometry);
            shape.narrow_space |= modifier.space().is_some_and(|space| space != Space::Global);
            shape.vector = modifier.lanes().unwrap_or(shape.vector);
            if let Modifier::Shape(MatrixShape { m: 64, n, .. }) = modifier {
                shape.columns = u8::try_from(n / 2).unwrap_or(0);
            }
        }
        shape
    }
}

/// An operand as a row writes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Slot {
    pub(super) role: u8,
    kind: Kind,
    ty: TypeOf,
    lanes: Lanes,
    width: Width,
    marks: Marks,
    literals: Literals,
}

impl Slot {
    /// Reads the notation; `None` if it is malformed.
    pub(super) fn from_text(text: &'static str) -> Option<Slot> {
        let (text, literals) = text.split_once('=').unwrap_or((text, ""));
        let role = *text.as_bytes().first().filter(|role| b"wrx".contains(role))?;
        let text = text.get(1..)?;
        let body = text.trim_end_matches(['+', '?', '^', '!', '_', '$', '&', '.']);
        let marks = text.get(body.len()..)?;
        let has = |mark| marks.contains(mark);
        let (kind, ty, lanes) = class(body)?;
        Some(Slot {
            role,
            kind,
            ty,
            lanes,
            width: if has('+') { Width::OrWider } else { Width::Exact },
            marks: Marks {
                optional: has('?'),
                pair: has('^') || has('!'),
                pair_required: has('!'),
                sink: has('_'),
                special: has('$'),
                symbol: has('&'),
                part: has('.'),
                braces: matches!((kind, lanes), (Kind::Vector(_), Lanes::Fixed(_))),
            },
            literals: Literals(literals),
        })
    }

    /// Returns true if it may be left out.
    pub(super) fn is_optional(&self) -> bool {
        self.marks.optional
    }

    /// With the types of an opcode, and the length of its vectors.
    pub(super) fn resolve(&self, types: &[Type], shape: Shape) -> Param {
        let nth = |n: usize| types.get(n).copied().unwrap_or(Type::B32);
        let ty = match self.ty {
            TypeOf::Nth(n) => nth(n),
            TypeOf::DoubleNth(n) => double(nth(n)),
            TypeOf::Fixed(ty) => ty,
        };
        let lanes = match self.lanes {
            Lanes::Fixed(lanes) => lanes,
            Lanes::Modifier => shape.vector,
            Lanes::Columns(divisor) => shape.columns / (divisor / 2).max(1),
        };
        let kind = match self.kind {
            Kind::Vector(_) => Kind::Vector(lanes),
            Kind::Coordinates(_) if matches!(self.ty, TypeOf::Fixed(_)) => {
                Kind::Coordinates(shape.geometry.of_surface())
            }
            Kind::Coordinates(_) => Kind::Coordinates(shape.geometry),
            Kind::Value if ty == Type::Pred => Kind::Predicate,
            Kind::FullAddress if shape.narrow_space => Kind::Address,
            kind => kind,
        };
        let alone =
            matches!(kind, Kind::Value | Kind::Register | Kind::Predicate | Kind::Move) && !self.marks.pair_required;
        let registers = if alone { TypeSet::holding(ty, self.width) } else { TypeSet::default() };
        Param { role: self.role, kind, ty, width: self.width, marks: self.marks, literals: self.literals, registers }
    }
}

/// The class of an operand, behind its role and before its marks.
fn class(body: &str) -> Option<(Kind, TypeOf, Lanes)> {
    let plain = |kind| Some((kind, TypeOf::Fixed(Type::B32), Lanes::Fixed(1)));
    match body {
        "#" => return plain(Kind::Literal),
        "p" => return Some((Kind::Predicate, TypeOf::Fixed(Type::Pred), Lanes::Fixed(1))),
        "a" => return plain(Kind::Address),
        "A" => return plain(Kind::FullAddress),
        "b" => return plain(Kind::Bracket),
        "l" => return plain(Kind::Label),
        "g" => return plain(Kind::LabelTable),
        "f" => return plain(Kind::Callee),
        "t" => return plain(Kind::Tuple),
        "*" => return plain(Kind::Any),
        _ => {}
    }
    if let Some(rest) = body.strip_prefix('{') {
        let (lanes, ty) = rest.split_once('}')?;
        let lanes = match lanes.strip_prefix("n/") {
            Some(divisor) => Lanes::Columns(divisor.parse().ok()?),
            None if lanes == "v" => Lanes::Modifier,
            None => Lanes::Fixed(lanes.parse().ok()?),
        };
        return Some((Kind::Vector(1), type_of(ty)?, lanes));
    }
    let (kind, ty) = match body.split_at_checked(1)? {
        ("%", ty) => (Kind::Register, ty),
        ("m", ty) => (Kind::Move, ty),
        ("c", ty) => (Kind::Coordinates(Geometry::default()), ty),
        _ => (Kind::Value, body),
    };
    Some((kind, type_of(ty)?, Lanes::Fixed(1)))
}

fn type_of(text: &str) -> Option<TypeOf> {
    if let Some(ty) = Type::from_text(text) {
        return Some(TypeOf::Fixed(ty));
    }
    match text.strip_prefix('W') {
        Some(nth) => Some(TypeOf::DoubleNth(nth.parse().ok()?)),
        None => Some(TypeOf::Nth(text.parse().ok()?)),
    }
}

/// The type of twice the width, for the result of a wide multiplication.
fn double(ty: Type) -> Type {
    match ty {
        Type::U16 => Type::U32,
        Type::S16 => Type::S32,
        Type::U32 => Type::U64,
        Type::S32 => Type::S64,
        ty => ty,
    }
}
