//! Registers, labels and instruction text.

use std::fmt::Write as _;

use super::Random;
use super::lines::Lines;
use super::scopes::Scopes;

/// The class of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    Pred,
    Half,
    Word,
    Long,
    Single,
    Double,
}

impl Class {
    pub(crate) const ALL: &'static [Class] =
        &[Class::Pred, Class::Half, Class::Word, Class::Long, Class::Single, Class::Double];

    pub(super) fn prefix(self) -> &'static str {
        match self {
            Class::Pred => "%p",
            Class::Half => "%rs",
            Class::Word => "%r",
            Class::Long => "%rd",
            Class::Single => "%f",
            Class::Double => "%fd",
        }
    }

    pub(super) fn ty(self) -> &'static str {
        match self {
            Class::Pred => ".pred",
            Class::Half => ".b16",
            Class::Word => ".b32",
            Class::Long => ".b64",
            Class::Single => ".f32",
            Class::Double => ".f64",
        }
    }
}

/// A register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reg {
    pub(crate) class: Class,
    number: u32,
}

impl std::fmt::Display for Reg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.class.prefix(), self.number)
    }
}

/// The text of a body, and the registers and labels that it has used.
pub(crate) struct Code<'r> {
    pub(crate) random: &'r mut Random,
    pub(crate) text: String,
    counts: [u32; 6],
    labels: u32,
    /// The source positions, if the kernel has some.
    pub(super) lines: Option<Lines>,
    /// Puts instructions into scopes, if the kernel has some.
    pub(super) scopes: Option<Scopes>,
    /// Decides about subnormal numbers, if accumulators may be such.
    pub(super) subnormal: Option<Random>,
}

impl<'r> Code<'r> {
    pub(crate) fn new(random: &'r mut Random) -> Code<'r> {
        Code { random, text: String::new(), counts: [0; 6], labels: 0, lines: None, scopes: None, subnormal: None }
    }

    pub(crate) fn reg(&mut self, class: Class) -> Reg {
        let count = &mut self.counts[class as usize];
        *count += 1;
        Reg { class, number: *count - 1 }
    }

    pub(crate) fn label(&mut self) -> String {
        self.labels += 1;
        format!("$L{}", self.labels)
    }

    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        let text = text.as_ref();
        if let Some(lines) = self.lines.as_mut().filter(|_| text.ends_with(';') && !text.starts_with('$')) {
            self.text += &lines.next();
        }
        if let Some(scoped) = self.scopes.as_mut().and_then(|scopes| scopes.around(text)) {
            self.text += &scoped;
            return;
        }
        self.text.push('\t');
        self.text.push_str(text);
        self.text.push('\n');
    }

    pub(crate) fn place(&mut self, label: &str) {
        let _ = writeln!(self.text, "{label}:");
    }

    /// Declarations for all registers used.
    pub(crate) fn declarations(&self) -> String {
        let mut text = String::new();
        for &class in Class::ALL {
            let count = self.counts[class as usize] + 1;
            let _ = writeln!(text, "\t.reg {} {}<{count}>;", class.ty(), class.prefix());
        }
        text
    }

    /// An operation on two words, into a register that may be one of them.
    pub(crate) fn word_into(&mut self, to: Reg, a: Reg, b: Reg) {
        let number = self.random.below(1000) + 1;
        let text = match self.random.below(6) {
            0 => format!("add.s32 {to}, {a}, {b};"),
            1 => format!("xor.b32 {to}, {a}, {b};"),
            2 => format!("mad.lo.s32 {to}, {a}, {number}, {b};"),
            3 => format!("sub.s32 {to}, {b}, {a};"),
            4 => format!("shf.l.wrap.b32 {to}, {a}, {b}, {};", number % 32),
            _ => format!("mad.lo.s32 {to}, {b}, {}, {a};", number | 1),
        };
        self.line(text);
    }

    /// A value of a class, made from a word.
    pub(crate) fn value(&mut self, class: Class, from: Reg) -> Reg {
        let to = self.reg(class);
        let number = self.random.below(7) + 1;
        match class {
            Class::Pred => {
                let low = self.reg(Class::Word);
                self.line(format!("and.b32 {low}, {from}, 7;"));
                self.line(format!("setp.lt.u32 {to}, {low}, {number};"));
            }
            Class::Half => self.line(format!("cvt.u16.u32 {to}, {from};")),
            Class::Word => self.line(format!("mad.lo.s32 {to}, {from}, {number}, {};", number * 77)),
            Class::Long => self.line(format!("mul.wide.u32 {to}, {from}, {};", number * 0x0101_0101)),
            Class::Single => {
                let low = self.reg(Class::Word);
                self.line(format!("and.b32 {low}, {from}, 65535;"));
                self.line(format!("cvt.rn.f32.u32 {to}, {low};"));
            }
            Class::Double => self.line(format!("cvt.rn.f64.u32 {to}, {from};")),
        }
        to
    }

    /// A word made from a value of any class.
    pub(crate) fn fold(&mut self, value: Reg) -> Reg {
        if value.class == Class::Word {
            return value;
        }
        let to = self.reg(Class::Word);
        match value.class {
            Class::Pred => self.line(format!("selp.b32 {to}, 77, 5, {value};")),
            Class::Half => self.line(format!("cvt.u32.u16 {to}, {value};")),
            Class::Word => {}
            Class::Long | Class::Double => {
                let (low, high) = (self.reg(Class::Word), self.reg(Class::Word));
                self.line(format!("mov.b64 {{{low}, {high}}}, {value};"));
                self.line(format!("xor.b32 {to}, {low}, {high};"));
            }
            Class::Single => self.line(format!("mov.b32 {to}, {value};")),
        }
        to
    }

    /// The address of word `index` of an array whose address is `base`.
    pub(crate) fn address(&mut self, base: Reg, index: Reg) -> Reg {
        let (offset, address) = (self.reg(Class::Long), self.reg(Class::Long));
        self.line(format!("mul.wide.u32 {offset}, {index}, 4;"));
        self.line(format!("add.s64 {address}, {base}, {offset};"));
        address
    }
}
