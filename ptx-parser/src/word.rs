//! Words of opcodes that the analyses ask for, so that they need not compare text.

/// A mnemonic or a modifier of which an analysis asks something that [`Properties`](crate::Properties) does not say.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Word {
    /// `abs`
    Abs,
    /// `activemask`
    Activemask,
    /// `add`
    Add,
    /// `aligned`
    Aligned,
    /// `and`
    And,
    /// `atom`
    Atom,
    /// `bar`
    Bar,
    /// `barrier`
    Barrier,
    /// `bfe`
    Bfe,
    /// `bfi`
    Bfi,
    /// `bfind`
    Bfind,
    /// `brev`
    Brev,
    /// `bulk`
    Bulk,
    /// `cas`
    Cas,
    /// `cg`
    Cg,
    /// `cluster`
    Cluster,
    /// `clusterlaunchcontrol`
    Clusterlaunchcontrol,
    /// `clz`
    Clz,
    /// `commit_group`
    CommitGroup,
    /// `cp`
    Cp,
    /// `cv`
    Cv,
    /// `cvt`
    Cvt,
    /// `cvta`
    Cvta,
    /// `div`
    Div,
    /// `exch`
    Exch,
    /// `global`
    Global,
    /// `gpu`
    Gpu,
    /// `griddepcontrol`
    Griddepcontrol,
    /// `hi`
    Hi,
    /// `l`
    L,
    /// `lo`
    Lo,
    /// `local`
    Local,
    /// `lop3`
    Lop3,
    /// `mad`
    Mad,
    /// `match`
    Match,
    /// `max`
    Max,
    /// `mbarrier`
    Mbarrier,
    /// `mbarrier::complete_tx`
    MbarrierCompleteTx,
    /// `min`
    Min,
    /// `mmio`
    Mmio,
    /// `mov`
    Mov,
    /// `mul`
    Mul,
    /// `multimem`
    Multimem,
    /// `neg`
    Neg,
    /// `not`
    Not,
    /// `or`
    Or,
    /// `pending_count`
    PendingCount,
    /// `popc`
    Popc,
    /// `pred`
    Pred,
    /// `prefetch`
    Prefetch,
    /// `prmt`
    Prmt,
    /// `query_cancel`
    QueryCancel,
    /// `red`
    Red,
    /// `reduce`
    Reduce,
    /// `redux`
    Redux,
    /// `rem`
    Rem,
    /// `replace`
    Replace,
    /// `selp`
    Selp,
    /// `shared`
    Shared,
    /// `shared::cluster`
    SharedCluster,
    /// `shared::cta`
    SharedCta,
    /// `shf`
    Shf,
    /// `shfl`
    Shfl,
    /// `shiftamt`
    Shiftamt,
    /// `shl`
    Shl,
    /// `shr`
    Shr,
    /// `slct`
    Slct,
    /// `st`
    St,
    /// `sub`
    Sub,
    /// `suld`
    Suld,
    /// `sured`
    Sured,
    /// `sust`
    Sust,
    /// `sync`
    Sync,
    /// `sys`
    Sys,
    /// `tensor`
    Tensor,
    /// `tensormap`
    Tensormap,
    /// `test_wait`
    TestWait,
    /// `to`
    To,
    /// `try_wait`
    TryWait,
    /// `vec`
    Vec,
    /// `vote`
    Vote,
    /// `wait_all`
    WaitAll,
    /// `wait_group`
    WaitGroup,
    /// `warp`
    Warp,
    /// `wide`
    Wide,
    /// `wrap`
    Wrap,
    /// `xor`
    Xor,
    /// Any other one.
    Other,
}

impl Word {
    /// The word of a text, without dots. What a barrier of a copy counts stands behind `mbarrier::complete_tx`.
    pub(crate) fn of(text: &str) -> Word {
        match text {
            "abs" => Word::Abs,
            "activemask" => Word::Activemask,
            "add" => Word::Add,
            "aligned" => Word::Aligned,
            "and" => Word::And,
            "atom" => Word::Atom,
            "bar" => Word::Bar,
            "barrier" => Word::Barrier,
            "bfe" => Word::Bfe,
            "bfi" => Word::Bfi,
            "bfind" => Word::Bfind,
            "brev" => Word::Brev,
            "bulk" => Word::Bulk,
            "cas" => Word::Cas,
            "cg" => Word::Cg,
            "cluster" => Word::Cluster,
            "clusterlaunchcontrol" => Word::Clusterlaunchcontrol,
            "clz" => Word::Clz,
            "commit_group" => Word::CommitGroup,
            "cp" => Word::Cp,
            "cv" => Word::Cv,
            "cvt" => Word::Cvt,
            "cvta" => Word::Cvta,
            "div" => Word::Div,
            "exch" => Word::Exch,
            "global" => Word::Global,
            "gpu" => Word::Gpu,
            "griddepcontrol" => Word::Griddepcontrol,
            "hi" => Word::Hi,
            "l" => Word::L,
            "lo" => Word::Lo,
            "local" => Word::Local,
            "lop3" => Word::Lop3,
            "mad" => Word::Mad,
            "match" => Word::Match,
            "max" => Word::Max,
            "mbarrier" => Word::Mbarrier,
            "mbarrier::complete_tx" => Word::MbarrierCompleteTx,
            "min" => Word::Min,
            "mmio" => Word::Mmio,
            "mov" => Word::Mov,
            "mul" => Word::Mul,
            "multimem" => Word::Multimem,
            "neg" => Word::Neg,
            "not" => Word::Not,
            "or" => Word::Or,
            "pending_count" => Word::PendingCount,
            "popc" => Word::Popc,
            "pred" => Word::Pred,
            "prefetch" => Word::Prefetch,
            "prmt" => Word::Prmt,
            "query_cancel" => Word::QueryCancel,
            "red" => Word::Red,
            "reduce" => Word::Reduce,
            "redux" => Word::Redux,
            "rem" => Word::Rem,
            "replace" => Word::Replace,
            "selp" => Word::Selp,
            "shared" => Word::Shared,
            "shared::cluster" => Word::SharedCluster,
            "shared::cta" => Word::SharedCta,
            "shf" => Word::Shf,
            "shfl" => Word::Shfl,
            "shiftamt" => Word::Shiftamt,
            "shl" => Word::Shl,
            "shr" => Word::Shr,
            "slct" => Word::Slct,
            "st" => Word::St,
            "sub" => Word::Sub,
            "suld" => Word::Suld,
            "sured" => Word::Sured,
            "sust" => Word::Sust,
            "sync" => Word::Sync,
            "sys" => Word::Sys,
            "tensor" => Word::Tensor,
            "tensormap" => Word::Tensormap,
            "test_wait" => Word::TestWait,
            "to" => Word::To,
            "try_wait" => Word::TryWait,
            "vec" => Word::Vec,
            "vote" => Word::Vote,
            "wait_all" => Word::WaitAll,
            "wait_group" => Word::WaitGroup,
            "warp" => Word::Warp,
            "wide" => Word::Wide,
            "wrap" => Word::Wrap,
            "xor" => Word::Xor,
            _ if text.starts_with("mbarrier::complete_tx") => Word::MbarrierCompleteTx,
            _ => Word::Other,
        }
    }
}
