//! The file of C around translated kernels: the runtime, the variables of the module, functions, kernels, and how they are launched.

use std::fmt::Write as _;

use analysis::{Analyses, LaneDependences, Shapes, accesses_shared_state};
use ptx_parser::{Inst, Kernel, KernelKind, Module, Operand, Space, SpecialName, Variable};
use rustc_hash::FxHashSet;

use super::function::Functions;
use super::names::{ModuleNames, Names, Place, elements};
use super::rows::{self, RowGraph, RowMeetings, Rows, around_meetings, may_run_alone};
use super::segment::Emitter;
use super::stacked::{self, Stacked};
use super::system::{self, SystemFunction};
use crate::cuts::{Cut, CutKind, Cuts};
use crate::forms::{Facts, Forms};
use crate::implicit::Meetings;
use crate::refusal::Refusal;
use crate::{Interface, Options, Sync, Synchronisation, Translation};

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
    let meets = |kernel: &Kernel, inst: Inst| options.sync != Sync::Basic && accesses_shared_state(kernel, inst);
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
    let (mut notes, mut synchronisation) = (stacked.notes(&reached, options.sync), Vec::new());
    for kernel in &opened {
        match translated(kernel, &names, &functions, &stacked, options.sync, reserves) {
            Ok((text, interface, lanes)) => {
                notes.extend(lanes.notes());
                synchronisation.push(lanes);
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
    Ok(Translation { source, header, kernels: interfaces, notes, synchronisation })
}

/// A kernel, the function that launches it, and what is known of its lanes.
fn translated(
    kernel: &Kernel,
    module: &ModuleNames,
    functions: &Functions<'_>,
    stacked: &Stacked<'_>,
    sync: Sync,
    reserves: bool,
) -> Result<(String, Interface, Synchronisation), Vec<Refusal>> {
    let Some(Place::Function(symbol)) = module.place(kernel.name()) else {
        return Err(vec![Refusal::declaration(kernel.name(), kernel.name(), "it has no name")]);
    };
    let analyses = Analyses::of(kernel);
    let names = Names::of(kernel, module);
    let meetings = Meetings::of(kernel, &analyses, sync);
    let mut cuts = Cuts::of(
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
        cuts: None,
        stacked,
        first,
        frame: None,
    };
    // A block is run row by row unless its threads wait for each other elsewhere than at barriers of the block; else lanes take turns.
    let row_meetings = RowMeetings::of(&cuts, &meetings);
    let forms = rows::apply(kernel, &cuts).then(|| forms(&emitter, &cuts, &row_meetings));
    let rows = forms.as_ref().map(|forms| {
        // What `splitting` would do: `basic` does not keep lockstep by accident, so that it shows what depends on that.
        let splitting = (sync == Sync::Basic).then(|| Meetings::of(kernel, &analyses, Sync::Splitting));
        let independent = match (sync, &splitting) {
            // Lanes meet in front of each access.
            (Sync::Merging, _) => true,
            (_, Some(found)) => {
                let found = &found.dependences;
                !found.too_many && lanes_are_independent(kernel, &analyses, &cuts, found, Shapes::ROWS, &row_meetings)
            }
            (_, None) => {
                let found = &meetings.dependences;
                found.too_many
                    || lanes_are_independent(kernel, &analyses, &cuts, found, row_meetings.shapes, &row_meetings)
            }
        };
        let depends = splitting.is_some_and(|found| !found.none_in.has(Shapes::ROWS));
        Rows { forms, alone: depends && !row_meetings.rows_are_warps, meetings: row_meetings, independent }
    });
    if let Some(rows) = &rows {
        let starts: Vec<Cut> = cuts.cuts.keys().filter(|&cut| cuts.begins_row(cut)).collect();
        for cut in starts {
            for inst in RowGraph::of(&emitter, &cuts, cut).parts(&emitter, &cuts, rows) {
                cuts.add_part(kernel, &analyses, inst);
            }
        }
        let meets = |inst: Inst| rows.meetings.meet_at(kernel, &cuts, inst);
        let checked = rows.forms.checked().into_iter();
        let apart: Vec<Inst> = checked.filter(|&inst| !may_run_alone(&emitter, &cuts, &meets, inst)).collect();
        for inst in apart {
            cuts.add_part(kernel, &analyses, inst);
        }
    }
    let emitter = Emitter { cuts: Some(&cuts), ..emitter };
    let mut state = emitter.state(&cuts).1;
    let (by_rows, needs_turns) = match &rows {
        Some(rows) => {
            let (text, needs_turns, bytes) = emitter.rows(&cuts, rows, symbol)?;
            state += bytes;
            (text, needs_turns)
        }
        None => (String::new(), true),
    };
    let mut text = if needs_turns { emitter.turns(&cuts, symbol)? } else { String::new() };
    text += &by_rows;
    // What lanes that take turns, or are behind a barrier, find there although nothing has written it.
    let clears_state =
        u8::from(by_rows.is_empty() || cuts.cuts.values().any(|cut| matches!(cut.kind, CutKind::Barrier(_))));
    let (run, takes_turns) = if by_rows.is_empty() { ("turns", 1) } else { ("rows", 0) };
    let _ = write!(
        text,
        "\nvoid {symbol}_launch_packed(const pxrw_launch *launch, const void *params, pxrw_result *result);\n\
         void {symbol}_launch_packed(const pxrw_launch *launch, const void *params, pxrw_result *result)\n{{\n    \
         static const pxrw_kernel kernel = {{pxrw_{run}_{symbol}, {}, {}, {state}, {takes_turns}, {clears_state}, {}, {}}};\n    \
         pxrw_run_grid(&kernel, launch, params, result);\n}}\n",
        names.shared_bytes,
        names.local_bytes,
        u8::from(reserves),
        u8::from(enters)
    );
    let interface =
        Interface { name: kernel.name().to_owned(), symbol: symbol.clone(), param_bytes: names.param_bytes };
    Ok((text, interface, Synchronisation::of(kernel, &analyses, &meetings)))
}

/// Returns true if lanes of a row do not depend on each other between two places where they meet in a block of some shapes, whatever their order.
fn lanes_are_independent(
    kernel: &Kernel,
    analyses: &Analyses,
    cuts: &Cuts,
    found: &LaneDependences,
    shapes: Shapes,
    meetings: &RowMeetings,
) -> bool {
    let cfg = &analyses.cfg;
    found.dependences.iter().all(|one| {
        let Some(block) = cfg.block_of(one.source) else { return false };
        let behind = cfg.insts(block).iter().skip_while(|&&inst| inst != one.source).skip(1);
        // Other blocks and later iterations are other loops over lanes.
        let Some(length) = behind.clone().position(|&inst| inst == one.sink).filter(|_| one.carried_by.is_none())
        else {
            return true;
        };
        one.apart_in.has(shapes) || behind.take(length + 1).any(|&inst| meetings.meet_at(kernel, cuts, inst))
    })
}

/// The forms of a kernel's registers.
fn forms(emitter: &Emitter<'_>, cuts: &Cuts, meetings: &RowMeetings) -> Forms {
    let kernel = emitter.kernel;
    let meets = |inst: Inst| meetings.meet_at(kernel, cuts, inst);
    let rows_are_warps = meetings.rows_are_warps;
    let mentions_lane = |inst: &Inst| {
        let Ok(text) = emitter.statement(*inst) else { return true };
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .any(|word| matches!(word, "local" | "thread") || matches!(word, "lane" | "warp") && !rows_are_warps)
    };
    let lane_specific: FxHashSet<Inst> = kernel.insts().filter(mentions_lane).collect();
    let is_lane_specific = |inst: Inst| lane_specific.contains(&inst);
    let around = around_meetings(emitter, &meets);
    let facts = Facts {
        cuts,
        is_lane_specific: &is_lane_specific,
        may_part: &|inst| emitter.analyses.cfg.block_of(inst).is_some_and(|block| !around.contains(&block)),
        rows_are_warps,
    };
    Forms::of(kernel, emitter.analyses, &facts)
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
