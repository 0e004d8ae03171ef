//! Names of what is internal to a translation unit, the same in two compilations of it.
//!
//! The compiler makes them of an id of the unit: `_ZN41_INTERNAL_a43be8f9_4_k_cu_73380628_256661fEi` (static functions), `38_GLOBAL__N__…` (namespaces
//! without a name), `__nv_static_27__…` (static variables). The number in front is the length of what is counted with it. Where nothing in a unit is
//! external and its host code is not compiled, the id ends with the number of the compiler's process, which differs.

/// The texts in front of an id, and the number of bytes of each that is counted with it.
const PREFIXES: [(&str, usize); 3] = [("_INTERNAL_", 10), ("_GLOBAL__N__", 12), ("__", 1)];

/// Returns PTX with the internal names of another compilation of the same unit.
pub(crate) fn renamed(ptx: String, like: &str) -> String {
    let (Some(mine), Some(theirs)) = (id(&ptx), id(like)) else { return ptx };
    if mine == theirs {
        return ptx;
    }
    let (mine, theirs) = (mine.to_owned(), theirs.to_owned());
    let mut text = ptx;
    for (prefix, counted) in PREFIXES {
        let name = |id: &str| format!("{}{prefix}{id}", counted + id.len());
        text = text.replace(&name(&mine), &name(&theirs));
    }
    // What is left is counted by nobody.
    text.replace(&mine, &theirs)
}

/// The id of a unit in one of its internal names.
fn id(ptx: &str) -> Option<&str> {
    PREFIXES.into_iter().find_map(|(prefix, counted)| {
        memchr::memmem::find_iter(ptx.as_bytes(), prefix.as_bytes()).find_map(|at| {
            let digits = ptx[..at].bytes().rev().take_while(u8::is_ascii_digit).count();
            if prefix == "__" && !ptx[..at - digits].ends_with("__nv_static_") {
                return None;
            }
            // A mangled name may have digits of its own in front of the length.
            let lengths = (at - digits..at).filter_map(|from| ptx[from..at].parse::<usize>().ok());
            let behind = &ptx[at + prefix.len()..];
            lengths.filter_map(|length| behind.get(..length.checked_sub(counted)?)).find(|id| is_id(id))
        })
    })
}

/// Returns true for `a43be8f9_4_k_cu_…`: a hash, the length of the file's name, and that.
fn is_id(text: &str) -> bool {
    let mut parts = text.splitn(3, '_');
    let hash = parts.next().is_some_and(|hash| hash.len() == 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let length = parts.next().and_then(|length| length.parse::<usize>().ok());
    hash && length.is_some_and(|length| parts.next().is_some_and(|rest| rest.len() > length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_those_of_the_other_compilation() {
        let names = |id: &str, length: usize| {
            format!(
                "_Z2k3IXadL_ZN{}_INTERNAL_{id}1fEiEEEvPii __nv_static_{}__{id}_tab _ZN{}_GLOBAL__N__{id}1gEi _ZZN1{}_INTERNAL_{id}",
                length + 10,
                length + 1,
                length + 12,
                length + 10
            )
        };
        let (short, long) = ("a43be8f9_5_mi_cu_73380628_25666", "a43be8f9_5_mi_cu_73380628_1025666");
        assert_eq!(renamed(names(short, 31), &names(long, 33)), names(long, 33));
        assert_eq!(renamed(names(long, 33), &names(short, 31)), names(short, 31));
        assert_eq!(renamed(names(short, 31), "no names"), names(short, 31));
        assert_eq!(renamed("__nv_static_4__ab_".to_owned(), &names(long, 33)), "__nv_static_4__ab_");
        // No number is too long.
        let digits = format!("{}_INTERNAL_x", "9".repeat(20));
        assert_eq!(renamed(digits.clone(), &names(long, 33)), digits);
        let statics = "x __nv_static_32__a43be8f9_5_mi_cu_73380628_25666_tab";
        assert_eq!(
            renamed(statics.to_owned(), &names(long, 33)),
            "x __nv_static_34__a43be8f9_5_mi_cu_73380628_1025666_tab"
        );
    }
}
