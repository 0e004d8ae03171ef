//! The text that a `printf` on the device makes (CUDA C++ Programming Guide, "Formatted Output").
//!
//! `%[flags][width][.precision][size]type` with the flags `# 0 - + space`, sizes `hh`, `h`, `l`, `ll`, and types `%cdiouxXpeEfgGaAs`. Arguments
//! come as 4 or 8 bytes, floats as doubles; of an integer the size says how many of its bits count, as in C. What the guide does not list is copied as it is.

/// One conversion.
#[derive(Default)]
struct Spec {
    minus: bool,
    plus: bool,
    space: bool,
    hash: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// The size of an integer in bits.
    bits: u32,
    kind: u8,
}

/// More than any text that somebody wants to read; keeps a wild width from filling the memory.
const MAX_WIDTH: usize = 4096;

/// The text, and the number of arguments taken. `next` gives an argument of so many bytes, `string` the text at an address.
pub(crate) fn format(
    format: &[u8],
    next: &mut dyn FnMut(usize) -> u64,
    string: &mut dyn FnMut(u64) -> Vec<u8>,
) -> (Vec<u8>, u32) {
    let mut text = Vec::new();
    let mut count = 0;
    let mut take = |bytes: usize| {
        count += 1;
        next(bytes)
    };
    let mut rest = format;
    while let Some((&byte, after)) = rest.split_first() {
        if byte != b'%' {
            text.push(byte);
            rest = after;
            continue;
        }
        match parse(after, &mut take) {
            Some((spec, behind)) => {
                convert(&spec, &mut text, &mut take, string);
                rest = behind;
            }
            None => {
                text.push(b'%');
                rest = after;
            }
        }
    }
    (text, count)
}

/// Returns what stands behind a percent sign, and what follows it; `None` if it is no conversion.
fn parse<'t>(text: &'t [u8], take: &mut dyn FnMut(usize) -> u64) -> Option<(Spec, &'t [u8])> {
    let mut spec = Spec::default();
    let mut rest = text;
    // Looked at first, so that nothing is taken for what is no conversion.
    if !b"%cdiouxXpeEfFgGaAs".contains(&kind(text)?) {
        return None;
    }
    while let Some((&flag, after)) = rest.split_first() {
        match flag {
            b'-' => spec.minus = true,
            b'+' => spec.plus = true,
            b' ' => spec.space = true,
            b'#' => spec.hash = true,
            b'0' => spec.zero = true,
            _ => break,
        }
        rest = after;
    }
    let mut number = |rest: &mut &'t [u8]| -> Option<i64> {
        if let Some(after) = rest.strip_prefix(b"*") {
            *rest = after;
            return Some(i64::from((take(4) as u32).cast_signed()));
        }
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let value = rest[..digits].iter().fold(0i64, |n, digit| (10 * n + i64::from(digit - b'0')).min(1 << 20));
        *rest = &rest[digits..];
        (digits > 0).then_some(value)
    };
    if let Some(width) = number(&mut rest) {
        spec.minus |= width < 0;
        spec.width = (width.unsigned_abs() as usize).min(MAX_WIDTH);
    }
    if let Some(after) = rest.strip_prefix(b".") {
        rest = after;
        // A negative precision counts as none, a missing one as zero.
        let precision = number(&mut rest).unwrap_or(0);
        spec.precision = usize::try_from(precision).ok().map(|n| n.min(MAX_WIDTH));
    }
    spec.bits = 32;
    while let Some((&size @ (b'h' | b'l'), after)) = rest.split_first() {
        spec.bits = match size {
            b'l' => 64,
            _ if spec.bits == 16 => 8,
            _ => 16,
        };
        rest = after;
    }
    let (&kind, behind) = rest.split_first()?;
    spec.kind = kind;
    Some((spec, behind))
}

/// Returns what stands behind the flags, the width, the precision and the size of a conversion.
fn kind(text: &[u8]) -> Option<u8> {
    let skip = |text: &mut &[u8], of: &[u8]| *text = &text[text.iter().take_while(|byte| of.contains(byte)).count()..];
    let number = |text: &mut &[u8]| match text.strip_prefix(b"*") {
        Some(after) => *text = after,
        None => skip(text, b"0123456789"),
    };
    let mut rest = text;
    skip(&mut rest, b"-+ #0");
    number(&mut rest);
    if let Some(after) = rest.strip_prefix(b".") {
        rest = after;
        number(&mut rest);
    }
    skip(&mut rest, b"hl");
    rest.first().copied()
}

fn convert(
    spec: &Spec,
    text: &mut Vec<u8>,
    take: &mut dyn FnMut(usize) -> u64,
    string: &mut dyn FnMut(u64) -> Vec<u8>,
) {
    let bytes = if spec.bits == 64 { 8 } else { 4 };
    let unused = 64 - spec.bits;
    match spec.kind {
        b'%' => text.push(b'%'),
        b'c' => pad(spec, text, "", vec![take(4) as u8], false),
        b'd' | b'i' => {
            let value = (take(bytes) << unused).cast_signed() >> unused;
            let digits = value.unsigned_abs().to_string();
            integer(spec, text, sign(spec, value < 0), digits, value == 0);
        }
        b'u' | b'o' | b'x' | b'X' => {
            let value = take(bytes) << unused >> unused;
            let (prefix, digits) = match spec.kind {
                b'u' => ("", value.to_string()),
                b'o' => (if spec.hash { "0" } else { "" }, format!("{value:o}")),
                b'x' => (if spec.hash { "0x" } else { "" }, format!("{value:x}")),
                _ => (if spec.hash { "0X" } else { "" }, format!("{value:X}")),
            };
            integer(spec, text, if value == 0 { "" } else { prefix }, digits, value == 0);
        }
        b'p' => {
            let value = take(8);
            pad(spec, text, "", format!("0x{value:x}").into_bytes(), false);
        }
        b's' => {
            let mut characters = string(take(8));
            characters.truncate(spec.precision.unwrap_or(usize::MAX));
            pad(spec, text, "", characters, false);
        }
        _ => {
            let value = f64::from_bits(take(8));
            let digits = float(spec, value.abs());
            let sign = sign(spec, value.is_sign_negative());
            pad(spec, text, sign, digits.into_bytes(), value.is_finite());
        }
    }
}

fn sign(spec: &Spec, negative: bool) -> &'static str {
    match () {
        () if negative => "-",
        () if spec.plus => "+",
        () if spec.space => " ",
        () => "",
    }
}

/// An integer: a precision asks for at least so many digits, and then zeros do not fill the width.
fn integer(spec: &Spec, text: &mut Vec<u8>, prefix: &str, digits: String, is_zero: bool) {
    let least = spec.precision.unwrap_or(1);
    let digits = if is_zero && least == 0 { String::new() } else { digits };
    let zeros = "0".repeat(least.saturating_sub(digits.len()));
    pad(spec, text, prefix, (zeros + &digits).into_bytes(), spec.precision.is_none());
}

/// Fills up to the width: with zeros between prefix and digits where that is asked for and `zeros` allows it.
fn pad(spec: &Spec, text: &mut Vec<u8>, prefix: &str, body: Vec<u8>, zeros: bool) {
    let missing = spec.width.saturating_sub(prefix.len() + body.len());
    let fill = |text: &mut Vec<u8>, byte: u8| text.extend(std::iter::repeat_n(byte, missing));
    let with_zeros = spec.zero && zeros && !spec.minus;
    if !spec.minus && !with_zeros {
        fill(text, b' ');
    }
    text.extend_from_slice(prefix.as_bytes());
    if with_zeros {
        fill(text, b'0');
    }
    text.extend_from_slice(&body);
    if spec.minus {
        fill(text, b' ');
    }
}

/// A float without its sign.
fn float(spec: &Spec, value: f64) -> String {
    let upper = spec.kind.is_ascii_uppercase();
    let text = match spec.kind.to_ascii_lowercase() {
        _ if value.is_nan() => "nan".into(),
        _ if value.is_infinite() => "inf".into(),
        b'f' => with_point(spec, format!("{value:.*}", spec.precision.unwrap_or(6))),
        b'e' => scientific(spec, value, spec.precision.unwrap_or(6)),
        b'g' => shortest(spec, value),
        _ => hexadecimal(spec, value),
    };
    if upper { text.to_ascii_uppercase() } else { text }
}

/// `#` asks for a point even where no digit follows.
fn with_point(spec: &Spec, text: String) -> String {
    if spec.hash && !text.contains('.') { text + "." } else { text }
}

fn scientific(spec: &Spec, value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", with_point(spec, mantissa.into()), exponent.unsigned_abs())
}

/// `%g`: as many significant digits as the precision says, in the shorter way, without zeros at the end.
fn shortest(spec: &Spec, value: f64) -> String {
    let digits = spec.precision.unwrap_or(6).max(1);
    let rounded = format!("{value:.*e}", digits - 1);
    let exponent: i32 = rounded.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    let plain = exponent >= -4 && i64::from(exponent) < digits as i64;
    let places = (digits as i64 - 1 - i64::from(exponent)).max(0) as usize;
    let text = if plain { format!("{value:.places$}") } else { scientific(spec, value, digits - 1) };
    if spec.hash {
        return with_point(spec, text);
    }
    let (mantissa, exponent) = text.split_once('e').map_or((text.as_str(), None), |(m, e)| (m, Some(e)));
    let trimmed = if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    exponent.map_or(trimmed.to_owned(), |exponent| format!("{trimmed}e{exponent}"))
}

/// `%a`: one hexadecimal digit, the others behind a point, and a power of two.
fn hexadecimal(spec: &Spec, value: f64) -> String {
    let bits = value.to_bits();
    let mut exponent = (bits >> 52 & 0x7ff).cast_signed() as i32 - 1023;
    let mut fraction = bits & ((1 << 52) - 1);
    let mut lead = 1u64;
    if exponent == -1023 {
        lead = 0;
        exponent = if value == 0.0 { 0 } else { -1022 };
    }
    if let Some(digits) = spec.precision.filter(|digits| *digits < 13) {
        let drop = 52 - 4 * digits as u32;
        let whole = lead << 52 | fraction;
        let (kept, rest, half) = (whole >> drop, whole & ((1 << drop) - 1), 1u64 << (drop - 1));
        let rounded = kept + u64::from(rest > half || rest == half && kept & 1 != 0);
        lead = rounded << drop >> 52;
        fraction = rounded << drop & ((1 << 52) - 1);
    }
    let digits = format!("{fraction:013x}");
    let digits = match spec.precision {
        Some(places) if places <= 13 => digits[..places].to_owned(),
        Some(places) => digits + &"0".repeat(places - 13),
        None => digits.trim_end_matches('0').to_owned(),
    };
    let point = if digits.is_empty() && !spec.hash { "" } else { "." };
    format!("0x{lead}{point}{digits}p{exponent:+}")
}
