//! The file of C around translated kernels: the runtime, the variables of the module, functions, kernels, and how they are launched.

use std::fmt::Write as _;

use analysis::Analyses;
use ptx_parser::{Inst, Kernel, KernelKind, Module, Operand, Space, SpecialName, Variable};

use super::function::Functions;
use super::loops;
use super::names::{ModuleNames, Names, Place, elements};
use super::segment::Emitter;
use super::stacked::{self, Stacked};
use super::system::{self, SystemFunction};
use crate::cuts::{CutKind, Cuts};
use crate::implicit::Meetings;
use crate::refusal::Refusal;
use crate::{Interface, Options, Sync, Translation};

/// The types of the functions that launch kernels, which the header of a translation has, too.
const INTERFACE: &str = include_str!("../runtime/interface.h");

/// The runtime's headers, in the order in which they build on each other.
const RUNTIME: &[&str] = &[
    INTERFACE,
    include_str!("../runtime/base.h"),
    include_str!("../runtime/float.h"),
    include_str!("../runtime/rounding.h"),
    include_str!("../runtime/half.h"),
    include_str!("../runtime/convert.h"),
    include_str!("../runtime/integer.h"),
    include_str!("../runtime/logic.h"),
    include_str!("../runtime/video.h"),
    include_str!("../runtime/memory.h"),
    include_str!("../runtime/atomic.h"),
    include_str!("../runtime/schedule.h"),
    include_str!("../runtime/warp.h"),
    include_str!("../runtime/launch.h"),
];

/// Translates kernels of a module; see [`crate::translate`].
pub(crate) fn translate(module: &Module, kernels: &[&Kernel], options: &Options) -> Result<Translation, Vec<Refusal>> {
    let names = ModuleNames::of(module);
    let functions = Functions::of(module, &names);
    let mut refusals = Vec::new();
    // Lanes meet at accesses of functions, too, unless there is nothing but barriers.
    let meets = |kernel: &Kernel, inst: Inst| {
        options.sync != Sync::Basic && crate::implicit::accesses_shared_state(kernel, inst)
    };
    let mut opened: Vec<Kernel> = Vec::new();
    for &kernel in kernels {
        match functions.opened(kernel, meets) {
            Ok(other) => opened.push(other.unwrap_or_else(|| kernel.clone())),
            Err(refusal) => refusals.push(refusal),
        }
    }
    let reached = functions.reached(&opened.iter().collect::<Vec<_>>());
    let stacked = Stacked::of(&reached, &functions, &names, options.sync);
    let reserves = opened.iter().chain(reached.iter().copied()).any(asks_for_reserved_memory);
    let called: Vec<SystemFunction> = opened
        .iter()
        .chain(reached.iter().copied())
        .flat_map(|kernel| kernel.insts().filter_map(|inst| functions.system(kernel, inst)))
        .collect();
    let mut source = String::from("/* Translated from PTX by pxrw. */\n#define _POSIX_C_SOURCE 200809L\n");
    source.extend(RUNTIME.iter().copied().chain(system::headers(&called)));
    if !stacked.functions.is_empty() {
        source += stacked::HEADER;
    }
    source += "\n/* The variables of the module. */\n";
    for variable in module.variables().iter().filter(|variable| variable.space != Space::Shared) {
        source += &define(&names, variable);
    }
    if !reached.is_empty() {
        source += Functions::TYPE;
    }
    for function in &reached {
        let _ = writeln!(source, "{};", functions.head(function));
    }
    source += &initialise(&names, module, &reached);
    for function in &reached {
        match functions.emit(function, &stacked) {
            Ok(text) => source += &format!("\n{text}"),
            Err(more) => refusals.extend(more),
        }
    }
    let mut header = String::from("#pragma once\n");
    header += INTERFACE;
    header += "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
    let mut interfaces = Vec::new();
    let mut notes = stacked.notes(&reached, options.sync);
    for kernel in &opened {
        match translated(kernel, &names, &functions, &stacked, options.sync, reserves) {
            Ok((text, interface, assumes)) => {
                if assumes {
                    notes.push(format!("{}: {}", kernel.name(), crate::implicit::ASSUMPTION));
                }
                source += &format!("\n{text}");
                let _ = writeln!(
                    header,
                    "void {}_launch_packed(const pxrw_launch *launch, const void *params, pxrw_result *result);",
                    interface.symbol
                );
                interfaces.push(interface);
            }
            Err(more) => refusals.extend(more),
        }
    }
    header += "\n#ifdef __cplusplus\n}\n#endif\n";
    if !refusals.is_empty() {
        return Err(refusals);
    }
    Ok(Translation { source, header, kernels: interfaces, notes })
}

/// A kernel, and the function that launches it.
fn translated(
    kernel: &Kernel,
    module: &ModuleNames,
    functions: &Functions<'_>,
    stacked: &Stacked<'_>,
    sync: Sync,
    reserves: bool,
) -> Result<(String, Interface, bool), Vec<Refusal>> {
    let Some(Place::Function(symbol)) = module.place(kernel.name()) else {
        return Err(vec![Refusal::declaration(kernel.name(), kernel.name(), "it has no name")]);
    };
    let analyses = Analyses::of(kernel);
    let names = Names::of(kernel, module);
    let meetings = Meetings::of(kernel, &analyses, sync);
    let cuts = Cuts::of(
        kernel,
        &analyses,
        |inst| meetings.insts.contains(&inst),
        &|inst| functions.may_read(kernel, inst),
        &|inst| stacked.is_called(kernel, inst),
    );
    let enters = cuts.cuts.values().any(|cut| matches!(cut.kind, CutKind::Call(_)));
    let first = if enters { stacked.positions } else { 0 };
    let emitter = Emitter {
        kernel,
        analyses: &analyses,
        names: &names,
        module,
        functions,
        cuts: Some(&cuts),
        stacked,
        first,
        frame: None,
    };
    let state = emitter.state(&cuts).1;
    // Lanes take turns unless threads meet at barriers of the block alone, and there where they part before one.
    let (loops, needs_turns) = match meetings.none_in_rows && loops::apply(kernel, &cuts) {
        true => emitter.loops(&cuts, symbol, !meetings.insts.is_empty())?,
        false => (String::new(), true),
    };
    let mut text = if needs_turns { emitter.turns(&cuts, symbol)? } else { String::new() };
    text += &loops;
    let (run, takes_turns) = if loops.is_empty() { ("turns", 1) } else { ("loops", 0) };
    let _ = write!(
        text,
        "\nvoid {symbol}_launch_packed(const pxrw_launch *launch, const void *params, pxrw_result *result);\n\
         void {symbol}_launch_packed(const pxrw_launch *launch, const void *params, pxrw_result *result)\n{{\n    \
         static const pxrw_kernel kernel = {{pxrw_{run}_{symbol}, {}, {}, {state}, {takes_turns}, {}, {}}};\n    \
         pxrw_run_grid(&kernel, launch, params, result);\n}}\n",
        names.shared_bytes,
        names.local_bytes,
        u8::from(reserves),
        u8::from(enters)
    );
    let interface =
        Interface { name: kernel.name().to_owned(), symbol: symbol.clone(), param_bytes: names.param_bytes };
    Ok((text, interface, meetings.assumes))
}

/// Returns true for a kernel or function that asks where the shared memory is that the system reserves.
fn asks_for_reserved_memory(kernel: &Kernel) -> bool {
    use SpecialName::{ReservedSmem0, ReservedSmem1, ReservedSmemBegin, ReservedSmemCap, ReservedSmemEnd};
    let asks = |operand: &Operand| match operand {
        Operand::Special(special) => matches!(
            special.name,
            ReservedSmem0 | ReservedSmem1 | ReservedSmemBegin | ReservedSmemCap | ReservedSmemEnd
        ),
        _ => false,
    };
    let operands = |inst| kernel.operands(inst).iter().flat_map(|operand| elements(kernel, operand));
    kernel.insts().any(|inst| operands(inst).any(asks))
}

/// The kernels of a module.
pub(crate) fn entries(module: &Module) -> impl Iterator<Item = &Kernel> {
    module.kernels().iter().filter(|kernel| kernel.kind() == KernelKind::Entry && kernel.has_body())
}

/// The definition of a variable, with the bytes that it begins with.
fn define(names: &ModuleNames, variable: &Variable) -> String {
    let Some(Place::Global(name)) = names.place(&variable.name) else { return String::new() };
    let bytes = variable.bytes().max(1);
    let mut text =
        format!("PXRW_ALIGN({}) PXRW_UNUSED static unsigned char {name}[{bytes}]", variable.align.clamp(16, 256));
    let initial = variable.init.as_ref().map(|init| init.bytes.as_slice()).unwrap_or_default();
    if initial.iter().any(|&byte| byte != 0) {
        text += " = {";
        for (index, byte) in initial.iter().enumerate() {
            let _ = write!(text, "{}{byte}", if index % 24 == 0 { "\n    " } else { " " });
            text.push(',');
        }
        text += "\n}";
    }
    text + ";\n"
}

/// A function that puts addresses into variables before anything is launched.
fn initialise(names: &ModuleNames, module: &Module, functions: &[&Kernel]) -> String {
    let mut text = String::new();
    for variable in module.variables() {
        let (Some(Place::Global(name)), Some(init)) = (names.place(&variable.name), &variable.init) else { continue };
        for address in &init.addresses {
            let value = match names.place(&address.name) {
                Some(Place::Global(other)) => format!("(uint64_t)(uintptr_t){other}"),
                Some(Place::Shared(at)) => format!("UINT64_C({at})"),
                Some(Place::Function(function)) if functions.iter().any(|one| *one.name() == *address.name) => {
                    format!("(uint64_t)(uintptr_t){function}")
                }
                _ => continue,
            };
            let (at, offset) = (address.at, address.offset.cast_unsigned());
            let shown = match address.mask {
                Some(mask) if mask != 0 => {
                    format!("((({value} + UINT64_C({offset})) & UINT64_C({mask})) >> {})", mask.trailing_zeros())
                }
                _ => format!("({value} + UINT64_C({offset}))"),
            };
            let bits = 8 * address.bytes.clamp(1, 8);
            let _ = writeln!(text, "    pxrw_store{bits}({name} + {at}, (uint{bits}_t){shown});");
        }
    }
    match text.is_empty() {
        true => text,
        false => format!("__attribute__((constructor)) static void pxrw_initialise(void)\n{{\n{text}}}\n"),
    }
}
