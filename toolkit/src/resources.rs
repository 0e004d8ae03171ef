//! The resources that each kernel uses, read from the messages of `ptxas -v`.
//!
//! ptxas prints one group of lines per entry function, and single "Function properties" lines for the device functions
//! that it did not inline; the latter belong to no kernel of their own and are left out.
//!
//! ```text
//! ptxas info    : Compiling entry function 'k' for 'sm_90'
//! ptxas info    : Function properties for k
//!     32 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//! ptxas info    : Used 18 registers, used 1 barriers, 32 bytes cumulative stack size, 128 bytes smem
//! ```

use std::sync::LazyLock;

use regex::Regex;

use crate::messages::Message;

/// The resources that one kernel uses, as ptxas reports them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelResources {
    /// The entry's name as in the PTX.
    pub name: String,
    /// 32-bit registers per thread.
    pub registers: u32,
    /// Static shared memory per CTA, in bytes.
    pub shared_bytes: u32,
    /// Stack per thread in bytes, with what called functions need.
    pub stack_bytes: u32,
    /// Bytes of registers that are spilled by stores, per thread.
    pub spill_stores: u32,
    /// Bytes of registers that are reloaded, per thread.
    pub spill_loads: u32,
    /// Constant memory in bytes, over all banks (kernel parameters included), where ptxas reports it.
    pub const_bytes: u32,
    /// Hardware barriers per CTA.
    pub barriers: u32,
}

static ENTRY: LazyLock<Regex> = LazyLock::new(|| pattern(r"^Compiling entry function '(.*)' for '[^']*'$"));
static PROPERTIES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^Function properties for (\S+)\s+(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads",
    )
});
static REGISTERS: LazyLock<Regex> = LazyLock::new(|| pattern(r"^Used (\d+) registers"));
static BARRIERS: LazyLock<Regex> = LazyLock::new(|| pattern(r"\bused (\d+) barriers"));
static STACK: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(\d+) bytes cumulative stack size"));
static SHARED: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(\d+)(?:\+(\d+))? bytes smem"));
static CONSTANT: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(\d+) bytes cmem\[\d+\]"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is a constant that the tests compile")
}

/// The kernels of one assembly, in the order in which ptxas reports them.
pub(crate) fn collect(messages: &[Message]) -> Vec<KernelResources> {
    let mut kernels: Vec<KernelResources> = Vec::new();
    for message in messages {
        let text = message.text.as_str();
        if let Some(entry) = ENTRY.captures(text) {
            kernels.push(KernelResources { name: entry[1].to_owned(), ..KernelResources::default() });
            continue;
        }
        let Some(kernel) = kernels.last_mut() else { continue };
        if let Some(found) = PROPERTIES.captures(text) {
            if found[1] == kernel.name {
                kernel.stack_bytes = number(&found[2]);
                kernel.spill_stores = number(&found[3]);
                kernel.spill_loads = number(&found[4]);
            }
        } else if let Some(found) = REGISTERS.captures(text) {
            kernel.registers = number(&found[1]);
            usage(kernel, text);
        }
    }
    kernels
}

/// The rest of a "Used" line; parts that are zero are mostly not printed.
fn usage(kernel: &mut KernelResources, text: &str) {
    let sum = |shape: &Regex| -> u32 {
        let parts = shape.captures_iter(text);
        parts.flat_map(|c| c.iter().skip(1).flatten().map(|m| number(m.as_str())).collect::<Vec<_>>()).sum()
    };
    kernel.barriers = sum(&BARRIERS);
    kernel.shared_bytes = sum(&SHARED);
    kernel.const_bytes = sum(&CONSTANT);
    kernel.stack_bytes = kernel.stack_bytes.max(sum(&STACK));
}

/// A count beyond 32 bits cannot be a real one; it is shown as the largest.
fn number(digits: &str) -> u32 {
    digits.parse().unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::parse;

    #[test]
    fn two_kernels_and_a_function_that_was_not_inlined() {
        let output = "\
ptxas info    : 28 bytes gmem
ptxas info    : Compiling entry function '_Z2spPf' for 'sm_90'
ptxas info    : Function properties for _Z2spPf
    64 bytes stack frame, 60 bytes spill stores, 68 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 64 bytes cumulative stack size
ptxas info    : Compile time = 26.689 ms
ptxas info    : Compiling entry function '_Z1kPi' for 'sm_90'
ptxas info    : Function properties for _Z1kPi
    32 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 18 registers, used 1 barriers, 48 bytes cumulative stack size, 128 bytes smem
ptxas info    : Compile time = 3.532 ms
ptxas info    : Function properties for _Z6helperi
    96 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
";
        let spilled = KernelResources {
            name: "_Z2spPf".into(),
            registers: 32,
            stack_bytes: 64,
            spill_stores: 60,
            spill_loads: 68,
            barriers: 1,
            ..KernelResources::default()
        };
        let calling = KernelResources {
            name: "_Z1kPi".into(),
            registers: 18,
            shared_bytes: 128,
            stack_bytes: 48,
            barriers: 1,
            ..KernelResources::default()
        };
        assert_eq!(collect(&parse(output)), [spilled, calling]);
    }

    #[test]
    fn constant_banks_are_added_up_and_older_forms_are_read() {
        let output = "\
ptxas info    : Compiling entry function 'k' for 'sm_70'
ptxas info    : Used 19 registers, 1024+16 bytes smem, 360 bytes cmem[0], 8 bytes cmem[2]
";
        let kernels = collect(&parse(output));
        assert_eq!((kernels[0].registers, kernels[0].shared_bytes, kernels[0].const_bytes), (19, 1040, 368));
    }
}
