//! What is refused by name: instructions of units that the emulator does not model.

/// Why no instruction of a mnemonic is run; `None` if it may be.
pub(super) fn reason(mnemonic: &str) -> Option<&'static str> {
    Some(match mnemonic {
        "wmma" | "mma" | "wgmma" | "ldmatrix" | "stmatrix" | "movmatrix" | "tcgen05" => "tensor cores are not modelled",
        "tex" | "tld4" | "txq" | "istypep" => "textures are not modelled",
        "suld" | "sust" | "sured" | "suq" => "surfaces are not modelled",
        "mapa" | "getctarank" | "clusterlaunchcontrol" => "clusters are not modelled",
        "multimem" => "memory of several devices is not modelled",
        "tensormap" => "tensor copies are not modelled",
        _ => return None,
    })
}
