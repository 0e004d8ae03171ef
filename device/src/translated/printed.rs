//! The output of kernels, as much of it as a GPU keeps.

use std::collections::VecDeque;

use crate::report::Printed;

/// The bytes of the buffer for output (`cudaLimitPrintfFifoSize`).
const BYTES: usize = 1 << 20;

/// What calls of `printf` have printed in a launch: the newest of them, as many as the buffer holds.
#[derive(Debug, Default)]
pub(super) struct Output {
    calls: VecDeque<(usize, Vec<u8>)>,
    bytes: usize,
    lost: u64,
}

impl Output {
    /// Adds what a call with so many arguments has printed. The oldest ones make room.
    pub(super) fn add(&mut self, text: &[u8], arguments: u32) {
        // On a device, a head and eight bytes for the format and each argument.
        let bytes = 16 + 8 * (1 + arguments as usize);
        self.bytes += bytes;
        self.calls.push_back((bytes, text.to_owned()));
        while self.bytes > BYTES {
            let Some((bytes, _)) = self.calls.pop_front() else { break };
            self.bytes -= bytes;
            self.lost += 1;
        }
    }

    /// Returns the whole text.
    pub(super) fn finish(self) -> Printed {
        let text: Vec<u8> = self.calls.into_iter().flat_map(|(_, text)| text).collect();
        Printed { output: String::from_utf8_lossy(&text).into_owned(), output_lost: self.lost }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_calls_are_lost() {
        let mut output = Output::default();
        // A call with one argument takes 32 bytes.
        let calls = BYTES as u32 / 32 + 3;
        for call in 0..calls {
            output.add(format!("{call} ").as_bytes(), 1);
        }
        let printed = output.finish();
        assert_eq!(printed.output_lost, 3);
        assert!(printed.output.starts_with("3 4 ") && printed.output.ends_with(&format!(" {} ", calls - 1)));
    }
}
