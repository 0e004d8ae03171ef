//! Makes the object of a C text, or takes it from the cache.

use std::path::{Path, PathBuf};

use crate::Error;
use crate::cache::{Cache, Key};
use crate::compile::Compiler;

/// The settings of [`build`].
#[derive(Clone, Debug, Default)]
pub struct Build {
    /// The C compiler; `None` for that of the variable `CC`, else the system's.
    pub cc: Option<PathBuf>,
    /// The objects that were made before; `None` to compile each time.
    pub cache: Option<Cache>,
    /// The folder for temporary files, which its owner removes; `None` for that of the system.
    pub scratch: Option<PathBuf>,
}

/// An object that is ready to be loaded.
#[derive(Clone, Debug)]
pub struct Built {
    /// The bytes of the shared object.
    pub object: Vec<u8>,
    /// True if it was compiled before.
    pub cached: bool,
    /// The reason for which it could not be kept, if so.
    pub note: Option<String>,
}

impl Build {
    /// Makes the object of a C text.
    ///
    /// # Errors
    /// There is no compiler, or it refuses the text, or temporary files cannot be written. A cache that cannot be written is a note.
    pub fn object(&self, source: &str) -> Result<Built, Error> {
        let compiler = Compiler::find(self.cc.as_deref())?;
        let scratch = self.scratch.as_deref();
        let Some(cache) = &self.cache else {
            return Ok(Built { object: compiler.compile(source, scratch)?, cached: false, note: None });
        };
        let key = Key::of(source, &compiler);
        if let Some(object) = cache.get(&key) {
            return Ok(Built { object, cached: true, note: None });
        }
        let object = compiler.compile(source, scratch)?;
        let note = cache.put(&key, &object).err().map(|error| not_kept(cache.folder(), &error));
        Ok(Built { object, cached: false, note })
    }
}

fn not_kept(folder: &Path, error: &std::io::Error) -> String {
    let folder = folder.display();
    format!(
        "the compiled kernel is not kept for later runs, because `{folder}` cannot be written: {error}; `PXRW_CACHE` names another folder"
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_text_is_compiled_once() {
        let folder = tempfile::tempdir().unwrap();
        // A compiler that counts how often it compiles.
        let compiler = folder.path().join("counting");
        let text = "case \"$*\" in *--version*) echo 1 ;; *) echo x >> \"$0.log\"; exec cc \"$@\" ;; esac";
        crate::fakes::script(&compiler, text);
        let compiled = || fs::read_to_string(folder.path().join("counting.log")).unwrap().lines().count();
        let cache = Cache::in_folder(&folder.path().join("cache"));
        let build = Build { cc: Some(compiler.clone()), cache: Some(cache), scratch: None };
        let first = build.object("int a;").unwrap();
        let second = build.object("int a;").unwrap();
        assert_eq!((first.cached, second.cached, compiled()), (false, true, 1));
        assert_eq!(first.object, second.object);
        build.object("int b;").unwrap();
        Build { cache: None, ..build.clone() }.object("int b;").unwrap();
        assert_eq!(compiled(), 3);
        let unwritable = Cache::in_folder(&compiler.join("no folder"));
        let built = Build { cache: Some(unwritable), ..build }.object("int a;").unwrap();
        assert!(built.note.is_some_and(|note| note.contains("cannot be written")));
    }
}
