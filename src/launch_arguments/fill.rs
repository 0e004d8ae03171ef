//! Buffers on a device: allocated, filled a piece at a time, and read back.

use device::{Buffer, Device};
use ptx_parser::Type;

use super::npy;
use super::number::{iota, random};
use super::problem::Problem;
use super::value::{BufferValue, Fill};

/// Bytes that are made and handed over at a time; a multiple of every element's size.
const PIECE: u64 = 1 << 20;

/// Allocates a buffer and fills it.
pub(super) fn allocate(device: &mut dyn Device, value: &BufferValue, label: &str) -> Result<Buffer, Problem> {
    let allocated = match value.fill {
        Fill::Nothing => device.reserve(value.bytes(), label),
        _ => device.alloc(value.bytes(), label),
    };
    let buffer = allocated.map_err(|error| no_memory(value, error))?;
    match &value.fill {
        // That is how a device allocates it.
        Fill::Number(0) | Fill::Nothing => {}
        Fill::Number(bits) => repeat(device, buffer, value, *bits)?,
        Fill::Iota => fill(device, buffer, value, |index| iota(value.ty, index))?,
        Fill::Random(seed) => fill(device, buffer, value, |index| random(value.ty, *seed, index))?,
        Fill::File(file) => file.read(|at, piece| device.upload(buffer, at, piece).map_err(refused))?,
    }
    Ok(buffer)
}

/// Fills a buffer with the same bits everywhere: one piece, handed over again and again.
fn repeat(device: &mut dyn Device, buffer: Buffer, value: &BufferValue, bits: u64) -> Result<(), Problem> {
    let mut piece = vec![0; PIECE.min(value.bytes()) as usize];
    write_elements(&mut piece, value.ty, 0, |_| bits);
    upload_pieces(device, buffer, value, &mut piece, |_, _| {})
}

/// Fills a buffer with bits that depend on the index.
fn fill(
    device: &mut dyn Device,
    buffer: Buffer,
    value: &BufferValue,
    bits: impl Fn(u64) -> u64,
) -> Result<(), Problem> {
    let mut piece = vec![0; PIECE.min(value.bytes()) as usize];
    upload_pieces(device, buffer, value, &mut piece, |first, piece| write_elements(piece, value.ty, first, &bits))
}

/// Hands a buffer over from its beginning to its end, a piece at a time. `prepare` gets the index of a piece's first element, and the piece.
fn upload_pieces(
    device: &mut dyn Device,
    buffer: Buffer,
    value: &BufferValue,
    piece: &mut [u8],
    mut prepare: impl FnMut(u64, &mut [u8]),
) -> Result<(), Problem> {
    let (mut done, longest) = (0, piece.len() as u64);
    while done < value.bytes()
        && let Some(piece) = piece.get_mut(..longest.min(value.bytes() - done) as usize)
    {
        prepare(done / u64::from(value.ty.bytes()), piece);
        device.upload(buffer, done, piece).map_err(refused)?;
        done += piece.len() as u64;
    }
    Ok(())
}

/// Writes the elements from index `first` on. The loop is one for each size, so that none looks at the size of an element again.
fn write_elements(piece: &mut [u8], ty: Type, first: u64, bits: impl Fn(u64) -> u64) {
    fn write<const SIZE: usize>(piece: &mut [u8], first: u64, bits: impl Fn(u64) -> u64) {
        let (elements, _) = piece.as_chunks_mut::<SIZE>();
        for (index, element) in (first..).zip(elements) {
            if let Some(bytes) = bits(index).to_le_bytes().first_chunk() {
                *element = *bytes;
            }
        }
    }
    match ty.bytes() {
        1 => write::<1>(piece, first, bits),
        2 => write::<2>(piece, first, bits),
        4 => write::<4>(piece, first, bits),
        _ => write::<8>(piece, first, bits),
    }
}

/// A buffer's values as the bytes of a `.npy` file.
pub(super) fn contents(device: &dyn Device, value: &BufferValue, buffer: Buffer) -> Result<Vec<u8>, Problem> {
    let mut bytes = npy::header(value.ty, value.count)?;
    let start = bytes.len();
    let end = usize::try_from(value.bytes()).ok().and_then(|values| start.checked_add(values));
    let Some(end) = end.filter(|end| bytes.try_reserve_exact(end - start).is_ok()) else {
        return Err(Problem::new(
            "no memory is left to write the buffer",
            "use a smaller buffer, or leave the `>` out",
        ));
    };
    bytes.resize(end, 0);
    device.download(buffer, 0, bytes.get_mut(start..).unwrap_or_default()).map_err(refused)?;
    Ok(bytes)
}

fn no_memory(value: &BufferValue, error: device::Error) -> Problem {
    match error {
        device::Error::OutOfMemory { .. } => {
            let what = format!("no memory for the {} bytes of the buffer", value.bytes());
            Problem::new(what, "use smaller buffers; the buffers before it and the module's variables take memory, too")
        }
        error => refused(error),
    }
}

fn refused(error: device::Error) -> Problem {
    Problem::new(error.to_string(), "")
}

/// Returns how much of the host's memory can be taken without pushing others out, in bytes; `None` where the system does not say.
pub(crate) fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    available_in(&text)
}

fn available_in(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use device::Selection;

    use super::*;

    fn values<const N: usize>(ty: Type, count: u64, filling: Fill) -> Vec<[u8; N]> {
        let mut device = Selection::default().open().unwrap();
        let value = BufferValue { ty, count, fill: filling, save: None };
        let buffer = allocate(device.as_mut(), &value, "test").unwrap();
        let file = contents(device.as_ref(), &value, buffer).unwrap();
        let start = file.len() - value.bytes() as usize;
        assert_eq!(file[..start], npy::header(ty, count).unwrap());
        let (values, rest) = file[start..].as_chunks();
        assert!(rest.is_empty());
        values.to_vec()
    }

    #[test]
    fn numbers_and_sequences() {
        assert_eq!(values(Type::F32, 3, Fill::Number(u64::from(1.5_f32.to_bits()))), [1.5_f32.to_le_bytes(); 3]);
        assert_eq!(values(Type::S16, 2, Fill::Number(0xfffe)), [[0xfe, 0xff]; 2]);
        assert_eq!(values(Type::F64, 2, Fill::Iota), [0_f64.to_le_bytes(), 1_f64.to_le_bytes()]);
        assert_eq!(values(Type::U8, 258, Fill::Iota)[255..], [[255], [0], [1]]);
    }

    #[test]
    fn a_large_buffer_is_filled_to_its_end() {
        let count = PIECE / 4 + 3;
        let filled: Vec<[u8; 4]> = values(Type::U32, count, Fill::Iota);
        assert!(filled.iter().enumerate().all(|(index, value)| u32::from_le_bytes(*value) == index as u32));
        let zeros: Vec<[u8; 4]> = values(Type::F32, count, Fill::Number(0));
        assert!(zeros.iter().all(|value| *value == [0; 4]));
    }

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let one: Vec<[u8; 4]> = values(Type::F32, 100, Fill::Random(1));
        assert_eq!(one, values(Type::F32, 100, Fill::Random(1)));
        assert_ne!(one, values(Type::F32, 100, Fill::Random(2)));
    }

    #[test]
    fn a_buffer_that_is_too_large_is_an_error() {
        let mut device = Selection::default().open().unwrap();
        let value = BufferValue { ty: Type::F32, count: 1 << 60, fill: Fill::Number(0), save: None };
        let problem = allocate(device.as_mut(), &value, "test").unwrap_err();
        assert_eq!(problem.what, "no memory for the 4611686018427387904 bytes of the buffer");
    }

    #[test]
    fn free_memory_is_read_from_the_system() {
        assert_eq!(available_in("MemTotal: 9 kB\nMemAvailable:   24 kB\n"), Some(24 * 1024));
        assert_eq!(available_in("MemAvailable: some kB"), None);
        assert_eq!(available_in(""), None);
    }
}
