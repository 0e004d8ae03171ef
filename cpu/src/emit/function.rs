//! Functions that kernels call. A thread runs one from its beginning to its end: it becomes a function of C.
//!
//! Parameters and results are bytes, laid out as the callee declares them.

use std::fmt::Write as _;

use analysis::{Analyses, Cfg};
use ptx_parser::{Kernel, KernelKind, Module, Operand, Parameter};

use super::names::{ModuleNames, Names, Place, c_type};
use super::segment::Emitter;
use super::view::View;
use crate::cuts::{is_barrier, is_collective};
use crate::refusal::Refusal;

/// The functions of a module.
pub(crate) struct Functions<'a> {
    module: &'a Module,
    names: &'a ModuleNames,
}

/// The offsets of parameters or results, and the bytes of all together.
fn layout(parameters: &[Parameter]) -> (Vec<u64>, u64) {
    let mut end = 0;
    let offsets = parameters.iter().map(|parameter| {
        let offset = u64::next_multiple_of(end, u64::from(parameter.align.max(1)));
        end = offset + parameter.bytes();
        offset
    });
    (offsets.collect(), end)
}

impl<'a> Functions<'a> {
    pub(crate) fn of(module: &'a Module, names: &'a ModuleNames) -> Functions<'a> {
        Functions { module, names }
    }

    /// The functions that kernels may reach by calls, in the order of the text.
    pub(crate) fn reached(&self, kernels: &[&Kernel]) -> Vec<&'a Kernel> {
        let mut reached: Vec<&str> = Vec::new();
        let mut work: Vec<&Kernel> = kernels.to_vec();
        while let Some(kernel) = work.pop() {
            let cfg = Cfg::of(kernel);
            for inst in cfg.blocks().flat_map(|block| cfg.insts(block).to_vec()) {
                if let Some(name) =
                    kernel.callee_name(inst).filter(|_| kernel.properties(inst).flow == ptx_parser::Flow::Call)
                    && !reached.contains(&name)
                    && let Some(callee) = self.module.kernels().iter().find(|one| one.name() == name && one.has_body())
                {
                    reached.push(callee.name());
                    work.push(callee);
                }
            }
        }
        let all = self.module.kernels().iter();
        all.filter(|one| one.kind() != KernelKind::Entry && one.has_body() && reached.contains(&one.name())).collect()
    }

    fn callee(&self, name: &str) -> Option<&'a Kernel> {
        self.module.kernels().iter().find(|one| one.name() == name && one.has_body())
    }

    /// Returns the head of a function of C.
    pub(crate) fn head(&self, function: &Kernel) -> String {
        let name = match self.names.place(function.name()) {
            Some(Place::Function(name)) => name.as_str(),
            _ => function.name(),
        };
        format!(
            "static inline void {name}(pxrw_cta *cta, uint32_t warp, uint32_t lane, pxrw_dim3 tid, \
             const unsigned char *params, unsigned char *results)"
        )
    }

    /// Returns a function of C.
    ///
    /// # Errors
    /// Instructions that are not translated, and those at which threads meet.
    pub(crate) fn emit(&self, function: &Kernel) -> Result<String, Vec<Refusal>> {
        let analyses = Analyses::of(function);
        let names = Names::of(function, self.names);
        let insts = analyses.cfg.reverse_postorder().iter().flat_map(|&block| analyses.cfg.insts(block));
        let meets = insts.filter(|&&inst| is_barrier(function, inst) || is_collective(function, inst));
        let refused: Vec<Refusal> = meets
            .map(|&inst| {
                Refusal::of(function, inst, "threads meet in a function that is called, which is not translated")
            })
            .collect();
        if !refused.is_empty() {
            return Err(refused);
        }
        let emitter = Emitter {
            kernel: function,
            analyses: &analyses,
            names: &names,
            module: self.names,
            functions: self,
            cuts: None,
        };
        let mut text = format!("{}\n{{\n", self.head(function));
        let _ = writeln!(text, "    PXRW_ALIGN(16) unsigned char local[{}] = {{0}};", names.local_bytes.max(1));
        text += "    (void)cta, (void)warp, (void)lane, (void)tid, (void)params, (void)results, (void)local;\n";
        text += &emitter.function_body()?;
        Ok(text + "}\n")
    }

    /// Returns the statement that calls a function.
    ///
    /// # Errors
    /// A callee that is not in the module, or is given by an address.
    pub(crate) fn call(&self, view: &View<'_>) -> Result<String, Refusal> {
        let parts = view.kernel.call_parts(view.inst);
        let Some(name) = view.kernel.callee_name(view.inst) else {
            return Err(view.refuse("calls by address are not translated"));
        };
        let callee = self.callee(name).ok_or_else(|| view.refuse(format!("the module has no body of `{name}`")))?;
        let Some(Place::Function(function)) = self.names.place(name) else {
            return Err(view.refuse(format!("`{name}` is no function")));
        };
        let (offsets, bytes) = layout(callee.params());
        let (result_offsets, result_bytes) = layout(callee.results());
        let mut text =
            format!("{{ PXRW_ALIGN(16) unsigned char passed[{}], returned[{}]; ", bytes.max(1), result_bytes.max(1));
        for ((operand, parameter), offset) in parts.arguments.iter().zip(callee.params()).zip(offsets) {
            text += &self.pass(view, operand, parameter, offset)?;
        }
        let _ = write!(text, "{function}(cta, warp, lane, tid, passed, returned); ");
        for ((operand, parameter), offset) in parts.results.iter().zip(callee.results()).zip(result_offsets) {
            let size = parameter.bytes();
            match (*operand, view.register(operand)) {
                (_, Some((register, _))) => {
                    let _ = write!(text, "memcpy(&{register}, returned + {offset}, {size}); ");
                }
                (Operand::Symbol(symbol, _), _) => match view.place(symbol)? {
                    Place::Call(at) => {
                        let _ = write!(text, "memcpy(local + {at}, returned + {offset}, {size}); ");
                    }
                    _ => return Err(view.refuse("a result goes to a register or a parameter of calls")),
                },
                _ => {}
            }
        }
        Ok(text + "}")
    }

    fn pass(&self, view: &View<'_>, operand: &Operand, parameter: &Parameter, offset: u64) -> Result<String, Refusal> {
        let size = parameter.bytes();
        if let Operand::Symbol(symbol, _) = *operand
            && let Place::Call(at) = view.place(symbol)?
        {
            return Ok(format!("memcpy(passed + {offset}, local + {at}, {size}); "));
        }
        let value = view.value(operand, parameter.ty)?;
        let ty = c_type(parameter.ty);
        Ok(format!("{{ const {ty} value = {value}; memcpy(passed + {offset}, &value, {size}); }} "))
    }
}
