//! Architectures, as `.target` and `--arch` name them.

use ptx_parser::Module;

/// The number of an architecture such as `sm_90a`.
pub(crate) fn number(target: &str) -> Option<u32> {
    target.strip_prefix("sm_")?.trim_end_matches(['a', 'f']).parse().ok()
}

/// Returns what a module is assembled for where `arch` is asked for: that, or its own target where ptxas makes nothing else of it, because it is newer, or of
/// one chip or family alone.
pub(crate) fn assembled_for<'a>(module: &'a Module, arch: &'a str) -> &'a str {
    let own = module.target().iter().find(|word| word.starts_with("sm_"));
    let needed = |own: &&str| own.ends_with(['a', 'f']) || number(own) > number(arch);
    own.map(|own| &**own).filter(needed).unwrap_or(arch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_assembled_for_what_can_run_it() {
        let on = |target: &str, arch: &str| {
            let module = Module::parse(&format!(".version 9.0\n.target {target}\n.address_size 64\n")).unwrap();
            assembled_for(&module, arch).to_owned()
        };
        for (target, arch, expected) in [
            ("sm_75", "sm_90", "sm_90"),
            ("sm_90", "sm_90", "sm_90"),
            ("sm_90a", "sm_90", "sm_90a"),
            ("sm_100", "sm_90", "sm_100"),
            ("sm_100f, debug", "sm_100", "sm_100f"),
        ] {
            assert_eq!(on(target, arch), expected, "{target} {arch}");
        }
    }
}
