//! Keeps compiled objects in a folder, so that a kernel is compiled once.
//!
//! An object is found by the digest of all that it was made from. Each is one file: the object, and behind it a trailer with its length and
//! digest, so that a file that is cut off or damaged is noticed and made again. A file is written beside its place and renamed, so that
//! several processes can use the folder at once. The least recently used objects go first when the folder becomes too large.

use std::env;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use crate::compile::{Compiler, LIBRARIES, flags};

/// The variable that names the folder; empty for no cache.
const VARIABLE: &str = "PXRW_CACHE";

/// The most bytes that all objects take together.
const LIMIT: u64 = 512 << 20;

/// The first bytes of a trailer.
const MARK: &[u8; 8] = b"pxrw-cpu";

/// The length of a trailer: the mark, the object's length and its digest.
const TRAILER: usize = 8 + 8 + 32;

/// The beginning of the names of files that are being written.
const UNFINISHED: &str = ".pxrw-";

/// The age from which a file that was never finished is removed.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A digest of all that decides what an object is: the C text, the compiler, its options, and the processor, for which `-march=native` compiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Computes the key of a C text that is compiled by a compiler on this machine.
    #[must_use]
    pub fn of(source: &str, compiler: &Compiler) -> Key {
        let description = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let flags = [&flags(source)[..], &LIBRARIES[..]].concat().join(" ");
        Key::of_parts(&[source, compiler.identity(), &flags, env::consts::ARCH, &processor(&description)])
    }

    fn of_parts(parts: &[&str]) -> Key {
        let mut digest = Sha256::new();
        for part in parts {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        Key(hex(&digest.finalize()))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the lines of `/proc/cpuinfo` that say which instructions the first processor has.
fn processor(description: &str) -> String {
    let first = description.split("\n\n").next().unwrap_or_default();
    let keys = ["model name", "flags", "Features", "CPU implementer", "CPU part", "CPU variant", "isa", "uarch"];
    let is_model = |line: &&str| line.split_once(':').is_some_and(|(key, _)| keys.contains(&key.trim()));
    first.lines().filter(is_model).collect::<Vec<_>>().join("\n")
}

/// A folder of compiled objects.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    limit: u64,
}

impl Cache {
    /// Returns the user's cache: the folder that `PXRW_CACHE` names, else `pxrw/cpu` in `$XDG_CACHE_HOME` or `~/.cache`. `None` if that variable is
    /// empty, or if there is no such folder.
    #[must_use]
    pub fn of_user() -> Option<Cache> {
        let folder = folder(env::var_os(VARIABLE), env::var_os("XDG_CACHE_HOME"), env::home_dir())?;
        Some(Cache { folder, limit: LIMIT })
    }

    /// Returns the cache in a folder, which is made when it is first written to.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Cache {
        Cache { folder: folder.to_owned(), limit: LIMIT }
    }

    /// Returns the folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, key: &Key) -> PathBuf {
        self.folder.join(format!("{}.so", key.0))
    }

    /// Returns the object of a key, if it is there and whole. A damaged one is removed.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let path = self.path(key);
        let mut file = File::open(&path).ok()?;
        let mut bytes = Vec::new();
        let whole = file.read_to_end(&mut bytes).is_ok() && without_trailer(&mut bytes);
        if !whole {
            let _ = fs::remove_file(&path);
            return None;
        }
        // It is the most recently used one.
        let _ = file.set_modified(SystemTime::now());
        Some(bytes)
    }

    /// Keeps an object. One that is larger than the whole cache is not kept.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn put(&self, key: &Key, object: &[u8]) -> io::Result<()> {
        if (object.len() + TRAILER) as u64 > self.limit {
            return Ok(());
        }
        // Nobody else may put objects there that this user then executes.
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.folder)?;
        file.write_all(object)?;
        file.write_all(&trailer(object))?;
        file.persist(self.path(key)).map_err(|error| error.error)?;
        self.trim();
        Ok(())
    }

    /// Removes what was begun and never finished, and the least recently used objects until the rest is small enough. Another process may do the same
    /// meanwhile, so that what is not there any more is no error.
    fn trim(&self) {
        let now = SystemTime::now();
        let mut objects = Vec::new();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let Ok(metadata) = entry.metadata() else { continue };
            let modified = metadata.modified().unwrap_or(now);
            let name = name.to_string_lossy();
            if name.starts_with(UNFINISHED) {
                if now.duration_since(modified).is_ok_and(|age| age > ABANDONED) {
                    let _ = fs::remove_file(path);
                }
            } else if name.ends_with(".so") && metadata.is_file() {
                objects.push((modified, metadata.len(), path));
            }
        }
        objects.sort();
        let mut bytes: u64 = objects.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, size, path) in objects {
            if bytes <= self.limit {
                break;
            }
            let _ = fs::remove_file(path);
            bytes -= size;
        }
    }
}

fn folder(
    variable: Option<std::ffi::OsString>,
    caches: Option<std::ffi::OsString>,
    home: Option<PathBuf>,
) -> Option<PathBuf> {
    match variable {
        Some(folder) => (!folder.is_empty()).then(|| folder.into()),
        None => {
            // A relative path counts as none (XDG Base Directory Specification).
            let caches = caches.map(PathBuf::from).filter(|folder| folder.is_absolute());
            let caches = caches.or_else(|| Some(home.filter(|home| home.is_absolute())?.join(".cache")))?;
            Some(caches.join("pxrw").join("cpu"))
        }
    }
}

fn trailer(object: &[u8]) -> Vec<u8> {
    [&MARK[..], &(object.len() as u64).to_le_bytes(), &Sha256::digest(object)].concat()
}

/// Cuts off the trailer. Returns false if the object in front of it is not what the trailer says.
fn without_trailer(bytes: &mut Vec<u8>) -> bool {
    let Some(end) = bytes.len().checked_sub(TRAILER) else { return false };
    let end_of_file = bytes.split_off(end);
    trailer(bytes) == end_of_file
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn key(name: &str) -> Key {
        Key::of_parts(&[name])
    }

    fn small(folder: &Path, limit: u64) -> Cache {
        Cache { folder: folder.to_owned(), limit }
    }

    fn age(cache: &Cache, key: &Key, seconds: u64) {
        let file = File::options().write(true).open(cache.path(key)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn an_object_comes_back_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(&folder.path().join("made/when/needed"));
        assert_eq!(cache.get(&key("a")), None);
        for object in [&b""[..], b"object", &[7; 100_000]] {
            cache.put(&key("a"), object).unwrap();
            assert_eq!(cache.get(&key("a")).as_deref(), Some(object));
        }
        assert_eq!(cache.get(&key("b")), None);
        assert_eq!(names(cache.folder()).len(), 1);
    }

    #[test]
    fn a_damaged_object_is_noticed_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(folder.path());
        let (key, object) = (key("a"), vec![3; 1000]);
        cache.put(&key, &object).unwrap();
        let whole = fs::read(cache.path(&key)).unwrap();
        let mut changed = whole.clone();
        changed[500] ^= 1;
        let mut longer = whole.clone();
        longer.push(0);
        for damaged in [&b""[..], &whole[..10], &whole[..whole.len() - 1], &whole[1..], &changed, &longer] {
            fs::write(cache.path(&key), damaged).unwrap();
            assert_eq!(cache.get(&key), None);
            assert!(!cache.path(&key).exists());
            cache.put(&key, &object).unwrap();
            assert_eq!(cache.get(&key).as_ref(), Some(&object));
        }
    }

    #[test]
    fn the_least_recently_used_objects_go_first() {
        let folder = tempfile::tempdir().unwrap();
        let cache = small(folder.path(), 3 * (100 + TRAILER as u64));
        let keys = ["a", "b", "c", "d"].map(key);
        for (index, key) in keys.iter().take(3).enumerate() {
            cache.put(key, &[1; 100]).unwrap();
            age(&cache, key, 1000 - index as u64);
        }
        // The oldest one is used, so that the second one is now the least recently used.
        assert!(cache.get(&keys[0]).is_some());
        cache.put(&keys[3], &[1; 100]).unwrap();
        assert_eq!(keys.each_ref().map(|key| cache.get(key).is_some()), [true, false, true, true]);
        // Nothing is removed for one that has no room anyway.
        cache.put(&key("large"), &[1; 1000]).unwrap();
        assert_eq!(keys.each_ref().map(|key| cache.get(key).is_some()), [true, false, true, true]);
        assert_eq!(cache.get(&key("large")), None);
    }

    #[test]
    fn what_was_never_finished_is_removed_later() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(folder.path());
        for (name, seconds) in [(".pxrw-old", 2 * 3600), (".pxrw-new", 1), ("others", 2 * 3600)] {
            let file = File::create(folder.path().join(name)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
        }
        cache.put(&key("a"), b"object").unwrap();
        let mut names = names(folder.path());
        names.retain(|name| !name.ends_with(".so"));
        names.sort();
        assert_eq!(names, [".pxrw-new", "others"]);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_an_error_and_not_more() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let cache = Cache::in_folder(&file.join("below"));
        assert!(cache.put(&key("a"), b"object").is_err());
        assert_eq!(cache.get(&key("a")), None);
    }

    #[test]
    fn many_threads_use_one_folder_at_once() {
        let folder = tempfile::tempdir().unwrap();
        // Less than all objects need, so that some are removed while others read them.
        let cache = small(folder.path(), 6 * (5000 + TRAILER as u64));
        thread::scope(|scope| {
            for thread in 0..8_u8 {
                let cache = &cache;
                scope.spawn(move || {
                    for round in 0..60_u8 {
                        let number = (thread + round) % 10;
                        let (key, object) = (key(&number.to_string()), vec![number; 5000]);
                        if round % 7 == 0 {
                            // Another process is interrupted, or the disk is full.
                            let _ = fs::write(cache.path(&key), &object[..100]);
                        }
                        match cache.get(&key) {
                            Some(found) => assert_eq!(found, object),
                            None => cache.put(&key, &object).unwrap(),
                        }
                    }
                });
            }
        });
        cache.trim();
        let bytes: u64 =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
        assert!(bytes <= cache.limit, "{bytes}");
        assert!(names(folder.path()).iter().all(|name| name.ends_with(".so")));
    }

    #[test]
    fn the_folder_is_the_users() {
        let home = || Some(PathBuf::from("/home/u"));
        let of = |variable: Option<&str>, caches: Option<&str>, home| {
            let folder = folder(variable.map(Into::into), caches.map(Into::into), home);
            folder.map(|folder| folder.to_str().unwrap().to_owned())
        };
        assert_eq!(of(None, None, home()).as_deref(), Some("/home/u/.cache/pxrw/cpu"));
        assert_eq!(of(None, Some("/c"), home()).as_deref(), Some("/c/pxrw/cpu"));
        assert_eq!(of(None, Some("relative"), home()).as_deref(), Some("/home/u/.cache/pxrw/cpu"));
        assert_eq!(of(Some("/other"), Some("/c"), home()).as_deref(), Some("/other"));
        assert_eq!(of(Some(""), Some("/c"), home()), None);
        assert_eq!(of(None, None, None), None);
    }

    #[test]
    fn a_key_tells_all_apart_that_decides_the_object() {
        let compiler = Compiler::find(None).unwrap();
        assert_eq!(Key::of("int a;", &compiler), Key::of("int a;", &compiler));
        assert_ne!(Key::of("int a;", &compiler), Key::of("int b;", &compiler));
        assert_ne!(Key::of_parts(&["ab", "c"]), Key::of_parts(&["a", "bc"]));
        let described = "processor\t: 0\nmodel name\t: X 1\ncpu MHz\t: 2000.1\nflags\t: sse avx\n\nmodel name\t: Y\n";
        assert_eq!(processor(described), "model name\t: X 1\nflags\t: sse avx");
    }
}
