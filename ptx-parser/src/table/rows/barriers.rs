//! Barriers and fences (PTX ISA, "Parallel Synchronization and Communication Instructions").

use super::super::effect::Effect;
use super::{Family, family};

pub(super) static ROWS: &[Family] = &[
    family(
        "bar",
        Effect::BARRIER,
        &[
            ("[cta] sync", "ru32=0..15 ru32?=*32", ""),
            ("[cta] arrive", "ru32=0..15 ru32=*32", "2.0:20"),
            ("[cta] red popc u32", "w0 ru32=0..15 rp", "2.0:20"),
            ("[cta] red popc u32", "w0 ru32=0..15 ru32=*32 rp", "2.0:20"),
            ("[cta] red and|or pred", "wp ru32=0..15 rp", "2.0:20"),
            ("[cta] red and|or pred", "wp ru32=0..15 ru32=*32 rp", "2.0:20"),
            ("warp sync", "ru32", "6.0:30"),
        ],
    ),
    family(
        "barrier",
        Effect::BARRIER,
        &[
            ("[cta] sync [aligned]", "ru32=0..15 ru32?=*32", "6.0:30"),
            ("[cta] arrive [aligned]", "ru32=0..15 ru32=*32", "6.0:30"),
            ("[cta] red popc [aligned] u32", "w0 ru32=0..15 rp", "6.0:30"),
            ("[cta] red popc [aligned] u32", "w0 ru32=0..15 ru32=*32 rp", "6.0:30"),
            ("[cta] red and|or [aligned] pred", "wp ru32=0..15 rp", "6.0:30"),
            ("[cta] red and|or [aligned] pred", "wp ru32=0..15 ru32=*32 rp", "6.0:30"),
            ("cluster arrive [release@8.0|relaxed@8.0] [aligned]", "", "7.8:90"),
            ("cluster wait [acquire@8.0] [aligned]", "", "7.8:90"),
        ],
    ),
    family(
        "membar",
        Effect::FENCE,
        &[("cta|gl|sys@2.0:20", "", ""), ("proxy alias|async@8.0:90|async::generic@8.6", "", "7.5:70")],
    ),
    family(
        "fence",
        Effect::FENCE,
        &[
            ("[sc|acq_rel|acquire@8.6|release@8.6] $scope", "", "6.0:70"),
            ("acquire sync_restrict::shared::cluster cluster", "", "8.6:90"),
            ("release sync_restrict::shared::cta cluster", "", "8.6:90"),
            ("mbarrier_init release cluster", "", "8.0:90"),
            ("proxy alias", "", "7.5:70"),
            ("proxy async", "", "8.0:90"),
            ("proxy async global|shared::cta|shared::cluster", "", "8.0:90"),
            ("proxy tensormap::generic release $scope", "", "8.3:90"),
            ("proxy tensormap::generic acquire $scope", "ra r#=128", "8.3:90"),
            ("proxy async::generic acquire sync_restrict::shared::cluster cluster", "", "8.6:90"),
            ("proxy async::generic release sync_restrict::shared::cta cluster", "", "8.6:90"),
        ],
    ),
];
