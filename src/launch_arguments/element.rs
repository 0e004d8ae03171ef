//! Elements: the size and the format of one number in memory. Signs make no difference, and bits may be anything.

use ptx_parser::Type;

/// A number in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element {
    /// Its size in bytes.
    pub(super) bytes: u32,
    pub(super) format: Format,
}

/// The meaning of a number's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Signed,
    Unsigned,
    /// IEEE single or double precision, by the size.
    Float,
    /// IEEE half precision.
    Half,
    /// bfloat16.
    Bfloat,
}

impl Element {
    /// The element of a PTX type; `None` for bits and packed formats, which may be anything.
    pub(super) fn of(ty: Type) -> Option<Element> {
        let (bytes, format) = match ty {
            Type::S8 | Type::S16 | Type::S32 | Type::S64 => (ty.bytes(), Format::Signed),
            Type::U8 | Type::U16 | Type::U32 | Type::U64 => (ty.bytes(), Format::Unsigned),
            Type::F32 | Type::F64 | Type::Tf32 => (ty.bytes(), Format::Float),
            Type::F16 | Type::F16x2 => (2, Format::Half),
            Type::Bf16 | Type::Bf16x2 => (2, Format::Bfloat),
            _ => return None,
        };
        Some(Element { bytes, format })
    }

    /// Returns true if a number of one is another number, or none, as the other. A sign is no contradiction.
    pub(super) fn contradicts(self, other: Element) -> bool {
        let unsigned = |format| if format == Format::Signed { Format::Unsigned } else { format };
        self.bytes != other.bytes || unsigned(self.format) != unsigned(other.format)
    }

    /// The type to write in an argument.
    pub(super) fn word(self) -> String {
        let bits = 8 * self.bytes;
        match self.format {
            Format::Signed => format!("i{bits}"),
            Format::Unsigned => format!("u{bits}"),
            Format::Float | Format::Half => format!("f{bits}"),
            Format::Bfloat => "bf16".into(),
        }
    }

    /// NumPy's name of the type; `None` for bfloat16, which it lacks.
    pub(super) fn numpy(self) -> Option<String> {
        let bits = 8 * self.bytes;
        match self.format {
            Format::Signed => Some(format!("int{bits}")),
            Format::Unsigned => Some(format!("uint{bits}")),
            Format::Float | Format::Half => Some(format!("float{bits}")),
            Format::Bfloat => None,
        }
    }
}

/// Returns true for types that may be anything of their size.
pub(super) fn is_bits(ty: Type) -> bool {
    matches!(ty, Type::B8 | Type::B16 | Type::B32 | Type::B64)
}
