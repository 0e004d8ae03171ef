//! Cache control and cache policies (PTX ISA, "prefetch", "applypriority", "discard", "createpolicy").

use super::super::effect::Effect;
use super::{Family, family};

pub(super) static ROWS: &[Family] = &[
    family(
        "prefetch",
        Effect::ACTION,
        &[
            ("[global|local] L1|L2", "rA", "2.0:20"),
            ("[global] L2::evict_last|L2::evict_normal", "rA", "7.4:80"),
            ("[const|param] tensormap", "ra", "8.0:90"),
        ],
    ),
    family("prefetchu", Effect::ACTION, &[("L1", "rA", "2.0:20")]),
    family("applypriority", Effect::ACTION, &[("[global] L2::evict_normal", "rA r#=128", "7.4:80")]),
    family("discard", Effect::ACTION, &[("[global] L2", "rA r#=128", "7.4:80")]),
    family(
        "createpolicy",
        Effect::COMPUTE,
        &[
            ("range [global] $policy [L2::evict_first|L2::evict_unchanged] b64", "w0 ra ru32 ru32", "7.4:80"),
            ("fractional $policy [L2::evict_first|L2::evict_unchanged] b64", "w0 rf32?", "7.4:80"),
            ("cvt L2 b64", "w0 rb64", "7.4:80"),
        ],
    ),
];
