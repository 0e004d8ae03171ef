//! Functions that kernels call. A thread runs one from its beginning to its end: it becomes a function of C. Those in which threads meet are in `stacked.rs`.
//!
//! Parameters and results are bytes, laid out as the callee declares them.

use std::fmt::Write as _;

use analysis::{Analyses, accesses_shared_state};
use ptx_parser::{Flow, Inst, Kernel, KernelKind, Module, Operand, Parameter, Space, Type};
use rustc_hash::FxHashSet;

use super::names::{ModuleNames, Names, Place, c_type, layout};
use super::segment::Emitter;
use super::stacked::Stacked;
use super::system::SystemFunction;
use super::view::View;
use crate::cuts::Cuts;
use crate::refusal::Refusal;

/// The functions of a module.
pub(crate) struct Functions<'a> {
    module: &'a Module,
    names: &'a ModuleNames,
    /// The functions that read, by themselves or by what they call, what another thread may write.
    reading: FxHashSet<&'a str>,
    /// Those that may execute `trap` or the like.
    trapping: FxHashSet<&'a str>,
    /// Those that may execute `exit`.
    exiting: FxHashSet<&'a str>,
}

impl<'a> Functions<'a> {
    /// The type of their addresses.
    pub(crate) const TYPE: &'static str = "typedef int (*pxrw_function)(pxrw_cta *cta, uint32_t warp, uint32_t lane, pxrw_dim3 tid, \
                                           const unsigned char *params, unsigned char *results);\n";

    pub(crate) fn of(module: &'a Module, names: &'a ModuleNames) -> Functions<'a> {
        let none = FxHashSet::default;
        let mut functions = Functions { module, names, reading: none(), trapping: none(), exiting: none() };
        // Those that call one are found in further rounds.
        loop {
            let those = |does: &dyn Fn(&Kernel, Inst) -> bool| -> Vec<&'a str> {
                functions.bodies().filter(|one| one.insts().any(|inst| does(one, inst))).map(Kernel::name).collect()
            };
            let reading = those(&|one, inst| accesses_shared_state(one, inst) || functions.may_read(one, inst));
            let trapping = those(&|one, inst| functions.may_trap(one, inst));
            let exiting = those(&|one, inst| functions.may_exit(one, inst));
            let found = |functions: &Functions<'_>| {
                functions.reading.len() + functions.trapping.len() + functions.exiting.len()
            };
            let before = found(&functions);
            functions.reading.extend(reading);
            functions.trapping.extend(trapping);
            functions.exiting.extend(exiting);
            if found(&functions) == before {
                return functions;
            }
        }
    }

    /// Returns true for a call of a function that may read what another thread writes. One by address, and one of an unknown function, may.
    pub(crate) fn may_read(&self, kernel: &Kernel, inst: Inst) -> bool {
        match self.system(kernel, inst) {
            Some(function) => function.depends_on_others(),
            None => kernel.properties(inst).flow == Flow::Call && self.is_among(&self.reading, kernel, inst),
        }
    }

    /// Returns true for an instruction, or a call of a function, that may end the launch.
    pub(crate) fn may_trap(&self, kernel: &Kernel, inst: Inst) -> bool {
        match (self.system(kernel, inst), kernel.properties(inst).flow) {
            (Some(function), _) => function.may_trap(),
            (None, Flow::Call) => self.is_among(&self.trapping, kernel, inst),
            (None, flow) => flow == Flow::Trap,
        }
    }

    /// Returns true for `exit`, or a call of a function in which a thread may end.
    pub(crate) fn may_exit(&self, kernel: &Kernel, inst: Inst) -> bool {
        match (self.system(kernel, inst), kernel.properties(inst).flow) {
            (Some(_), _) => false,
            (None, Flow::Call) => self.is_among(&self.exiting, kernel, inst),
            (None, flow) => flow == Flow::Exit,
        }
    }

    /// Returns true if the callee is among some functions, or may be any.
    fn is_among(&self, functions: &FxHashSet<&str>, kernel: &Kernel, call: Inst) -> bool {
        kernel.callee_name(call).is_none_or(|name| self.callee(name).is_none() || functions.contains(name))
    }

    /// The function of the system that a call is of.
    pub(crate) fn system(&self, kernel: &Kernel, inst: Inst) -> Option<SystemFunction> {
        SystemFunction::called(self.module, kernel, inst)
    }

    /// The functions that kernels may reach by calls, in the order of the text: those that they or their functions name, and those whose addresses variables of the
    /// module have.
    pub(crate) fn reached(&self, kernels: &[&Kernel]) -> Vec<&'a Kernel> {
        let mut reached: FxHashSet<&str> = FxHashSet::default();
        let mut work: Vec<&Kernel> = kernels.to_vec();
        let mut calls = false;
        while let Some(kernel) = work.pop() {
            for inst in kernel.insts() {
                calls |= kernel.properties(inst).flow == Flow::Call;
                kernel.visit_symbols(inst, |symbol| {
                    let name = kernel.symbol_name(symbol);
                    work.extend(self.bodies().filter(|one| one.name() == name && reached.insert(one.name())));
                });
            }
            if calls && work.is_empty() {
                let variables = self.module.variables().iter().filter_map(|variable| variable.init.as_ref());
                for address in variables.flat_map(|init| &init.addresses) {
                    work.extend(self.bodies().filter(|one| *one.name() == *address.name && reached.insert(one.name())));
                }
            }
        }
        self.bodies().filter(|one| reached.contains(one.name())).collect()
    }

    /// Returns a kernel with the bodies of its functions in the place of calls, if threads may have to meet in one of them.
    ///
    /// # Errors
    /// A kernel in which no call can be replaced.
    pub(crate) fn opened(
        &self,
        kernel: &Kernel,
        meets: impl Fn(&Kernel, Inst) -> bool,
    ) -> Result<Option<Kernel>, Refusal> {
        let needed = self.reached(&[kernel]).into_iter().any(|function| {
            let analyses = Analyses::of(function);
            let cuts = Cuts::of(
                function,
                &analyses,
                |inst| meets(function, inst),
                &|inst| self.may_read(function, inst),
                &|_| false,
            );
            cuts.cuts.len() > 1
        });
        if !needed {
            return Ok(None);
        }
        match ssde_ptx::inlined(self.module, kernel) {
            Ok(inlined) => Ok(Some(inlined.kernel)),
            Err(reason) => Err(Refusal::declaration(kernel.name(), kernel.name(), reason)),
        }
    }

    /// The functions that have bodies.
    fn bodies(&self) -> impl Iterator<Item = &'a Kernel> + use<'a> {
        self.module.kernels().iter().filter(|one| one.kind() != KernelKind::Entry && one.has_body())
    }

    fn callee(&self, name: &str) -> Option<&'a Kernel> {
        self.module.kernels().iter().find(|one| one.name() == name && one.has_body())
    }

    /// Returns the head of a function of C. Its result is 1 if the thread has ended in it, else 0.
    pub(crate) fn head(&self, function: &Kernel) -> String {
        let name = match self.names.place(function.name()) {
            Some(Place::Function(name)) => name.as_str(),
            _ => function.name(),
        };
        format!(
            "static inline int {name}(pxrw_cta *cta, uint32_t warp, uint32_t lane, pxrw_dim3 tid, \
             const unsigned char *params, unsigned char *results)"
        )
    }

    /// Returns a function of C.
    ///
    /// # Errors
    /// Instructions that are not translated.
    pub(crate) fn emit(&self, function: &Kernel, stacked: &Stacked<'_>) -> Result<String, Vec<Refusal>> {
        let analyses = Analyses::of(function);
        let names = Names::of(function, self.names);
        if stacked.has(function) {
            // Nobody calls it: its address tells which function is meant.
            let unused = "(void)cta, (void)warp, (void)lane, (void)tid, (void)params, (void)results;";
            return Ok(format!("{}\n{{\n    {unused}\n    return 1;\n}}\n", self.head(function)));
        }
        let emitter = Emitter {
            kernel: function,
            analyses: &analyses,
            names: &names,
            module: self.names,
            functions: self,
            cuts: None,
            stacked,
            first: 0,
            frame: None,
        };
        let mut text = format!("{}\n{{\n", self.head(function));
        let _ = writeln!(text, "    PXRW_ALIGN(16) unsigned char local[{}] = {{0}};", names.local_bytes.max(1));
        text += "    (void)cta, (void)warp, (void)lane, (void)tid, (void)params, (void)results, (void)local;\n";
        text += &emitter.function_body()?;
        Ok(text + "}\n")
    }

    /// Returns the statement that calls a function; `ended` is what a thread executes that has ended in it.
    ///
    /// # Errors
    /// A callee that is not in the module, or parameters that cannot be passed.
    pub(crate) fn call(&self, view: &View<'_>, ended: &str) -> Result<String, Refusal> {
        if let Some(function) = self.system(view.kernel, view.inst) {
            return function.call(view, ended);
        }
        let parts = view.kernel.call_parts(view.inst);
        let (arguments, results) = self.signature(view)?;
        let function = match (view.kernel.callee_name(view.inst), parts.callee) {
            (Some(name), _) => match view.function(name)? {
                Place::Function(function) => function,
                _ => return Err(view.refuse(format!("`{name}` is no function"))),
            },
            (None, Some(address)) => format!("((pxrw_function)(uintptr_t){})", view.value(address, Type::B64)?),
            (None, None) => return Err(view.refuse("the callee is missing")),
        };
        let (offsets, bytes) = layout(&arguments);
        let result_bytes = layout(&results).1;
        let mut text =
            format!("{{ PXRW_ALIGN(16) unsigned char passed[{}], returned[{}]; ", bytes.max(1), result_bytes.max(1));
        for ((operand, parameter), offset) in parts.arguments.iter().zip(&arguments).zip(offsets) {
            text += &self.pass(view, operand, parameter, offset)?;
        }
        let _ = write!(text, "if ({function}(cta, warp, lane, tid, passed, returned)) {{ {ended} }} ");
        text += &self.results(view, &results)?;
        Ok(text + "}")
    }

    /// Returns the parameters and results of the callee. One that is called by address declares what it is passed as its caller does.
    ///
    /// # Errors
    /// A callee that is not in the module, or parameters that cannot be passed.
    pub(crate) fn signature(&self, view: &View<'_>) -> Result<(Vec<Parameter>, Vec<Parameter>), Refusal> {
        if let Some(name) = view.kernel.callee_name(view.inst) {
            let callee = self.callee(name).ok_or_else(|| view.refuse(format!("the module has no body of `{name}`")))?;
            return Ok((callee.params().to_vec(), callee.results().to_vec()));
        }
        let parts = view.kernel.call_parts(view.inst);
        let declared =
            |operands: &[Operand]| operands.iter().map(|operand| passed(view, operand)).collect::<Result<Vec<_>, _>>();
        Ok((declared(parts.arguments)?, declared(parts.results)?))
    }

    /// Returns the statements by which a caller takes results, which lie from `returned` on.
    ///
    /// # Errors
    /// A result that goes to no register or parameter.
    pub(crate) fn results(&self, view: &View<'_>, results: &[Parameter]) -> Result<String, Refusal> {
        let mut text = String::new();
        let operands = view.kernel.call_parts(view.inst).results;
        for ((operand, parameter), offset) in operands.iter().zip(results).zip(layout(results).0) {
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
        Ok(text)
    }

    /// Returns the statement that passes an argument, at an offset from `passed`.
    ///
    /// # Errors
    /// An argument that is no value.
    pub(crate) fn pass(
        &self,
        view: &View<'_>,
        operand: &Operand,
        parameter: &Parameter,
        offset: u64,
    ) -> Result<String, Refusal> {
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

/// The parameter that an operand of a call stands for.
fn passed(view: &View<'_>, operand: &Operand) -> Result<Parameter, Refusal> {
    let parameter = |ty: Type, align: u32, count: u64| Parameter {
        name: "".into(),
        space: Space::Param,
        ty,
        align,
        count,
        dimensions: 0,
    };
    match *operand {
        Operand::Symbol(symbol, _) => {
            let variable = view.kernel.variable_in_scope(symbol).or_else(|| view.kernel.variable(symbol));
            let variable = variable.ok_or_else(|| view.refuse("an argument is declared nowhere"))?;
            Ok(parameter(variable.ty, variable.align, variable.count.unwrap_or(0)))
        }
        _ => match view.register(operand) {
            Some((_, ty)) => Ok(parameter(ty, ty.bytes(), 1)),
            None => Err(view.refuse("a call by address passes registers and parameters alone")),
        },
    }
}
