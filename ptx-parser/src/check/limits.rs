//! The limits of what a module may declare: static shared memory of a kernel, constant memory, and the parameters of a kernel.
//!
//! The limits are those of `ptxas` 13.0. Where it lays variables out with gaps, the sums here are smaller. So nothing is refused that it
//! accepts.

use rustc_hash::{FxHashMap, FxHashSet};

use super::declarations::{Declarations, in_header, places};
use crate::kernel::{Kernel, KernelKind};
use crate::table::{architecture, number};
use crate::types::Space;
use crate::variable::Variable;

/// The most bytes of `.shared` variables of one kernel, on every target. More is possible only where the launch decides the size.
const SHARED: u64 = 48 << 10;

/// The most bytes of `.const` variables of a module.
const CONSTANT: u64 = 64 << 10;

impl Declarations<'_> {
    /// Checks the sums.
    pub(super) fn limits(&mut self) {
        self.constants();
        let numbers: Vec<u32> = self.module.target().iter().filter_map(|word| number(architecture(word)?)).collect();
        let shared = self.module.variables().iter().filter(|variable| is_static_shared(variable));
        let shared: FxHashMap<&str, u64> = shared.map(|variable| (&*variable.name, variable.bytes())).collect();
        for kernel in self.module.kernels().iter().filter(|kernel| kernel.kind() == KernelKind::Entry) {
            self.shared(kernel, &shared);
            self.parameter_bytes(kernel, &numbers);
        }
    }

    fn constants(&mut self) {
        let module = self.module;
        let constant = |variable: &&Variable| variable.space == Space::Const && !variable.external;
        let mut variables = module.variables().iter().filter(constant);
        let own = |kernel: &Kernel| -> u64 {
            kernel.variables().map(|(_, variable)| variable).filter(constant).map(Variable::bytes).sum()
        };
        let mut sum: u64 = module.kernels().iter().map(own).fold(0, u64::saturating_add);
        let last = variables.find(|variable| {
            sum = sum.saturating_add(variable.bytes());
            sum > CONSTANT
        });
        if sum <= CONSTANT {
            return;
        }
        let at = last.and_then(|variable| places(module, &variable.name).next());
        let at =
            at.or_else(|| module.kernels().iter().find(|kernel| own(kernel) > 0).and_then(|k| in_header(k, k.name())));
        let message = format!("the module has more than {CONSTANT} bytes of constant memory");
        self.error(at, message, Some("put large tables into `.global`"));
    }

    /// All that a kernel declares counts, and of the module's variables those that it mentions.
    fn shared(&mut self, kernel: &Kernel, module: &FxHashMap<&str, u64>) {
        let own = kernel.variables().map(|(_, variable)| variable).filter(|variable| is_static_shared(variable));
        let mut sum = own.map(Variable::bytes).fold(0, u64::saturating_add);
        if !module.is_empty() {
            let used = mentioned(kernel).into_iter().filter_map(|name| module.get(name).copied());
            sum = used.fold(sum, u64::saturating_add);
        }
        if sum > SHARED {
            let name = kernel.name();
            let message =
                format!("`{name}` has {sum} bytes of static shared memory, but at most {SHARED} are possible");
            let help = "declare it `.extern .shared` without a size, which the launch then gives";
            self.error(in_header(kernel, name), message, Some(help));
        }
    }

    fn parameter_bytes(&mut self, kernel: &Kernel, numbers: &[u32]) {
        let Some(version) = self.version else { return };
        let most = match version {
            version if version < (1, 5) => 256,
            version if version >= (8, 1) && numbers.iter().all(|&number| number >= 70) => 32764,
            _ => 4352,
        };
        let end = kernel.params().iter().fold(0u64, |end, parameter| {
            end.checked_next_multiple_of(parameter.align.max(1).into())
                .unwrap_or(u64::MAX)
                .saturating_add(parameter.bytes())
        });
        if end > most {
            let name = kernel.name();
            let (major, minor) = version;
            let message = format!(
                "`{name}` has {end} bytes of parameters, but at most {most} are possible in PTX {major}.{minor} for this target"
            );
            self.error(in_header(kernel, name), message, Some("pass a pointer to global memory"));
        }
    }
}

fn is_static_shared(variable: &Variable) -> bool {
    variable.space == Space::Shared && !variable.external
}

/// The names of the module's variables that the instructions of a kernel mention.
fn mentioned(kernel: &Kernel) -> FxHashSet<&str> {
    let mut names = FxHashSet::default();
    for inst in kernel.insts() {
        kernel.visit_symbols(inst, |symbol| {
            if kernel.variable(symbol).is_none() {
                names.insert(kernel.symbol_name(symbol));
            }
        });
    }
    names
}
