//! Special registers (PTX ISA, "Special Registers"): read-only values that the machine provides.

use std::fmt;

/// A component of a three-dimensional special register or of a vector register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Component {
    /// `.x` (or `.r`)
    X,
    /// `.y` (or `.g`)
    Y,
    /// `.z` (or `.b`)
    Z,
    /// `.w` (or `.a`)
    W,
}

impl Component {
    /// All components, in the order of a vector's elements.
    pub const ALL: [Component; 4] = [Component::X, Component::Y, Component::Z, Component::W];

    /// The component's letter.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Component::X => "x",
            Component::Y => "y",
            Component::Z => "z",
            Component::W => "w",
        }
    }

    /// Reads `x y z w` or `r g b a`.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Component> {
        Some(match text {
            "x" | "r" => Component::X,
            "y" | "g" => Component::Y,
            "z" | "b" => Component::Z,
            "w" | "a" => Component::W,
            _ => return None,
        })
    }
}

/// The threads among which the value of a special register is the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Uniformity {
    /// The same for all threads of the grid for as long as it runs.
    Grid,
    /// The same for all threads of a CTA for as long as it runs.
    Cta,
    /// The same for all lanes of a warp, but it may change while the warp runs.
    WarpVarying,
    /// Differs from lane to lane.
    Lane,
}

/// A performance counter of a multiprocessor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Counter {
    /// Its number, 0 to 7.
    pub number: u8,
    /// True if all of its 64 bits are read, `%pm0_64`, and not the lower 32.
    pub wide: bool,
}

/// A number below a limit, written as `ptxas` knows it: without zeros in front.
fn numbered(text: &str, limit: u8) -> Option<u8> {
    text.parse().ok().filter(|number: &u8| *number < limit && number.to_string() == text)
}

macro_rules! special {
    ($($(#[$doc:meta])* $variant:ident = $text:literal, $bits:literal, $uniformity:ident;)*) => {
        /// A special register without its component. `bits` is the width in which PTX reads it.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum SpecialName { $($(#[$doc])* $variant,)*
            /// `%envreg0` to `%envreg31`
            Envreg(u8),
            /// `%pm0` to `%pm7`, `%pm0_64` to `%pm7_64`
            Pm(Counter),
        }

        impl SpecialName {
            /// Reads the name, given with its `%` and without a component.
            #[must_use]
            pub fn from_text(text: &str) -> Option<SpecialName> {
                Some(match text {
                    $($text => SpecialName::$variant,)*
                    _ => {
                        if let Some(n) = text.strip_prefix("%envreg") {
                            SpecialName::Envreg(numbered(n, 32)?)
                        } else {
                            let n = text.strip_prefix("%pm")?;
                            let (n, wide) = n.strip_suffix("_64").map_or((n, false), |n| (n, true));
                            SpecialName::Pm(Counter { number: numbered(n, 8)?, wide })
                        }
                    }
                })
            }

            /// The width in bits of one component.
            #[must_use]
            pub fn bits(self) -> u32 {
                match self { $(SpecialName::$variant => $bits,)*
                    SpecialName::Envreg(_) => 32, SpecialName::Pm(counter) => if counter.wide { 64 } else { 32 } }
            }

            /// Returns how far the value is the same.
            #[must_use]
            pub fn uniformity(self) -> Uniformity {
                match self { $(SpecialName::$variant => Uniformity::$uniformity,)*
                    SpecialName::Envreg(_) => Uniformity::Grid, SpecialName::Pm(_) => Uniformity::Lane }
            }
        }

        impl fmt::Display for SpecialName {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(SpecialName::$variant => f.write_str($text),)*
                    SpecialName::Envreg(n) => write!(f, "%envreg{n}"),
                    SpecialName::Pm(Counter { number, wide }) => write!(f, "%pm{number}{}", if *wide { "_64" } else { "" }),
                }
            }
        }
    };
}

special! {
    /// Thread index in the CTA.
    Tid = "%tid", 32, Lane;
    /// CTA size.
    Ntid = "%ntid", 32, Grid;
    /// Lane number.
    Laneid = "%laneid", 32, Lane;
    /// Warp number on the multiprocessor; may change.
    Warpid = "%warpid", 32, WarpVarying;
    /// Maximum number of warps.
    Nwarpid = "%nwarpid", 32, WarpVarying;
    /// CTA index in the grid.
    Ctaid = "%ctaid", 32, Cta;
    /// Grid size in CTAs.
    Nctaid = "%nctaid", 32, Grid;
    /// Multiprocessor number; may change.
    Smid = "%smid", 32, WarpVarying;
    /// Number of multiprocessors.
    Nsmid = "%nsmid", 32, Grid;
    /// Grid launch number.
    Gridid = "%gridid", 64, Grid;
    /// True if the launch has clusters.
    IsExplicitCluster = "%is_explicit_cluster", 1, Grid;
    /// Cluster index.
    Clusterid = "%clusterid", 32, Cta;
    /// Number of clusters.
    Nclusterid = "%nclusterid", 32, Grid;
    /// CTA index in its cluster.
    ClusterCtaid = "%cluster_ctaid", 32, Cta;
    /// Cluster size in CTAs.
    ClusterNctaid = "%cluster_nctaid", 32, Grid;
    /// Linear CTA index in its cluster.
    ClusterCtarank = "%cluster_ctarank", 32, Cta;
    /// Linear cluster size.
    ClusterNctarank = "%cluster_nctarank", 32, Grid;
    /// Mask with the bit of this lane.
    LanemaskEq = "%lanemask_eq", 32, Lane;
    /// Mask of this lane and those below.
    LanemaskLe = "%lanemask_le", 32, Lane;
    /// Mask of the lanes below.
    LanemaskLt = "%lanemask_lt", 32, Lane;
    /// Mask of this lane and those above.
    LanemaskGe = "%lanemask_ge", 32, Lane;
    /// Mask of the lanes above.
    LanemaskGt = "%lanemask_gt", 32, Lane;
    /// Cycle counter, low half.
    Clock = "%clock", 32, Lane;
    /// Cycle counter, high half.
    ClockHi = "%clock_hi", 32, Lane;
    /// Cycle counter.
    Clock64 = "%clock64", 64, Lane;
    /// Nanoseconds.
    Globaltimer = "%globaltimer", 64, Lane;
    /// Nanoseconds, low half.
    GlobaltimerLo = "%globaltimer_lo", 32, Lane;
    /// Nanoseconds, high half.
    GlobaltimerHi = "%globaltimer_hi", 32, Lane;
    /// Bytes of shared memory reserved by the system.
    ReservedSmemBegin = "%reserved_smem_offset_begin", 32, Grid;
    /// End of the reserved bytes.
    ReservedSmemEnd = "%reserved_smem_offset_end", 32, Grid;
    /// Capacity of the reserved bytes.
    ReservedSmemCap = "%reserved_smem_offset_cap", 32, Grid;
    /// First reserved offset.
    ReservedSmem0 = "%reserved_smem_offset_0", 32, Grid;
    /// Second reserved offset.
    ReservedSmem1 = "%reserved_smem_offset_1", 32, Grid;
    /// All shared memory of a CTA in bytes.
    TotalSmem = "%total_smem_size", 32, Grid;
    /// Shared memory of a CTA without the reserved bytes.
    AggrSmem = "%aggr_smem_size", 32, Grid;
    /// Dynamic shared memory of a CTA in bytes.
    DynamicSmem = "%dynamic_smem_size", 32, Grid;
    /// Graph execution handle.
    CurrentGraphExec = "%current_graph_exec", 64, Grid;
}

/// A special register as an operand mentions it: `%tid.x`, `%laneid`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Special {
    /// The name of the register.
    pub name: SpecialName,
    /// The component of a three-dimensional one.
    pub component: Option<Component>,
}

impl Special {
    /// Returns the components that `mov.v4` reads from a three-dimensional register without a component; `None` for any other. The fourth one
    /// is 0 (PTX ISA, "%tid").
    #[must_use]
    pub fn components(self) -> Option<[Special; 4]> {
        (self.lanes() == Some(4)).then(|| Component::ALL.map(|component| self.name.component(component)))
    }

    /// Returns how many values it is: 4 for a three-dimensional register without a component, as `mov.v4` reads it, else 1. `None` for a
    /// component of a register that has none.
    pub(crate) fn lanes(self) -> Option<u8> {
        use SpecialName::*;
        let vector =
            matches!(self.name, Tid | Ntid | Ctaid | Nctaid | Clusterid | Nclusterid | ClusterCtaid | ClusterNctaid);
        match self.component {
            None => Some(if vector { 4 } else { 1 }),
            Some(_) => vector.then_some(1),
        }
    }
}

impl fmt::Display for Special {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.component {
            Some(component) => write!(f, "{}.{}", self.name, component.text()),
            None => write!(f, "{}", self.name),
        }
    }
}
