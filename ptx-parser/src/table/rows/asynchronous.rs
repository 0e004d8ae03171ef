//! Asynchronous copies, reductions and stores, the barriers that await them, and tensor maps (PTX ISA, "Data Movement
//! and Conversion Instructions: Asynchronous copy", "mbarrier", "tensormap", "clusterlaunchcontrol").

use super::super::effect::Effect;
use super::{Family, family};

const COPY: Effect = Effect::ANYTHING;

pub(super) static ROWS: &[Family] = &[
    family(
        "cp",
        COPY,
        &[
            ("async ca $shared global [$prefetch]", "ra ra r#=4|8|16", "7.0:80"),
            ("async cg $shared global [$prefetch]", "ra ra r#=16", "7.0:80"),
            // How many bytes are read, at most as many as are written, or a predicate that says to read none.
            ("async ca $shared global [$prefetch]", "ra ra r#=16 r*=0..16", "7.0:80"),
            ("async ca $shared global [$prefetch]", "ra ra r#=8|16 r*=0..8", "7.0:80"),
            ("async ca $shared global [$prefetch]", "ra ra r#=4|8|16 r*=0..4", "7.0:80"),
            ("async cg $shared global [$prefetch]", "ra ra r#=16 r*=0..16", "7.0:80"),
            ("async ca $shared global L2::cache_hint [$prefetch]", "ra ra r#=4|8|16 rb64", "7.4:80"),
            ("async cg $shared global L2::cache_hint [$prefetch]", "ra ra r#=16 rb64", "7.4:80"),
            ("async ca $shared global L2::cache_hint [$prefetch]", "ra ra r#=16 r*=0..16 rb64", "7.4:80"),
            ("async ca $shared global L2::cache_hint [$prefetch]", "ra ra r#=8|16 r*=0..8 rb64", "7.4:80"),
            ("async ca $shared global L2::cache_hint [$prefetch]", "ra ra r#=4|8|16 r*=0..4 rb64", "7.4:80"),
            ("async cg $shared global L2::cache_hint [$prefetch]", "ra ra r#=16 r*=0..16 rb64", "7.4:80"),
            ("async commit_group", "", "7.0:80"),
            ("async wait_group", "r#", "7.0:80"),
            ("async wait_all", "", "7.0:80"),
            ("async mbarrier arrive [noinc] [$shared] b64", "ra", "7.0:80"),
        ],
    ),
    family(
        "cp",
        COPY,
        &[
            ("async bulk shared::cta@8.6 global $bytes", "ra ra ru32=0..1048560*16 ra", "8.0:90"),
            ("async bulk shared::cta@8.6 global $bytes L2::cache_hint", "ra ra ru32=0..1048560*16 ra rb64", "8.0:90"),
            ("async bulk shared::cta global $bytes ignore_oob", "ra ra ru32 ru32 ru32 ra", "9.1:90"),
            (
                "async bulk shared::cta global $bytes ignore_oob L2::cache_hint",
                "ra ra ru32 ru32 ru32 ra rb64",
                "9.1:90",
            ),
            ("async bulk shared::cluster global $bytes", "ra ra ru32=0..1048560*16 ra", "8.0:90"),
            ("async bulk shared::cluster global $bytes L2::cache_hint", "ra ra ru32=0..1048560*16 ra rb64", "8.0:90"),
            (
                "async bulk shared::cluster global $bytes multicast::cluster",
                "ra ra ru32=0..1048560*16 ra ru16",
                "8.0:90",
            ),
            (
                "async bulk shared::cluster global $bytes multicast::cluster L2::cache_hint",
                "ra ra ru32=0..1048560*16 ra ru16 rb64",
                "8.0:90",
            ),
            ("async bulk shared::cluster shared::cta $bytes", "ra ra ru32=0..1048560*16 ra", "8.0:90"),
            ("async bulk global shared::cta bulk_group", "ra ra ru32=0..1048560*16", "8.0:90"),
            ("async bulk global shared::cta bulk_group L2::cache_hint", "ra ra ru32=0..1048560*16 rb64", "8.0:90"),
            ("async bulk global shared::cta bulk_group cp_mask", "ra ra ru32=0..1048560*16 ru16", "8.6:100"),
            (
                "async bulk global shared::cta bulk_group L2::cache_hint cp_mask",
                "ra ra ru32=0..1048560*16 rb64 ru16",
                "8.6:100",
            ),
            ("async bulk prefetch L2 global", "ra ru32=0..1048560*16", "8.0:90"),
            ("async bulk prefetch L2 global L2::cache_hint", "ra ru32=0..1048560*16 rb64", "8.0:90"),
            ("async bulk commit_group", "", "8.0:90"),
            ("async bulk wait_group [read]", "r#", "8.0:90"),
        ],
    ),
    // Of a tensor: the coordinates stand with the map; the offsets of `im2col` are an operand of their own.
    family(
        "cp",
        COPY,
        &[
            (
                "async bulk tensor $dim shared::cta@8.6|shared::cluster global [tile] $bytes [$ctagroup]",
                "ra rb ra",
                "8.0:90",
            ),
            (
                "async bulk tensor $dim shared::cta@8.6|shared::cluster global [tile] $bytes [$ctagroup] L2::cache_hint",
                "ra rb ra rb64",
                "8.0:90",
            ),
            (
                "async bulk tensor $dim shared::cluster global [tile] $bytes multicast::cluster [$ctagroup]",
                "ra rb ra ru16",
                "8.0:90",
            ),
            (
                "async bulk tensor $dim shared::cluster global [tile] $bytes multicast::cluster [$ctagroup] L2::cache_hint",
                "ra rb ra ru16 rb64",
                "8.0:90",
            ),
            (
                "async bulk tensor 2d shared::cta@8.6|shared::cluster global tile::gather4@8.6:100 $bytes [$ctagroup]",
                "ra rb ra",
                "8.0:90",
            ),
            (
                "async bulk tensor 2d shared::cta@8.6|shared::cluster global tile::gather4@8.6:100 $bytes [$ctagroup] L2::cache_hint",
                "ra rb ra rb64",
                "8.0:90",
            ),
            (
                "async bulk tensor 2d shared::cluster global tile::gather4@8.6:100 $bytes multicast::cluster [$ctagroup]",
                "ra rb ra ru16",
                "8.0:90",
            ),
            (
                "async bulk tensor 2d shared::cluster global tile::gather4@8.6:100 $bytes multicast::cluster [$ctagroup] L2::cache_hint",
                "ra rb ra ru16 rb64",
                "8.0:90",
            ),
            (
                "async bulk tensor 3d|4d|5d shared::cta@8.6|shared::cluster global $im2col $bytes [$ctagroup]",
                "ra rb ra r*",
                "8.0:90",
            ),
            (
                "async bulk tensor 3d|4d|5d shared::cta@8.6|shared::cluster global $im2col $bytes [$ctagroup] L2::cache_hint",
                "ra rb ra r* rb64",
                "8.0:90",
            ),
            (
                "async bulk tensor 3d|4d|5d shared::cluster global $im2col $bytes multicast::cluster [$ctagroup]",
                "ra rb ra r* ru16",
                "8.0:90",
            ),
            (
                "async bulk tensor 3d|4d|5d shared::cluster global $im2col $bytes multicast::cluster [$ctagroup] L2::cache_hint",
                "ra rb ra r* ru16 rb64",
                "8.0:90",
            ),
            ("async bulk tensor $dim global shared::cta [tile] bulk_group", "rb ra", "8.0:90"),
            ("async bulk tensor $dim global shared::cta [tile] bulk_group L2::cache_hint", "rb ra rb64", "8.0:90"),
            ("async bulk tensor 2d global shared::cta tile::scatter4@8.6:100 bulk_group", "rb ra", "8.0:90"),
            (
                "async bulk tensor 2d global shared::cta tile::scatter4@8.6:100 bulk_group L2::cache_hint",
                "rb ra rb64",
                "8.0:90",
            ),
            ("async bulk tensor 3d|4d|5d global shared::cta im2col_no_offs bulk_group", "rb ra", "8.0:90"),
            (
                "async bulk tensor 3d|4d|5d global shared::cta im2col_no_offs bulk_group L2::cache_hint",
                "rb ra rb64",
                "8.0:90",
            ),
            ("async bulk prefetch tensor $dim L2 global [tile]", "rb", "8.0:90"),
            ("async bulk prefetch tensor $dim L2 global [tile] L2::cache_hint", "rb rb64", "8.0:90"),
            ("async bulk prefetch tensor 2d L2 global tile::gather4@8.6:100", "rb", "8.0:90"),
            ("async bulk prefetch tensor 2d L2 global tile::gather4@8.6:100 L2::cache_hint", "rb rb64", "8.0:90"),
            ("async bulk prefetch tensor 3d|4d|5d L2 global $im2col", "rb r*", "8.0:90"),
            ("async bulk prefetch tensor 3d|4d|5d L2 global $im2col L2::cache_hint", "rb r* rb64", "8.0:90"),
            ("reduce async bulk tensor $dim global shared::cta $reduction [tile] bulk_group", "rb ra", "8.0:90"),
            (
                "reduce async bulk tensor $dim global shared::cta $reduction [tile] bulk_group L2::cache_hint",
                "rb ra rb64",
                "8.0:90",
            ),
            (
                "reduce async bulk tensor 3d|4d|5d global shared::cta $reduction im2col_no_offs bulk_group",
                "rb ra",
                "8.0:90",
            ),
            (
                "reduce async bulk tensor 3d|4d|5d global shared::cta $reduction im2col_no_offs bulk_group L2::cache_hint",
                "rb ra rb64",
                "8.0:90",
            ),
        ],
    ),
    family(
        "cp",
        COPY,
        &[
            ("reduce async bulk shared::cluster shared::cta $bytes $bool b32", "ra ra ru32=0..1048560*16 ra", "8.0:90"),
            (
                "reduce async bulk shared::cluster shared::cta $bytes add u32|s32|u64",
                "ra ra ru32=0..1048560*16 ra",
                "8.0:90",
            ),
            (
                "reduce async bulk shared::cluster shared::cta $bytes min|max u32|s32",
                "ra ra ru32=0..1048560*16 ra",
                "8.0:90",
            ),
            (
                "reduce async bulk shared::cluster shared::cta $bytes inc|dec u32",
                "ra ra ru32=0..1048560*16 ra",
                "8.0:90",
            ),
            ("reduce async bulk global shared::cta bulk_group $bool b32|b64", "ra ra ru32=0..1048560*16", "8.0:90"),
            (
                "reduce async bulk global shared::cta bulk_group $bool L2::cache_hint b32|b64",
                "ra ra ru32=0..1048560*16 rb64",
                "8.0:90",
            ),
            (
                "reduce async bulk global shared::cta bulk_group add u32|s32|u64|f32|f64",
                "ra ra ru32=0..1048560*16",
                "8.0:90",
            ),
            (
                "reduce async bulk global shared::cta bulk_group add L2::cache_hint u32|s32|u64|f32|f64",
                "ra ra ru32=0..1048560*16 rb64",
                "8.0:90",
            ),
            (
                "reduce async bulk global shared::cta bulk_group add noftz f16|bf16",
                "ra ra ru32=0..1048560*16",
                "8.0:90",
            ),
            (
                "reduce async bulk global shared::cta bulk_group add noftz L2::cache_hint f16|bf16",
                "ra ra ru32=0..1048560*16 rb64",
                "8.0:90",
            ),
            (
                "reduce async bulk global shared::cta bulk_group min|max u32|s32|u64|s64|f16|bf16",
                "ra ra ru32=0..1048560*16",
                "8.0:90",
            ),
            (
                "reduce async bulk global shared::cta bulk_group min|max L2::cache_hint u32|s32|u64|s64|f16|bf16",
                "ra ra ru32=0..1048560*16 rb64",
                "8.0:90",
            ),
            ("reduce async bulk global shared::cta bulk_group inc|dec u32", "ra ra ru32=0..1048560*16", "8.0:90"),
            (
                "reduce async bulk global shared::cta bulk_group inc|dec L2::cache_hint u32",
                "ra ra ru32=0..1048560*16 rb64",
                "8.0:90",
            ),
        ],
    ),
    family(
        "red",
        COPY,
        &[
            ("async relaxed cluster [global] [shared::cluster] $bytes inc|dec u32", "ra r0 ra?", "8.1:90"),
            ("async relaxed cluster [global] [shared::cluster] $bytes min|max u32|s32", "ra r0 ra?", "8.1:90"),
            ("async relaxed cluster [global] [shared::cluster] $bytes $bool b32", "ra r0 ra?", "8.1:90"),
            ("async relaxed cluster [global] [shared::cluster] $bytes add u32|s32|u64", "ra r0 ra?", "8.1:90"),
            ("async [mmio] release gpu|sys [global] add u32|s32|u64|s64", "ra r0", "8.7:100"),
        ],
    ),
    family(
        "st",
        COPY,
        &[
            (
                "async [weak] [cluster] [shared::cluster] $bytes [v2|v4] b32|b64|u32|u64|s32|s64|f32|f64",
                "ra r{v}0 ra",
                "8.1:90",
            ),
            (
                "async [mmio] release gpu|sys [global] b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64",
                "ra r0+",
                "8.7:100",
            ),
            ("bulk [weak] [shared::cta]", "ra ru64 r#", "8.6:100"),
        ],
    ),
    // An order stands only with a scope, and a scope only with an order.
    family(
        "mbarrier",
        COPY,
        &[
            ("init [$shared] b64", "rA ru32", "7.0:80"),
            ("inval [$shared] b64", "rA", "7.0:80"),
            ("expect_tx|complete_tx [$shared|shared::cluster] b64", "rA ru32", "8.0:90"),
            ("expect_tx|complete_tx relaxed cta|cluster [$shared|shared::cluster] b64", "rA ru32", "8.0:90"),
            ("arrive|arrive_drop [$shared] b64", "wb64_ rA ru32?", "7.0:80"),
            ("arrive|arrive_drop shared::cluster b64", "w*_ rA ru32?", "8.0:90"),
            ("arrive|arrive_drop expect_tx [$shared] b64", "wb64_ rA ru32", "8.0:90"),
            ("arrive|arrive_drop expect_tx shared::cluster b64", "w*_ rA ru32", "8.0:90"),
            ("arrive|arrive_drop release|relaxed@8.0:90 cta|cluster@8.0:90 [$shared] b64", "wb64_ rA ru32?", "8.0:80"),
            (
                "arrive|arrive_drop release|relaxed@8.0:90 cta|cluster@8.0:90 shared::cluster b64",
                "w*_ rA ru32?",
                "8.0:90",
            ),
            (
                "arrive|arrive_drop expect_tx release|relaxed@8.0:90 cta|cluster@8.0:90 [$shared] b64",
                "wb64_ rA ru32",
                "8.0:90",
            ),
            (
                "arrive|arrive_drop expect_tx release|relaxed@8.0:90 cta|cluster@8.0:90 shared::cluster b64",
                "w*_ rA ru32",
                "8.0:90",
            ),
            ("arrive|arrive_drop noComplete [$shared] b64", "wb64_ rA ru32", "7.0:80"),
            ("arrive|arrive_drop noComplete release cta [$shared] b64", "wb64_ rA ru32", "8.0:80"),
            ("pending_count b64", "wu32 rb64", "7.0:80"),
            ("test_wait [$shared] b64", "wp rA rb64", "7.0:80"),
            ("test_wait parity [$shared] b64", "wp rA ru32=0|1", "7.1:80"),
            ("try_wait [$shared] b64", "wp rA rb64 ru32?", "7.8:90"),
            ("try_wait parity [$shared] b64", "wp rA ru32=0|1 ru32?", "7.8:90"),
            ("test_wait acquire|relaxed@8.0:90 cta|cluster@8.0:90 [$shared] b64", "wp rA rb64", "8.0:80"),
            ("test_wait parity acquire|relaxed@8.0:90 cta|cluster@8.0:90 [$shared] b64", "wp rA ru32=0|1", "8.0:80"),
            ("try_wait acquire|relaxed@8.0:90 cta|cluster@8.0:90 [$shared] b64", "wp rA rb64 ru32?", "7.8:90"),
            (
                "try_wait parity acquire|relaxed@8.0:90 cta|cluster@8.0:90 [$shared] b64",
                "wp rA ru32=0|1 ru32?",
                "7.8:90",
            ),
        ],
    ),
    family(
        "tensormap",
        COPY,
        &[
            ("replace tile global_address [global|shared::cta] b1024 b64", "ra rb64", "8.3:90a,100f,110f,120f"),
            ("replace tile rank [global|shared::cta] b1024 b32", "ra rb32", "8.3:90a,100f,110f,120f"),
            (
                "replace tile box_dim|global_dim|element_stride [global|shared::cta] b1024 b32",
                "ra r# rb32",
                "8.3:90a,100f,110f,120f",
            ),
            ("replace tile global_stride [global|shared::cta] b1024 b64", "ra r# rb64", "8.3:90a,100f,110f,120f"),
            (
                "replace tile elemtype|interleave_layout|swizzle_mode|swizzle_atomicity@8.6|fill_mode [global|shared::cta] b1024 b32",
                "ra r#",
                "8.3:90a,100f,110f,120f",
            ),
            (
                "cp_fenceproxy global shared::cta tensormap::generic release $scope sync aligned",
                "ra ra r#=128",
                "8.3:90",
            ),
        ],
    ),
    family(
        "clusterlaunchcontrol",
        COPY,
        &[
            (
                "try_cancel async [shared::cta] $bytes [multicast::cluster::all@8.6:100f,110f,120f] b128",
                "ra ra",
                "8.6:100",
            ),
            ("query_cancel is_canceled pred b128", "wp rb128", "8.6:100"),
            ("query_cancel get_first_ctaid v4 b32 b128", "w{4}b32 rb128", "8.6:100"),
            ("query_cancel get_first_ctaid::x|get_first_ctaid::y|get_first_ctaid::z b32 b128", "wb32 rb128", "8.6:100"),
        ],
    ),
];
