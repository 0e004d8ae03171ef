//! PTX for a driver that is older than the compiler that wrote it.
//!
//! Such a driver refuses the text for its `.version` alone (CUDA error 222), although most kernels use nothing of the newer version.
//! The text gets the newest version that the driver reads. If a kernel does use something newer, the driver's compiler names its line: no line
//! moves here.

use std::ffi::CString;

/// Hints of compilers that are an error below a certain version of PTX. Code without them computes the same. Nothing else that nvcc 13.0
/// makes of this project's CUDA sources for sm_90 is newer than PTX 7.8.
const HINTS: [(&str, (u32, u32)); 1] = [("used_bytes_mask", (8, 3))];

/// A text whose `.version` was lowered.
pub(super) struct Older {
    pub(super) text: CString,
    /// A sentence that says so, without the kernel.
    pub(super) remark: String,
}

impl Older {
    /// Lowers the version of a text to what a driver of a CUDA version reads; `None` if it is not newer.
    pub(super) fn of(module: &ptx_parser::Module, driver: (u32, u32)) -> Option<Older> {
        let (from, to) = (module.version()?, newest_ptx(driver)?);
        if from <= to {
            return None;
        }
        let mut module = module.clone();
        module.set_version(to.0, to.1);
        let unread = HINTS.into_iter().filter(|(_, since)| to < *since);
        let lowered = unread.fold(module.to_string(), |text, (hint, _)| without_pragma(&text, hint));
        let ((cuda, cuda_minor), (major, minor), (old_major, old_minor)) = (driver, to, from);
        let remark = format!(
            "the driver (CUDA {cuda}.{cuda_minor}) reads PTX up to {major}.{minor}: `.version {old_major}.{old_minor}` was \
             lowered to {major}.{minor}"
        );
        Some(Older { text: CString::new(lowered).ok()?, remark })
    }
}

/// Returns the newest version of PTX that a driver of a CUDA version reads; `None` for drivers before CUDA 11.
fn newest_ptx((major, minor): (u32, u32)) -> Option<(u32, u32)> {
    // CUDA 12.6 brought no version of PTX.
    let skipped = u32::from(major == 12 && minor >= 6);
    (major >= 11).then(|| (major - 4, minor - skipped))
}

/// Blanks the `.pragma` statements whose string begins with a name, in place. One in a comment is blanked too, which does no harm.
fn without_pragma(text: &str, name: &str) -> String {
    const WORD: &str = ".pragma";
    let (mut result, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(WORD) {
        let (before, statement) = rest.split_at(at);
        let string = statement[WORD.len()..].trim_start().strip_prefix('"');
        let named =
            string.and_then(|string| string.strip_prefix(name)).is_some_and(|mask| mask.starts_with([' ', '"']));
        let end = if named { statement.find(';').map_or(statement.len(), |at| at + 1) } else { WORD.len() };
        let (statement, behind) = statement.split_at(end);
        result.push_str(before);
        if named {
            result.extend(statement.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        } else {
            result.push_str(statement);
        }
        rest = behind;
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
// A comment, and a .version 9.0 in it.
.version 9.0 // as nvcc 13.0 writes it
.target sm_90
.address_size 64
.entry k(.param .u64 out)
{
  .reg .b64 %rd<2>;
  .reg .b32 %r<3>;
  .pragma \"nounroll\";
  ld.param.u64 %rd1, [out];
  .pragma \"used_bytes_mask 3\";
  ld.global.u32 %r1, [%rd1];
  .pragma  \"used_bytes_mask 1\"; ld.global.u32 %r2, [%rd1+4];
  ret;
}
";

    fn lowered(driver: (u32, u32)) -> Option<(String, String)> {
        let module = ptx_parser::Module::parse(TEXT).unwrap();
        let older = Older::of(&module, driver)?;
        Some((older.text.into_string().unwrap(), older.remark))
    }

    #[test]
    fn drivers_read_the_ptx_of_their_toolkit() {
        let table = [
            ((11, 0), (7, 0)),
            ((11, 8), (7, 8)),
            ((12, 0), (8, 0)),
            ((12, 4), (8, 4)),
            ((12, 5), (8, 5)),
            ((12, 6), (8, 5)),
            ((12, 7), (8, 6)),
            ((12, 8), (8, 7)),
            ((12, 9), (8, 8)),
            ((13, 0), (9, 0)),
            ((13, 1), (9, 1)),
        ];
        for (driver, ptx) in table {
            assert_eq!(newest_ptx(driver), Some(ptx), "{driver:?}");
        }
        assert_eq!(newest_ptx((10, 2)), None);
    }

    #[test]
    fn only_the_version_changes() {
        let (text, remark) = lowered((12, 4)).unwrap();
        assert_eq!(text, TEXT.replace(".version 9.0 // as", ".version 8.4 // as"));
        assert_eq!(remark, "the driver (CUDA 12.4) reads PTX up to 8.4: `.version 9.0` was lowered to 8.4");
        assert!(lowered((13, 0)).is_none() && lowered((13, 1)).is_none() && lowered((10, 2)).is_none());
    }

    #[test]
    fn hints_that_the_driver_does_not_read_are_blanked() {
        let (text, _) = lowered((12, 2)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            (lines.len(), lines[1], lines[8]),
            (TEXT.lines().count(), ".version 8.2 // as nvcc 13.0 writes it", "  .pragma \"nounroll\";")
        );
        assert_eq!((lines[10].trim(), lines[12].trim()), ("", "ld.global.u32 %r2, [%rd1+4];"));
        let place = |text: &str| text.lines().nth(12).and_then(|line| line.find("ld.global"));
        assert_eq!(place(&text), place(TEXT), "columns are kept too");
        assert!(lowered((12, 3)).unwrap().0.contains("used_bytes_mask 1"));
    }
}
