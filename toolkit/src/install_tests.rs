//! Installs with a fake python3 that lays out a fake toolkit: complete, interrupted, broken, repaired, and two at once.

use super::*;
use crate::fakes::{NVCC, script};
use crate::progress::Recorded;

/// A python3 whose pip puts a working toolkit into `--target`, after running `extra`, and counts its runs in a file.
fn fake_python(dir: &Path, extra: &str) -> Installer {
    let python = dir.join("python3");
    let nvcc = format!("#!/bin/sh\n{NVCC}");
    let body = format!(
        r#"case "$*" in *"config list") exit 0;; esac
echo run >> '{dir}/runs'
for argument; do
  case "$previous" in --target) target=$argument;; esac
  previous=$argument
done
{extra}
root=$target/nvidia/cu13
mkdir -p "$root/bin" "$root/nvvm/bin" "$root/nvvm/libdevice" "$root/include/crt"
touch "$root/nvvm/libdevice/libdevice.10.bc" "$root/include/cuda_runtime.h" "$root/include/crt/host_config.h"
for program in nvcc ptxas cudafe++ fatbinary nvlink bin2c; do
cat > "$root/bin/$program" <<'END'
{nvcc}
END
done
printf '#!/bin/sh\nexit 1\n' > "$root/nvvm/bin/cicc"
{after}
echo 'Successfully installed'
"#,
        dir = dir.display(),
        after = r#"[ -n "$damage" ] && rm "$root/$damage""#,
    );
    script(&python, &body);
    Installer { dir: dir.join("own"), pips: vec![Pip(vec![python.into(), "-m".into(), "pip".into()])], check: None }
}

fn runs(dir: &Path) -> usize {
    fs::read_to_string(dir.join("runs")).unwrap_or_default().lines().count()
}

/// The names in the install folder, which must hold nothing that is half done.
fn left(installer: &Installer) -> Vec<String> {
    let entries = fs::read_dir(&installer.dir).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_second_install_finds_the_first() {
    let dir = tempfile::tempdir().unwrap();
    let installer = fake_python(dir.path(), "");
    let mut progress = Recorded::default();
    let toolkit = installer.install(&mut progress).unwrap();
    // The fake writes its programs without executable bits, so these were set.
    assert_eq!(toolkit.nvcc, installer.dir.join("cuda-13.0.88/nvidia/cu13/bin/nvcc"));
    assert_eq!(toolkit.origin, Origin::Installed(installer.dir.clone()));
    assert_eq!(left(&installer), [".gitignore", "cuda-13.0.88", "lock"]);
    assert_eq!((progress.begun, progress.ended.as_slice()), (1, &[true][..]));

    assert_eq!(installer.install(&mut progress).unwrap(), toolkit);
    assert_eq!((runs(dir.path()), progress.begun), (1, 1));
    assert_eq!(existing(&installer.dir), Some(Ok(toolkit)));
}

#[test]
fn each_kind_of_damage_is_repaired() {
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 5] = [
        ("installed.txt: ", |tree| fs::remove_file(tree.join(STAMP)).unwrap()),
        ("other package versions", |tree| fs::write(tree.join(STAMP), "nvidia-cuda-nvcc 12.0\n").unwrap()),
        ("bin/ptxas is missing", |tree| fs::remove_file(tree.join(ROOT).join("bin/ptxas")).unwrap()),
        ("cannot start", |tree| fs::write(tree.join(ROOT).join("nvvm/bin/cicc"), b"\x7fELF").unwrap()),
        ("cuda_runtime.h is missing", |tree| fs::remove_dir_all(tree.join(ROOT).join("include")).unwrap()),
    ];
    let dir = tempfile::tempdir().unwrap();
    let installer = fake_python(dir.path(), "");
    installer.install(&mut Recorded::default()).unwrap();
    for (count, (reason, damage)) in damages.into_iter().enumerate() {
        damage(&installer.dir.join(FINAL));
        let told = existing(&installer.dir).unwrap().unwrap_err();
        assert!(told.contains(reason), "{told}");
        let mut progress = Recorded::default();
        installer.install(&mut progress).unwrap();
        assert!(progress.notes[0].contains("repairing"), "{:?}", progress.notes);
        assert!(existing(&installer.dir).unwrap().is_ok());
        assert_eq!(runs(dir.path()), count + 2);
    }
}

#[test]
fn what_an_interrupted_run_left_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    let installer = fake_python(dir.path(), "");
    let stale = installer.dir.join(PARTIAL).join("tree/nvidia/cu13/bin");
    fs::create_dir_all(&stale).unwrap();
    fs::write(stale.join("stale"), "").unwrap();
    assert_eq!(existing(&installer.dir), None);
    let toolkit = installer.install(&mut Recorded::default()).unwrap();
    assert!(!toolkit.root.join("bin/stale").exists());
    assert_eq!(left(&installer), [".gitignore", "cuda-13.0.88", "lock"]);
}

#[test]
fn a_pip_that_fails_or_dies_leaves_nothing() {
    for (extra, expected) in [
        ("echo 'ERROR: no' >&2; exit 1", "exit status 1"),
        ("mkdir -p \"$target/half\"; kill -KILL $$", "killed by signal 9 (SIGKILL)"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let installer = fake_python(dir.path(), extra);
        let mut progress = Recorded::default();
        let error = installer.install(&mut progress).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(left(&installer), [".gitignore", "lock"]);
        assert_eq!(progress.ended, [false]);
    }
}

#[test]
fn what_pip_installed_must_work() {
    let dir = tempfile::tempdir().unwrap();
    let installer = fake_python(dir.path(), "damage=nvvm/bin/cicc");
    let error = installer.install(&mut Recorded::default()).unwrap_err().to_string();
    assert!(error.contains("does not work: nvvm/bin/cicc is missing"), "{error}");
    assert_eq!(left(&installer), [".gitignore", "lock"]);
}

#[test]
fn two_at_once_fetch_once() {
    let dir = tempfile::tempdir().unwrap();
    let installer = fake_python(dir.path(), "sleep 0.3");
    std::thread::scope(|scope| {
        let both: Vec<_> = (0..2).map(|_| scope.spawn(|| installer.install(&mut Recorded::default()))).collect();
        for one in both {
            one.join().unwrap().unwrap();
        }
    });
    assert_eq!(runs(dir.path()), 1);
}

#[test]
fn an_orphaned_pip_still_holds_the_lock() {
    let dir = tempfile::tempdir().unwrap();
    let lock = dir.path().join("lock");
    let holder = File::create(&lock).unwrap();
    holder.lock().unwrap();
    let python = dir.path().join("python3");
    script(&python, "sleep 1");
    // As if our process had been killed: its own descriptors are gone, pip's standard input is not.
    let mut orphan = std::process::Command::new(&python).stdin(holder).spawn().unwrap();
    let next = File::open(&lock).unwrap();
    assert!(matches!(next.try_lock(), Err(TryLockError::WouldBlock)));
    orphan.wait().unwrap();
    next.try_lock().unwrap();
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("own"), "a file").unwrap();
    let error = fake_python(dir.path(), "").install(&mut Recorded::default()).unwrap_err().to_string();
    assert!(error.contains("cannot create the install folder") && error.contains("PXRW_TOOLKIT_DIR"), "{error}");
}

#[test]
fn without_a_network_only_a_checking_installer_gives_up_before_pip_fetches() {
    let dir = tempfile::tempdir().unwrap();
    let conf = dir.path().join("pip.conf");
    fs::write(&conf, "[global]\nindex-url = https://mirror/\n").unwrap();
    let cases = [(vec![], "", Some("pypi.org:443")), (vec![conf.clone()], "https://mirror/", Some("mirror:443"))];
    // A folder as the index needs no network.
    for (files, index, expected) in cases.into_iter().chain([(vec![conf], "/index", None)]) {
        let mut installer = fake_python(dir.path(), "");
        let python = dir.path().join("python3");
        let list = format!("[ \"$3 $4\" = 'config list' ] && echo \"global.index-url='{index}'\" && exit 0");
        let body = fs::read_to_string(&python).unwrap().replacen("#!/bin/sh\n", &format!("{list}\n"), 1);
        script(&python, &body);
        installer.check = Some(crate::index_check::tests::offline(files));
        let mut progress = Recorded::default();
        match (installer.install(&mut progress), expected) {
            (Err(error), Some(host)) => {
                assert!(error.to_string().contains(&format!("no connection to {host} (")), "{error}");
                assert_eq!((runs(dir.path()), progress.begun, left(&installer).len()), (0, 0, 2));
            }
            (result, expected) => {
                assert!(expected.is_none() && result.is_ok(), "{result:?}");
                assert_eq!(runs(dir.path()), 1);
            }
        }
    }
}
