//! Loads, stores and atomics (PTX ISA, "ld", "st", "atom", "red" and their relatives). A form with `.L2::cache_hint`
//! has a cache policy as its last operand.

use super::super::effect::Effect;
use super::{Family, family};

pub(super) static ROWS: &[Family] = &[
    family(
        "ld",
        Effect::LOAD,
        &[
            ("[weak] [$readable] [ca|cg|cs|lu|cv] [$prefetch] [$vector] $memory", "w{v}0+ ra", ""),
            (
                "[weak] [$readable] [ca|cg|cs|lu|cv] L2::cache_hint [$prefetch] [$vector] $memory",
                "w{v}0+ ra rb64",
                "7.4:80",
            ),
            ("[weak] [$readable] [$evict1] [$evict2] [$prefetch] [$vector] $memory", "w{v}0+ ra", ""),
            (
                "[weak] [$readable] [$evict1] [$evict2] L2::cache_hint [$prefetch] [$vector] $memory",
                "w{v}0+ ra rb64",
                "7.4:80",
            ),
            ("volatile [$readable] [$prefetch] [$vector] $memory", "w{v}0+ ra", ""),
            (
                "relaxed|acquire $scope [$readable] [$evict1] [$evict2] [$prefetch] [$vector] $memory",
                "w{v}0+ ra",
                "6.0:70",
            ),
            (
                "relaxed|acquire $scope [$readable] [$evict1] [$evict2] L2::cache_hint [$prefetch] [$vector] $memory",
                "w{v}0+ ra rb64",
                "7.4:80",
            ),
            ("mmio relaxed sys [global] $memory", "w{v}0+ ra", "8.2:70"),
            ("global [ca|cg|cs] nc [$prefetch] [$vector] $memory", "w{v}0+ ra", "3.1:32"),
            ("global [ca|cg|cs] nc L2::cache_hint [$prefetch] [$vector] $memory", "w{v}0+ ra rb64", "7.4:80"),
            ("global nc [$evict1] [$evict2] [$prefetch] [$vector] $memory", "w{v}0+ ra", "3.1:32"),
            ("global nc [$evict1] [$evict2] L2::cache_hint [$prefetch] [$vector] $memory", "w{v}0+ ra rb64", "7.4:80"),
        ],
    ),
    family("ldu", Effect::LOAD, &[("[global] [v2|v4] $memory", "w{v}0+ ra", "2.0:20")]),
    family(
        "st",
        Effect::STORE,
        &[
            ("[weak] [$writable] [wb|cg|cs|wt] [$vector] $memory", "ra r{v}0+", ""),
            ("[weak] [$writable] [wb|cg|cs|wt] L2::cache_hint [$vector] $memory", "ra r{v}0+ rb64", "7.4:80"),
            ("[weak] [$writable] [$evict1] [$evict2] [$vector] $memory", "ra r{v}0+", ""),
            ("[weak] [$writable] [$evict1] [$evict2] L2::cache_hint [$vector] $memory", "ra r{v}0+ rb64", "7.4:80"),
            ("volatile [$writable] [$vector] $memory", "ra r{v}0+", ""),
            ("relaxed|release $scope [$writable] [$evict1] [$evict2] [$vector] $memory", "ra r{v}0+", "6.0:70"),
            (
                "relaxed|release $scope [$writable] [$evict1] [$evict2] L2::cache_hint [$vector] $memory",
                "ra r{v}0+ rb64",
                "7.4:80",
            ),
            ("mmio relaxed sys [global] $memory", "ra r{v}0+", "8.2:70"),
        ],
    ),
    family(
        "atom",
        Effect::ATOMIC,
        &[
            ("[$order] [$scope] [$shareable] $bool b32|b64", "w0_ ra r0", ""),
            ("[$order] [$scope] [$shareable] exch b32|b64|b128@8.3:90", "w0_ ra r0", ""),
            ("[$order] [$scope] [$shareable] add u32|s32|u64|s64|f32|f64@5.0:60", "w0_ ra r0", ""),
            ("[$order] [$scope] [$shareable] inc|dec u32", "w0_ ra r0", ""),
            ("[$order] [$scope] [$shareable] min|max $wide", "w0_ ra r0", ""),
            ("[$order] [$scope] [$shareable] cas b16@6.3:70|b32|b64|b128@8.3:90", "w0_ ra r0 r0", ""),
            ("[$order] [$scope] [$shareable] add noftz f16|bf16@7.8:90|f16x2|bf16x2@7.8:90", "w0_ ra r0", "6.2:60"),
            ("[$order] [$scope] [$shareable] $bool L2::cache_hint b32|b64", "w0_ ra r0 rb64", "7.4:80"),
            ("[$order] [$scope] [$shareable] exch L2::cache_hint b32|b64|b128@8.3:90", "w0_ ra r0 rb64", "7.4:80"),
            ("[$order] [$scope] [$shareable] add L2::cache_hint u32|s32|u64|s64|f32|f64", "w0_ ra r0 rb64", "7.4:80"),
            ("[$order] [$scope] [$shareable] inc|dec L2::cache_hint u32", "w0_ ra r0 rb64", "7.4:80"),
            ("[$order] [$scope] [$shareable] min|max L2::cache_hint $wide", "w0_ ra r0 rb64", "7.4:80"),
            ("[$order] [$scope] [$shareable] cas L2::cache_hint b32|b64", "w0_ ra r0 r0 rb64", "7.4:80"),
            (
                "[$order] [$scope] [$shareable] add noftz L2::cache_hint f16|bf16|f16x2|bf16x2",
                "w0_ ra r0 rb64",
                "7.4:80",
            ),
            ("[$order] [$scope] [global] add v2|v4 f32", "w{v}0 ra r{v}0", "8.1:90"),
            ("[$order] [$scope] [global] add L2::cache_hint v2|v4 f32", "w{v}0 ra r{v}0 rb64", "8.1:90"),
            ("[$order] [$scope] [global] add|min|max noftz v2|v4|v8 f16|bf16", "w{v}0 ra r{v}0", "8.1:90"),
            (
                "[$order] [$scope] [global] add|min|max noftz L2::cache_hint v2|v4|v8 f16|bf16",
                "w{v}0 ra r{v}0 rb64",
                "8.1:90",
            ),
            ("[$order] [$scope] [global] add|min|max noftz v2|v4 f16x2|bf16x2", "w{v}0 ra r{v}0", "8.1:90"),
            (
                "[$order] [$scope] [global] add|min|max noftz L2::cache_hint v2|v4 f16x2|bf16x2",
                "w{v}0 ra r{v}0 rb64",
                "8.1:90",
            ),
        ],
    ),
    family(
        "red",
        Effect::REDUCE,
        &[
            ("[$publish] [$scope] [$shareable] $bool b32|b64", "ra r0", ""),
            ("[$publish] [$scope] [$shareable] add u32|s32|u64|s64|f32|f64@5.0:60", "ra r0", ""),
            ("[$publish] [$scope] [$shareable] inc|dec u32", "ra r0", ""),
            ("[$publish] [$scope] [$shareable] min|max $wide", "ra r0", ""),
            ("[$publish] [$scope] [$shareable] add noftz f16|bf16@7.8:90|f16x2|bf16x2@7.8:90", "ra r0", "6.2:60"),
            ("[$publish] [$scope] [$shareable] $bool L2::cache_hint b32|b64", "ra r0 rb64", "7.4:80"),
            ("[$publish] [$scope] [$shareable] add L2::cache_hint u32|s32|u64|s64|f32|f64", "ra r0 rb64", "7.4:80"),
            ("[$publish] [$scope] [$shareable] inc|dec L2::cache_hint u32", "ra r0 rb64", "7.4:80"),
            ("[$publish] [$scope] [$shareable] min|max L2::cache_hint $wide", "ra r0 rb64", "7.4:80"),
            ("[$publish] [$scope] [$shareable] add noftz L2::cache_hint f16|bf16|f16x2|bf16x2", "ra r0 rb64", "7.4:80"),
            ("[$publish] [$scope] [global] add v2|v4 f32", "ra r{v}0", "8.1:90"),
            ("[$publish] [$scope] [global] add L2::cache_hint v2|v4 f32", "ra r{v}0 rb64", "8.1:90"),
            ("[$publish] [$scope] [global] add|min|max noftz v2|v4|v8 f16|bf16", "ra r{v}0", "8.1:90"),
            (
                "[$publish] [$scope] [global] add|min|max noftz L2::cache_hint v2|v4|v8 f16|bf16",
                "ra r{v}0 rb64",
                "8.1:90",
            ),
            ("[$publish] [$scope] [global] add|min|max noftz v2|v4 f16x2|bf16x2", "ra r{v}0", "8.1:90"),
            (
                "[$publish] [$scope] [global] add|min|max noftz L2::cache_hint v2|v4 f16x2|bf16x2",
                "ra r{v}0 rb64",
                "8.1:90",
            ),
        ],
    ),
    family(
        "multimem",
        Effect::LOAD.together(),
        &[
            ("ld_reduce [weak] [global] $mmop $mmint", "w{v}0 ra", "8.1:90"),
            ("ld_reduce relaxed|acquire $scope [global] $mmop $mmint", "w{v}0 ra", "8.1:90"),
            (
                "ld_reduce [weak] [global] min|max|add [acc::f32|acc::f16@8.6:100] [$vector] $mmfloat",
                "w{v}0 ra",
                "8.1:90",
            ),
            (
                "ld_reduce relaxed|acquire $scope [global] min|max|add [acc::f32|acc::f16@8.6:100] [$vector] $mmfloat",
                "w{v}0 ra",
                "8.1:90",
            ),
        ],
    ),
    family(
        "multimem",
        Effect::STORE.together(),
        &[
            ("st [weak] [global] [$vector] $mmint|$mmfloat", "ra r{v}0", "8.1:90"),
            ("st relaxed|release $scope [global] [$vector] $mmint|$mmfloat", "ra r{v}0", "8.1:90"),
        ],
    ),
    family(
        "multimem",
        Effect::REDUCE.together(),
        &[
            ("red [relaxed|release] [$scope] [global] $mmop $mmint", "ra r{v}0", "8.1:90"),
            (
                "red [relaxed|release] [$scope] [global] add|min|max [v2|v4|v8] f16|f16x2|bf16|bf16x2|f32|f64",
                "ra r{v}0",
                "8.1:90",
            ),
        ],
    ),
];
