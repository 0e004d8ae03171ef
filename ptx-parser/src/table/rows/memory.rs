//! Loads, stores and atomics (PTX ISA, "ld", "st", "atom", "red" and their relatives). A form with `.L2::cache_hint`
//! has a cache policy as its last operand.

use super::super::effect::Effect;
use super::{Family, family};

pub(super) static ROWS: &[Family] = &[
    family(
        "ld",
        Effect::LOAD,
        &[
            ("[weak] [$readable] [ca|cg|cs|lu|cv] [$vector] $memory", "w{v}0+ rA", ""),
            ("[weak] [global] [ca|cg|cs|lu|cv] $prefetch [$vector] $memory", "w{v}0+ rA", "7.4:75"),
            (
                "[weak] [global] [ca|cg|cs|lu|cv] L2::cache_hint [$prefetch] [$vector] $memory",
                "w{v}0+ rA rb64",
                "7.4:80",
            ),
            ("[weak] [global] $evict1 [$prefetch] [$vector] $memory", "w{v}0+ rA", "7.4:70"),
            ("[weak] [global] [$evict1] L2::cache_hint [$prefetch] [$vector] $memory", "w{v}0+ rA rb64", "7.4:80"),
            ("volatile [$coherent] [$vector] $memory", "w{v}0+ rA", ""),
            ("volatile [global] $prefetch [$vector] $memory", "w{v}0+ rA", "7.4:75"),
            ("relaxed|acquire $scope [$coherent] [$vector] $memory", "w{v}0+ rA", "6.0:70"),
            ("relaxed|acquire $scope [global] [$evict1] [$prefetch] [$vector] $memory", "w{v}0+ rA", "7.4:75"),
            (
                "relaxed|acquire $scope [global] [$evict1] L2::cache_hint [$prefetch] [$vector] $memory",
                "w{v}0+ rA rb64",
                "7.4:80",
            ),
            ("mmio relaxed sys [global] $memory", "w{v}0+ rA", "8.2:70"),
            ("global [ca|cg|cs] nc [$prefetch] [$vector] $memory", "w{v}0+ rA", "3.1:32"),
            ("global [ca|cg|cs] nc L2::cache_hint [$prefetch] [$vector] $memory", "w{v}0+ rA rb64", "7.4:80"),
            ("global nc [$evict1] [$prefetch] [$vector] $memory", "w{v}0+ rA", "3.1:32"),
            ("global nc [$evict1] L2::cache_hint [$prefetch] [$vector] $memory", "w{v}0+ rA rb64", "7.4:80"),
            // An eviction priority of the second level stands only where 256 bits are accessed at once.
            ("[weak] [nc] [global] [$evict1] $evict2 [$prefetch] v8 b32|u32|s32|f32", "w{v}0+ rA", "8.8:100"),
            (
                "[weak] [nc] [global] [$evict1] $evict2 L2::cache_hint [$prefetch] v8 b32|u32|s32|f32",
                "w{v}0+ rA rb64",
                "8.8:100",
            ),
            (
                "relaxed|acquire $scope [global] [$evict1] $evict2 [$prefetch] v8 b32|u32|s32|f32",
                "w{v}0+ rA",
                "8.8:100",
            ),
            (
                "relaxed|acquire $scope [global] [$evict1] $evict2 L2::cache_hint [$prefetch] v8 b32|u32|s32|f32",
                "w{v}0+ rA rb64",
                "8.8:100",
            ),
            ("[weak] [nc] [global] [$evict1] $evict2 [$prefetch] v4 b64|u64|s64|f64", "w{v}0+ rA", "8.8:100"),
            (
                "[weak] [nc] [global] [$evict1] $evict2 L2::cache_hint [$prefetch] v4 b64|u64|s64|f64",
                "w{v}0+ rA rb64",
                "8.8:100",
            ),
            (
                "relaxed|acquire $scope [global] [$evict1] $evict2 [$prefetch] v4 b64|u64|s64|f64",
                "w{v}0+ rA",
                "8.8:100",
            ),
            (
                "relaxed|acquire $scope [global] [$evict1] $evict2 L2::cache_hint [$prefetch] v4 b64|u64|s64|f64",
                "w{v}0+ rA rb64",
                "8.8:100",
            ),
        ],
    ),
    family("ldu", Effect::LOAD, &[("[global] [v2|v4] $memory", "w{v}0+ rA", "2.0:20")]),
    family(
        "st",
        Effect::STORE,
        &[
            ("[weak] [$writable] [wb|cg|cs|wt] [$vector] $memory", "rA r{v}0+", ""),
            ("[weak] [global] [wb|cg|cs|wt] L2::cache_hint [$vector] $memory", "rA r{v}0+ rb64", "7.4:80"),
            ("[weak] [global] $evict1 [$vector] $memory", "rA r{v}0+", "7.4:70"),
            ("[weak] [global] [$evict1] L2::cache_hint [$vector] $memory", "rA r{v}0+ rb64", "7.4:80"),
            ("volatile [$coherent] [$vector] $memory", "rA r{v}0+", ""),
            ("relaxed|release $scope [$coherent] [$vector] $memory", "rA r{v}0+", "6.0:70"),
            ("relaxed|release $scope [global] $evict1 [$vector] $memory", "rA r{v}0+", "7.4:70"),
            ("relaxed|release $scope [global] [$evict1] L2::cache_hint [$vector] $memory", "rA r{v}0+ rb64", "7.4:80"),
            ("mmio relaxed sys [global] $memory", "rA r{v}0+", "8.2:70"),
            ("[weak] [global] [$evict1] $evict2 v8 b32|u32|s32|f32", "rA r{v}0+", "8.8:100"),
            ("[weak] [global] [$evict1] $evict2 L2::cache_hint v8 b32|u32|s32|f32", "rA r{v}0+ rb64", "8.8:100"),
            ("relaxed|release $scope [global] [$evict1] $evict2 v8 b32|u32|s32|f32", "rA r{v}0+", "8.8:100"),
            (
                "relaxed|release $scope [global] [$evict1] $evict2 L2::cache_hint v8 b32|u32|s32|f32",
                "rA r{v}0+ rb64",
                "8.8:100",
            ),
            ("[weak] [global] [$evict1] $evict2 v4 b64|u64|s64|f64", "rA r{v}0+", "8.8:100"),
            ("[weak] [global] [$evict1] $evict2 L2::cache_hint v4 b64|u64|s64|f64", "rA r{v}0+ rb64", "8.8:100"),
            ("relaxed|release $scope [global] [$evict1] $evict2 v4 b64|u64|s64|f64", "rA r{v}0+", "8.8:100"),
            (
                "relaxed|release $scope [global] [$evict1] $evict2 L2::cache_hint v4 b64|u64|s64|f64",
                "rA r{v}0+ rb64",
                "8.8:100",
            ),
        ],
    ),
    family(
        "atom",
        Effect::ATOMIC,
        &[
            // The assembler takes a fourth operand of some of these and ignores it.
            ("[$order] [$scope] [$shareable] $bool b32|b64", "w0_ rA r0 r0?", ""),
            ("[$order] [$scope] [$shareable] exch b32|b64|b128@8.3:90", "w0_ rA r0 r0?", ""),
            ("[$order] [$scope] [$shareable] add u32|s32|u64|f32|f64@5.0:60", "w0_ rA r0", ""),
            ("[$order] [$scope] [$shareable] inc|dec u32", "w0_ rA r0", ""),
            ("[$order] [$scope] [$shareable] min|max $wide", "w0_ rA r0", ""),
            ("[$order] [$scope] [$shareable] cas b16@6.3:70|b32|b64|b128@8.3:90", "w0_ rA r0 r0", ""),
            ("[$order] [$scope] [$shareable] add noftz f16|bf16@7.8:90|f16x2|bf16x2@7.8:90", "w0_ rA r0", "6.2:60"),
            ("[$order] [$scope] [global] add v2|v4 f32", "w{v}0 rA r{v}0", "8.1:90"),
            ("[$order] [$scope] [global] add|min|max noftz v2|v4|v8 f16|bf16", "w{v}0 rA r{v}0", "8.1:90"),
            ("[$order] [$scope] [global] add|min|max noftz v2|v4 f16x2|bf16x2", "w{v}0 rA r{v}0", "8.1:90"),
            ("[$order] [$scope] [global] $bool L2::cache_hint b32|b64", "w0_ rA r0 rb64", "7.4:80"),
            ("[$order] [$scope] [global] exch L2::cache_hint b32|b64|b128@8.3:90", "w0_ rA r0 rb64", "7.4:80"),
            ("[$order] [$scope] [global] add L2::cache_hint u32|s32|u64|f32|f64@5.0:60", "w0_ rA r0 rb64", "7.4:80"),
            ("[$order] [$scope] [global] inc|dec L2::cache_hint u32", "w0_ rA r0 rb64", "7.4:80"),
            ("[$order] [$scope] [global] min|max L2::cache_hint $wide", "w0_ rA r0 rb64", "7.4:80"),
            (
                "[$order] [$scope] [global] cas L2::cache_hint b16@6.3:70|b32|b64|b128@8.3:90",
                "w0_ rA r0 r0 rb64",
                "7.4:80",
            ),
            (
                "[$order] [$scope] [global] add noftz L2::cache_hint f16|bf16@7.8:90|f16x2|bf16x2@7.8:90",
                "w0_ rA r0 rb64",
                "7.4:80",
            ),
            ("[$order] [$scope] [global] add L2::cache_hint v2|v4 f32", "w{v}0 rA r{v}0 rb64", "8.1:90"),
            (
                "[$order] [$scope] [global] add|min|max noftz L2::cache_hint v2|v4|v8 f16|bf16",
                "w{v}0 rA r{v}0 rb64",
                "8.1:90",
            ),
            (
                "[$order] [$scope] [global] add|min|max noftz L2::cache_hint v2|v4 f16x2|bf16x2",
                "w{v}0 rA r{v}0 rb64",
                "8.1:90",
            ),
        ],
    ),
    family(
        "red",
        Effect::REDUCE,
        &[
            ("[$publish] [$scope] [$shareable] $bool b32|b64", "rA r0", ""),
            ("[$publish] [$scope] [$shareable] add u32|s32|u64|f32|f64@5.0:60", "rA r0", ""),
            ("[$publish] [$scope] [$shareable] inc|dec u32", "rA r0", ""),
            ("[$publish] [$scope] [$shareable] min|max $wide", "rA r0", ""),
            ("[$publish] [$scope] [$shareable] add noftz f16|bf16@7.8:90|f16x2|bf16x2@7.8:90", "rA r0", "6.2:60"),
            ("[$publish] [$scope] [global] add v2|v4 f32", "rA r{v}0", "8.1:90"),
            ("[$publish] [$scope] [global] add|min|max noftz v2|v4|v8 f16|bf16", "rA r{v}0", "8.1:90"),
            ("[$publish] [$scope] [global] add|min|max noftz v2|v4 f16x2|bf16x2", "rA r{v}0", "8.1:90"),
            ("[$publish] [$scope] [global] $bool L2::cache_hint b32|b64", "rA r0 rb64", "7.4:80"),
            ("[$publish] [$scope] [global] add L2::cache_hint u32|s32|u64|f32|f64@5.0:60", "rA r0 rb64", "7.4:80"),
            ("[$publish] [$scope] [global] inc|dec L2::cache_hint u32", "rA r0 rb64", "7.4:80"),
            ("[$publish] [$scope] [global] min|max L2::cache_hint $wide", "rA r0 rb64", "7.4:80"),
            (
                "[$publish] [$scope] [global] add noftz L2::cache_hint f16|bf16@7.8:90|f16x2|bf16x2@7.8:90",
                "rA r0 rb64",
                "7.4:80",
            ),
            ("[$publish] [$scope] [global] add L2::cache_hint v2|v4 f32", "rA r{v}0 rb64", "8.1:90"),
            (
                "[$publish] [$scope] [global] add|min|max noftz L2::cache_hint v2|v4|v8 f16|bf16",
                "rA r{v}0 rb64",
                "8.1:90",
            ),
            (
                "[$publish] [$scope] [global] add|min|max noftz L2::cache_hint v2|v4 f16x2|bf16x2",
                "rA r{v}0 rb64",
                "8.1:90",
            ),
        ],
    ),
    family(
        "multimem",
        Effect::LOAD.together(),
        &[
            ("ld_reduce [weak] [global] min|max|add $wide", "w0 rA", "8.1:90"),
            ("ld_reduce [weak] [global] and|or|xor b32|b64", "w0 rA", "8.1:90"),
            (
                "ld_reduce [weak] [global] min|max|add [acc::f32|acc::f16@8.6:100] [$vector] $packed",
                "w{v}0 rA",
                "8.1:90",
            ),
            ("ld_reduce relaxed|acquire $scope [global] min|max|add $wide", "w0 rA", "8.1:90"),
            ("ld_reduce relaxed|acquire $scope [global] and|or|xor b32|b64", "w0 rA", "8.1:90"),
            (
                "ld_reduce relaxed|acquire $scope [global] min|max|add [acc::f32|acc::f16@8.6:100] [$vector] $packed",
                "w{v}0 rA",
                "8.1:90",
            ),
        ],
    ),
    family(
        "multimem",
        Effect::STORE.together(),
        &[
            ("st [weak] [global] [$vector] b32|b64|$wide|$packed", "rA r{v}0", "8.1:90"),
            ("st relaxed|release $scope [global] [$vector] b32|b64|$wide|$packed", "rA r{v}0", "8.1:90"),
        ],
    ),
    family(
        "multimem",
        Effect::REDUCE.together(),
        &[
            ("red [global] min|max|add $wide", "rA r0", "8.1:90"),
            ("red [global] and|or|xor b32|b64", "rA r0", "8.1:90"),
            ("red [global] add|min|max [v2|v4|v8] f16|f16x2|bf16|bf16x2|f32|f64", "rA r{v}0", "8.1:90"),
            ("red relaxed|release $scope [global] min|max|add $wide", "rA r0", "8.1:90"),
            ("red relaxed|release $scope [global] and|or|xor b32|b64", "rA r0", "8.1:90"),
            (
                "red relaxed|release $scope [global] add|min|max [v2|v4|v8] f16|f16x2|bf16|bf16x2|f32|f64",
                "rA r{v}0",
                "8.1:90",
            ),
        ],
    ),
];
