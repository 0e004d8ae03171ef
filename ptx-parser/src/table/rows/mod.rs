//! The rows, by chapter of the manual.

mod asynchronous;
mod barriers;
mod caches;
mod comparison;
mod control;
mod conversion;
mod float;
mod half;
mod integer;
mod logic;
mod matrix;
mod matrix_wgmma;
mod matrix_wmma;
mod memory;
mod movement;
mod tensor_memory;
mod texture;
mod video;
mod warp;

use super::effect::Effect;

/// The modifiers of a form, its operands, and what it needs; the notations are those of [`lexicon`](super::lexicon),
/// [`signature`](super::signature) and [`availability`](super::availability).
pub(super) type Row = (&'static str, &'static str, &'static str);

/// Mnemonics that share an effect and their forms.
#[derive(Debug)]
pub(super) struct Family {
    /// Separated by blanks.
    pub(super) mnemonics: &'static str,
    pub(super) effect: Effect,
    pub(super) forms: &'static [Row],
}

/// Shortens the rows: `family("add sub", Effect::COMPUTE, &[…])`.
const fn family(mnemonics: &'static str, effect: Effect, forms: &'static [Row]) -> Family {
    Family { mnemonics, effect, forms }
}

/// All rows.
pub(super) static FAMILIES: &[&[Family]] = &[
    integer::ROWS,
    float::ROWS,
    half::ROWS,
    logic::ROWS,
    comparison::ROWS,
    movement::ROWS,
    conversion::ROWS,
    memory::ROWS,
    caches::ROWS,
    texture::ROWS,
    control::ROWS,
    barriers::ROWS,
    warp::ROWS,
    asynchronous::ROWS,
    matrix::ROWS,
    matrix_wmma::ROWS,
    matrix_wgmma::ROWS,
    tensor_memory::ROWS,
    video::ROWS,
];

/// The modifiers that the assembler takes as part of an instruction's name, by mnemonic. They stand in front of all others and in
/// this order; `ptxas` 13.0 was asked about the orders of every form.
pub(super) const NAMES: &[(&str, &str)] = &[
    ("bar", "warp cta sync arrive red"),
    ("barrier", "cta cluster arrive red wait"),
    ("clusterlaunchcontrol", "try_cancel async query_cancel"),
    ("cp", "reduce async bulk mbarrier arrive commit_group wait_all wait_group prefetch tensor"),
    ("createpolicy", "range fractional cvt"),
    ("cvt", "pack"),
    ("cvta", "to"),
    ("div", "full"),
    ("dp2a", "lo hi"),
    ("fence", "proxy"),
    ("mad", "lo hi wide"),
    ("mad24", "lo hi"),
    ("madc", "lo hi"),
    ("mbarrier", "init inval arrive arrive_drop expect_tx complete_tx pending_count test_wait try_wait parity"),
    ("membar", "proxy"),
    ("mul", "lo hi wide"),
    ("mul24", "lo hi"),
    ("multimem", "ld_reduce st red"),
    ("red", "async"),
    ("setmaxnreg", "inc dec"),
    ("shf", "l r"),
    ("st", "async bulk"),
    ("suld", "b"),
    ("sured", "b p"),
    ("sust", "b p"),
    ("tcgen05", "alloc dealloc relinquish_alloc_permit ld st wait::ld wait::st cp commit shift mma red ws"),
    ("tensormap", "replace cp_fenceproxy"),
    ("tex", "base level grad"),
    ("txq", "level"),
    ("wgmma", "fence commit_group wait_group mma_async"),
    ("wmma", "load store mma a b c d"),
];

/// Sets of modifiers that many rows share; a row names one as `$name`.
pub(super) const SETS: &[(&str, &str)] = &[
    ("int", "u16|u32|u64|s16|s32|s64"),
    ("int8", "u8|u16|u32|u64|s8|s16|s32|s64"),
    ("wide", "u32|u64|s32|s64"),
    ("bits", "b16|b32|b64"),
    ("value", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64"),
    ("memory", "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64|b128@8.3:70"),
    ("rnd", "rn|rz|rm|rp"),
    ("irnd", "rni|rzi|rmi|rpi"),
    ("bool", "and|or|xor"),
    ("equal", "eq|ne"),
    ("signed", "eq|ne|lt|le|gt|ge"),
    ("unsigned", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs"),
    ("ordered", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"),
    ("scope", "cta|cluster@7.8:90|gpu|sys"),
    ("vector", "v2|v4|v8"),
    ("shared", "shared|shared::cta@7.8:30"),
    ("spaces", "const|global|local|shared|shared::cta@7.8:30|shared::cluster@7.8:90|param@7.7:70|param::entry@7.7:70"),
    (
        "readable",
        "const|global|local|param|param::entry@7.7|param::func@8.3|shared|shared::cta@7.8:30|shared::cluster@7.8:90",
    ),
    ("writable", "global|local|param|param::func@8.3|shared|shared::cta@7.8:30|shared::cluster@7.8:90"),
    ("coherent", "global|shared|shared::cta@7.8:30|shared::cluster@7.8:90"),
    ("shareable", "global|shared|shared::cta@7.8:30|shared::cluster@7.8:90"),
    ("prefetch", "L2::64B@7.4:75|L2::128B@7.4:75|L2::256B@7.4:80"),
    (
        "evict1",
        "L1::evict_normal@7.4:70|L1::evict_unchanged@7.4:70|L1::evict_first@7.4:70|L1::evict_last@7.4:70|L1::no_allocate@7.4:70",
    ),
    ("order", "relaxed@6.0:70|acquire@6.0:70|release@6.0:70|acq_rel@6.0:70"),
    ("publish", "relaxed@6.0:70|release@6.0:70"),
    ("policy", "L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged"),
    ("dim", "1d|2d|3d|4d|5d"),
    ("im2col", "im2col|im2col::w@8.6:100|im2col::w::128@8.6:100"),
    ("bytes", "mbarrier::complete_tx::bytes"),
    ("ctagroup", "cta_group::1@8.6:100f,110f|cta_group::2@8.6:100f,110f"),
    ("reduction", "add|min|max|inc|dec|and|or|xor"),
    ("packed", "f16|f16x2|bf16|bf16x2|f32|f64|e5m2@8.6|e5m2x2@8.6|e5m2x4@8.6|e4m3@8.6|e4m3x2@8.6|e4m3x4@8.6"),
    ("narrow", "e4m3|e5m2|e3m2|e2m3|e2m1"),
    ("collect", "collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard"),
    (
        "collectb",
        "collector::b0::fill|collector::b0::use|collector::b0::lastuse|collector::b0::discard|\
         collector::b1::fill|collector::b1::use|collector::b1::lastuse|collector::b1::discard|\
         collector::b2::fill|collector::b2::use|collector::b2::lastuse|collector::b2::discard|\
         collector::b3::fill|collector::b3::use|collector::b3::lastuse|collector::b3::discard",
    ),
    ("evict2", "L2::evict_normal@8.8:100|L2::evict_first@8.8:100|L2::evict_last@8.8:100"),
];
