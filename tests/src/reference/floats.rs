//! A reference model of floating-point arithmetic in every rounding mode, and checks of the emulator against it.
//!
//! A result is an exact rational number, or the square root of one, in big integers. It is rounded once, by the remainder of an
//! integer division. No floating-point arithmetic of the host is used.

use std::cmp::Ordering;
use std::fmt;

use emulator::{Launch, Memory, Outcome, Program};
use num_bigint::BigUint;
use ptx_parser::Module;

/// A binary format of IEEE 754.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// Bits of the significand, the hidden one included.
    precision: u32,
    /// Bits of the exponent field.
    exponent: u32,
}

/// Single precision.
pub const F32: Format = Format { precision: 24, exponent: 8 };
/// Double precision.
pub const F64: Format = Format { precision: 53, exponent: 11 };

impl Format {
    /// Returns the exponent of the unit of subnormal values.
    fn lowest(self) -> i64 {
        2 - (1 << (self.exponent - 1)) - i64::from(self.precision) + 1
    }

    /// Returns the exponent field of infinity and NaN.
    fn top_field(self) -> u64 {
        (1 << self.exponent) - 1
    }

    fn bits(self) -> u32 {
        self.precision + self.exponent
    }

    fn sign(self, negative: bool) -> u64 {
        u64::from(negative) << (self.bits() - 1)
    }

    fn infinity(self, negative: bool) -> u64 {
        self.sign(negative) | self.top_field() << (self.precision - 1)
    }

    /// Returns the canonical NaN: all bits but the sign are set.
    fn nan(self) -> u64 {
        self.sign(true) - 1
    }

    fn is_subnormal(self, bits: u64) -> bool {
        let magnitude = bits & self.nan();
        magnitude != 0 && magnitude < 1 << (self.precision - 1)
    }

    /// Replaces a subnormal value by zero with its sign.
    fn flush(self, bits: u64) -> u64 {
        if self.is_subnormal(bits) { bits & self.sign(true) } else { bits }
    }

    fn decode(self, bits: u64) -> Value {
        let negative = bits & self.sign(true) != 0;
        let field = bits >> (self.precision - 1) & self.top_field();
        let fraction = bits & ((1 << (self.precision - 1)) - 1);
        match (field, fraction) {
            (field, 0) if field == self.top_field() => Value::Infinite(negative),
            (field, _) if field == self.top_field() => Value::Nan,
            (0, digits) => Value::Finite { negative, digits, exponent: self.lowest() },
            _ => Value::Finite {
                negative,
                digits: fraction | 1 << (self.precision - 1),
                exponent: self.lowest() + field as i64 - 1,
            },
        }
    }
}

/// A decoded operand: `digits * 2^exponent` where it is finite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    Nan,
    Infinite(bool),
    Finite { negative: bool, digits: u64, exponent: i64 },
}

/// A rounding mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// `.rn`
    Nearest,
    /// `.rz`
    Zero,
    /// `.rm`
    Down,
    /// `.rp`
    Up,
}

/// An operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// `add`
    Add,
    /// `sub`
    Sub,
    /// `mul`
    Mul,
    /// `fma`
    Fma,
    /// `div`
    Div,
    /// `rcp`
    Rcp,
    /// `sqrt`
    Sqrt,
}

/// An instruction form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Form {
    /// The operation.
    pub operation: Operation,
    /// The rounding mode.
    pub mode: Mode,
    /// `.ftz`
    pub flush: bool,
    /// `.sat`
    pub saturate: bool,
    /// The type of operands and result.
    pub format: Format,
}

impl Form {
    /// Returns the number of operands.
    #[must_use]
    pub fn operands(&self) -> usize {
        match self.operation {
            Operation::Rcp | Operation::Sqrt => 1,
            Operation::Fma => 3,
            _ => 2,
        }
    }

    /// Computes the bits of the result from those of the operands.
    #[must_use]
    pub fn compute(&self, operands: [u64; 3]) -> u64 {
        let operands = if self.flush { operands.map(|bits| self.format.flush(bits)) } else { operands };
        let result = self.compute_unflushed(operands);
        let result = if self.flush { self.format.flush(result) } else { result };
        if self.saturate { self.clamp(result) } else { result }
    }

    /// Clamps to [0, 1]; NaN and both zeros become +0.
    fn clamp(&self, bits: u64) -> u64 {
        let one = ((1 << (self.format.exponent - 1)) - 1) << (self.format.precision - 1);
        match self.format.decode(bits) {
            Value::Nan => 0,
            _ if bits & self.format.sign(true) != 0 => 0,
            _ => bits.min(one),
        }
    }

    fn compute_unflushed(&self, [a, b, c]: [u64; 3]) -> u64 {
        let format = self.format;
        let [x, y, z] = [a, b, c].map(|bits| format.decode(bits));
        let one = Value::Finite { negative: false, digits: 1, exponent: 0 };
        match self.operation {
            Operation::Add => self.sum(product(x, one), y),
            Operation::Sub => self.sum(product(x, one), negate(y)),
            Operation::Mul => match product(x, y) {
                Product::Nan => format.nan(),
                Product::Infinite(negative) => format.infinity(negative),
                Product::Finite(exact) => self.round(&exact),
            },
            Operation::Fma => self.sum(product(x, y), z),
            Operation::Div => self.quotient(x, y),
            Operation::Rcp => self.quotient(one, x),
            Operation::Sqrt => match x {
                Value::Infinite(false) => format.infinity(false),
                Value::Finite { digits: 0, .. } => a,
                Value::Finite { negative: false, digits, exponent } => {
                    let radicand =
                        Exact { negative: false, over: digits.into(), under: 1u8.into(), exponent, root: true };
                    self.round(&radicand)
                }
                _ => format.nan(),
            },
        }
    }

    fn sum(&self, product: Product, addend: Value) -> u64 {
        let format = self.format;
        let (exact, negative, digits, exponent) = match (product, addend) {
            (Product::Nan, _) | (_, Value::Nan) => return format.nan(),
            (Product::Infinite(x), Value::Infinite(y)) if x != y => return format.nan(),
            (Product::Infinite(x), _) | (_, Value::Infinite(x)) => return format.infinity(x),
            (Product::Finite(exact), Value::Finite { negative, digits, exponent }) => {
                (exact, negative, digits, exponent)
            }
        };
        let unit = exact.exponent.min(exponent);
        let (x, y) = (exact.over << (exact.exponent - unit), BigUint::from(digits) << (exponent - unit));
        let (negative, over) = match (exact.negative == negative, x.cmp(&y)) {
            (true, _) => (negative, x + y),
            (false, Ordering::Greater) => (exact.negative, x - y),
            (false, Ordering::Less) => (negative, y - x),
            // An exact zero from operands of different signs.
            (false, Ordering::Equal) => (self.mode == Mode::Down, BigUint::ZERO),
        };
        self.round(&Exact { negative, over, under: 1u8.into(), exponent: unit, root: false })
    }

    fn quotient(&self, dividend: Value, divisor: Value) -> u64 {
        let format = self.format;
        match (dividend, divisor) {
            (Value::Nan, _) | (_, Value::Nan) | (Value::Infinite(_), Value::Infinite(_)) => format.nan(),
            (Value::Finite { digits: 0, .. }, Value::Finite { digits: 0, .. }) => format.nan(),
            (Value::Infinite(x), Value::Finite { negative: y, .. })
            | (Value::Finite { negative: x, .. }, Value::Finite { negative: y, digits: 0, .. }) => {
                format.infinity(x != y)
            }
            (Value::Finite { negative: x, .. }, Value::Infinite(y)) => format.sign(x != y),
            (
                Value::Finite { negative: x, digits: m, exponent: e },
                Value::Finite { negative: y, digits: n, exponent: f },
            ) => {
                let (over, under) = (BigUint::from(m), BigUint::from(n));
                self.round(&Exact { negative: x != y, over, under, exponent: e - f, root: false })
            }
        }
    }

    /// Rounds once to the format.
    fn round(&self, exact: &Exact) -> u64 {
        let (format, negative) = (self.format, exact.negative);
        if exact.over == BigUint::ZERO {
            return format.sign(negative);
        }
        let precision = u64::from(format.precision);
        let mut unit = exact.scale() - precision as i64;
        let (mut digits, rest) = loop {
            unit = unit.max(format.lowest());
            let (digits, rest) = exact.cut(unit);
            match digits.bits() {
                bits if bits > precision => unit += 1,
                bits if bits < precision && unit > format.lowest() => unit -= 1,
                _ => break (u64::try_from(&digits).unwrap_or(u64::MAX), rest),
            }
        };
        let up = match self.mode {
            Mode::Nearest => rest == Rest::AboveHalf || rest == Rest::Half && digits % 2 == 1,
            Mode::Zero => false,
            Mode::Down => negative && rest != Rest::Zero,
            Mode::Up => !negative && rest != Rest::Zero,
        };
        digits += u64::from(up);
        if digits >> precision != 0 {
            digits >>= 1;
            unit += 1;
        }
        let hidden = 1 << (precision - 1);
        if digits < hidden {
            return format.sign(negative) | digits;
        }
        let field = (unit - format.lowest() + 1) as u64;
        if field < format.top_field() {
            return format.sign(negative) | field << (precision - 1) | (digits - hidden);
        }
        let inwards = match self.mode {
            Mode::Nearest => false,
            Mode::Zero => true,
            Mode::Down => !negative,
            Mode::Up => negative,
        };
        format.infinity(negative) - u64::from(inwards)
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.operation {
            Operation::Add => "add",
            Operation::Sub => "sub",
            Operation::Mul => "mul",
            Operation::Fma => "fma",
            Operation::Div => "div",
            Operation::Rcp => "rcp",
            Operation::Sqrt => "sqrt",
        };
        let mode = match self.mode {
            Mode::Nearest => "rn",
            Mode::Zero => "rz",
            Mode::Down => "rm",
            Mode::Up => "rp",
        };
        let (flush, saturate) = (if self.flush { ".ftz" } else { "" }, if self.saturate { ".sat" } else { "" });
        write!(f, "{name}.{mode}{flush}{saturate}.f{}", self.format.bits())
    }
}

/// An exact product.
enum Product {
    Nan,
    Infinite(bool),
    Finite(Exact),
}

fn product(a: Value, b: Value) -> Product {
    match (a, b) {
        (Value::Nan, _) | (_, Value::Nan) => Product::Nan,
        (Value::Infinite(_), Value::Finite { digits: 0, .. }) => Product::Nan,
        (Value::Finite { digits: 0, .. }, Value::Infinite(_)) => Product::Nan,
        (Value::Infinite(x), Value::Infinite(y) | Value::Finite { negative: y, .. })
        | (Value::Finite { negative: x, .. }, Value::Infinite(y)) => Product::Infinite(x != y),
        (
            Value::Finite { negative: x, digits: m, exponent: e },
            Value::Finite { negative: y, digits: n, exponent: f },
        ) => {
            let over = BigUint::from(m) * n;
            Product::Finite(Exact { negative: x != y, over, under: 1u8.into(), exponent: e + f, root: false })
        }
    }
}

fn negate(value: Value) -> Value {
    match value {
        Value::Nan => Value::Nan,
        Value::Infinite(negative) => Value::Infinite(!negative),
        Value::Finite { negative, digits, exponent } => Value::Finite { negative: !negative, digits, exponent },
    }
}

/// An exact result: `over / under * 2^exponent`, or its square root.
struct Exact {
    negative: bool,
    over: BigUint,
    under: BigUint,
    exponent: i64,
    root: bool,
}

/// The part of a result below the last digit, compared with half of that digit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rest {
    Zero,
    BelowHalf,
    Half,
    AboveHalf,
}

impl Exact {
    /// Estimates the number of bits before the binary point.
    fn scale(&self) -> i64 {
        let bits = self.over.bits() as i64 - self.under.bits() as i64 + self.exponent;
        if self.root { bits.div_euclid(2) } else { bits }
    }

    /// Returns the multiples of 2^unit, and the rest.
    fn cut(&self, unit: i64) -> (BigUint, Rest) {
        let shift = self.exponent - if self.root { 2 * unit } else { unit };
        let mut over = self.over.clone();
        let mut under = self.under.clone();
        if shift >= 0 {
            over <<= shift
        } else {
            under <<= -shift
        }
        // Twice the digits plus one is twice the middle of the interval; the root compares squares.
        let (digits, exact) = if self.root {
            let digits = (&over / &under).sqrt();
            let exact = &digits * &digits * &under == over;
            (digits, exact)
        } else {
            let digits = &over / &under;
            let exact = &digits * &under == over;
            (digits, exact)
        };
        let middle = &digits * 2u8 + 1u8;
        let order = if self.root {
            (&over * 4u8).cmp(&(&middle * &middle * &under))
        } else {
            (&over * 2u8).cmp(&(&middle * &under))
        };
        let rest = match order {
            _ if exact => Rest::Zero,
            Ordering::Less => Rest::BelowHalf,
            Ordering::Equal => Rest::Half,
            Ordering::Greater => Rest::AboveHalf,
        };
        (digits, rest)
    }
}

/// A sequence of random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn form(&mut self) -> Form {
        use Operation::*;
        let operation = [Add, Sub, Mul, Fma, Div, Rcp, Sqrt][self.below(7) as usize];
        let mode = [Mode::Nearest, Mode::Zero, Mode::Down, Mode::Up][self.below(4) as usize];
        let single = self.below(2) == 0;
        let format = if single { F32 } else { F64 };
        let flush = single && self.below(3) == 0;
        let saturate = single && matches!(operation, Add | Sub | Mul | Fma) && self.below(4) == 0;
        Form { operation, mode, flush, saturate, format }
    }

    /// Draws digits that make ties, carries and exact results likely.
    fn fraction(&mut self, format: Format) -> u64 {
        let bits = format.precision - 1;
        let mask = (1 << bits) - 1;
        let random = self.next() & mask;
        match self.below(6) {
            // Few leading digits.
            0 => random & !(mask >> self.below(u64::from(bits))),
            // Few digits at the low end.
            1 => random & ((1 << self.below(4)) - 1),
            // All ones but for few.
            2 => mask - (random & ((1 << self.below(4)) - 1)),
            // The upper half of the digits, whose products are exact.
            3 => random & !(mask >> (bits / 2)),
            _ => random,
        }
    }

    fn with_field(&mut self, format: Format, field: i64) -> u64 {
        let field = field.clamp(0, format.top_field() as i64 - 1) as u64;
        let sign = format.sign(self.below(2) == 0);
        sign | field << (format.precision - 1) | self.fraction(format)
    }

    /// Draws an operand without regard to others.
    fn operand(&mut self, format: Format) -> u64 {
        let sign = format.sign(self.below(2) == 0);
        let hidden = 1u64 << (format.precision - 1);
        let infinity = format.infinity(false);
        match self.below(12) {
            0 => sign,
            1 => sign | infinity,
            // NaNs, signalling ones too.
            2 => sign | infinity | (self.next() & (hidden - 1)).max(1),
            3 => sign | [1, hidden - 1, hidden, infinity - 1][self.below(4) as usize],
            // Subnormal values of any length.
            4 | 5 => sign | (self.next() & (hidden - 1)) >> self.below(u64::from(format.precision - 1)),
            // Close to a power of two.
            6 => {
                let power = (self.below(format.top_field() - 1) + 1) << (format.precision - 1);
                sign | (power + self.below(5) - 2)
            }
            7 => {
                let middle = (1i64 << (format.exponent - 1)) - 1;
                let field = middle + self.below(9) as i64 - 4;
                self.with_field(format, field)
            }
            _ => {
                let field = self.below(format.top_field()) as i64;
                self.with_field(format, field)
            }
        }
    }

    /// Draws the operands of one lane: often such that the result is close to an end of the range, that terms cancel, or that an error
    /// term is tiny.
    fn operands(&mut self, form: &Form) -> [u64; 3] {
        let format = form.format;
        let mut operands = [0; 3].map(|_: u64| self.operand(format));
        if self.below(4) == 0 {
            return operands;
        }
        let field = |bits: u64| (bits >> (format.precision - 1) & format.top_field()) as i64;
        let bias = (1i64 << (format.exponent - 1)) - 1;
        let precision = i64::from(format.precision);
        // The exponent field that the result is to have; it may lie outside of the range.
        let target = match self.below(4) {
            0 => self.below(6) as i64 - 3,
            1 => -(self.below(2 * precision as u64) as i64),
            2 => self.below(4 * precision as u64) as i64,
            _ => format.top_field() as i64 + self.below(4) as i64 - 3,
        };
        let first = field(operands[0]);
        match form.operation {
            Operation::Add | Operation::Sub => {
                let distance = self.below(2 * precision as u64 + 6) as i64 - precision - 3;
                operands[1] = match self.below(4) {
                    0 => operands[0] ^ format.sign(self.below(2) == 0) ^ self.below(4),
                    _ => self.with_field(format, first + distance),
                };
            }
            Operation::Mul => operands[1] = self.with_field(format, target + bias - first),
            Operation::Div => operands[1] = self.with_field(format, first + bias - target),
            Operation::Fma => {
                operands[1] = self.with_field(format, target + bias - first);
                let exact = Form { operation: Operation::Mul, mode: Mode::Zero, flush: false, saturate: false, format };
                let product = exact.compute(operands);
                let distance = self.below(3 * precision as u64 + 6) as i64 - precision - 3;
                operands[2] = match self.below(5) {
                    0 => operands[2],
                    // Leaves the error of the product.
                    1 => product ^ format.sign(true),
                    2 => format.sign(self.below(2) == 0) | self.below(4),
                    _ => self.with_field(format, target - distance),
                };
            }
            Operation::Rcp => {}
            Operation::Sqrt => {
                operands[0] = match self.below(3) {
                    0 => operands[0],
                    1 => operands[0] & format.nan(),
                    _ => {
                        let exact =
                            Form { operation: Operation::Mul, mode: Mode::Zero, flush: false, saturate: false, format };
                        let fraction = self.fraction(format) & !0 << (format.precision / 2);
                        let field = (bias / 2 + self.below(bias as u64) as i64) as u64;
                        let root = field << (format.precision - 1) | fraction;
                        exact.compute([root, root, 0]).saturating_add(self.below(3)).saturating_sub(1)
                    }
                };
            }
        }
        operands
    }
}

/// Lanes of a warp.
const LANES: usize = 32;

/// Draws a form and operands for all lanes of a warp, and compares what the emulator computes with the model.
///
/// # Errors
/// A description of the first difference, or of a kernel that does not run.
pub fn check(seed: u64) -> Result<(), String> {
    let mut random = Random(seed);
    let form = random.form();
    let operands: Vec<[u64; 3]> = (0..LANES).map(|_| random.operands(&form)).collect();
    let results = run(&form, &operands).map_err(|error| format!("{form}: {error}"))?;
    for (lane, (row, actual)) in operands.iter().zip(results).enumerate() {
        let expected = form.compute(*row);
        if actual != expected {
            let digits = form.format.bits() as usize / 4;
            let row: Vec<String> = row[..form.operands()].iter().map(|bits| format!("{bits:0digits$x}")).collect();
            let row = row.join(", ");
            return Err(format!("{form} of {row} in lane {lane} is {actual:0digits$x}, expected {expected:0digits$x}"));
        }
    }
    Ok(())
}

/// Runs a form in one warp on the emulator.
fn run(form: &Form, operands: &[[u64; 3]]) -> Result<Vec<u64>, String> {
    let ty = format!("f{}", form.format.bits());
    let mut loads = String::new();
    let mut names = vec!["%v0".to_owned()];
    for index in 1..=form.operands() {
        loads += &format!("ld.global.{ty} %v{index}, [%a+{}];\n", 8 * (index - 1));
        names.push(format!("%v{index}"));
    }
    let names = names.join(", ");
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 operands, .param .u64 results)\n{{\n\
         .reg .b32 %t;\n.reg .b64 %a, %r, %o;\n.reg .{ty} %v<4>;\n\
         mov.u32 %t, %tid.x;\n\
         ld.param.u64 %a, [operands];\nmul.wide.u32 %o, %t, 24;\nadd.s64 %a, %a, %o;\n\
         ld.param.u64 %r, [results];\nmul.wide.u32 %o, %t, 8;\nadd.s64 %r, %r, %o;\n\
         {loads}{form} {names};\nst.global.{ty} [%r], %v0;\nret;\n}}\n"
    );
    let module = Module::parse(&text).map_err(|error| error.to_string())?;
    let program = Program::decode(&module, "k").map_err(|error| error.to_string())?;
    let mut memory = Memory::new();
    let input = memory.alloc_from(operands.as_flattened(), "operands");
    let output = memory.alloc_from(&[0u64; LANES], "results");
    let launch = Launch::new(1, LANES as u32).arg(input).arg(output);
    let report = emulator::run(&program, &mut memory, &launch).map_err(|error| error.to_string())?;
    if report.outcome != Outcome::Finished {
        return Err(report.outcome.to_string());
    }
    memory.read::<u64>(output, operands.len()).map_err(|error| error.to_string())
}
