//! The hash of what a build has made.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// The hash of all products together, or nothing when there is none.
///
/// Links are followed: `lib.so` is what it points to. One that leads nowhere is its own text.
pub(crate) fn hash(directory: &Path, products: &[String]) -> io::Result<Option<String>> {
    let mut hasher = blake3::Hasher::new();
    let mut exists = false;
    for product in products {
        let path = directory.join(product);
        exists |= fs::symlink_metadata(&path).is_ok();
        frame(&mut hasher, product.as_bytes());
        add(&mut hasher, &path, &mut HashSet::new())?;
    }
    Ok(exists.then(|| hasher.finalize().to_hex()[..32].to_owned()))
}

/// With its length first, so that no two products run together to the same bytes.
fn frame(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

/// `above` are the directories that a link may lead back to.
fn add(
    hasher: &mut blake3::Hasher,
    path: &Path,
    above: &mut HashSet<(u64, u64)>,
) -> io::Result<()> {
    if let Ok(target) = fs::read_link(path) {
        hasher.update(b"l");
        frame(hasher, target.as_os_str().as_bytes());
    }
    let Ok(metadata) = fs::metadata(path) else {
        hasher.update(b"-");
        return Ok(());
    };
    if metadata.is_dir() {
        let directory = (metadata.dev(), metadata.ino());
        if !above.insert(directory) {
            hasher.update(b"o");
            return Ok(());
        }
        let mut names: Vec<_> = fs::read_dir(path)?
            .map(|entry| Ok(entry?.file_name()))
            .collect::<io::Result<_>>()?;
        names.sort();
        hasher.update(b"d");
        hasher.update(&(names.len() as u64).to_le_bytes());
        for name in names {
            frame(hasher, name.as_bytes());
            add(hasher, &path.join(name), above)?;
        }
        above.remove(&directory);
    } else if metadata.is_file() {
        hasher.update(if metadata.mode() & 0o111 == 0 {
            b"f"
        } else {
            b"x"
        });
        let mut content = blake3::Hasher::new();
        io::copy(&mut open(path)?, &mut content)?;
        hasher.update(content.finalize().as_bytes());
    } else {
        hasher.update(b"s");
    }
    Ok(())
}

/// Opens a file without leaving a trace, since which files the test reads may be what somebody wants to know.
fn open(path: &Path) -> io::Result<File> {
    let traceless = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOATIME)
        .open(path);
    traceless.or_else(|_| File::open(path))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_product_is_its_content_and_not_its_times_or_the_name_of_a_link() {
        let directory = tempfile::tempdir().expect("a directory");
        let here = directory.path();
        let products = ["out".to_owned(), "lib.so".to_owned()];
        let now = || hash(here, &products).expect("readable");
        assert_eq!(now(), None, "nothing was built");
        fs::create_dir_all(here.join("out/deep")).expect("room");
        fs::write(here.join("out/deep/a"), "one").expect("room");
        fs::write(here.join("lib.so.1"), "code").expect("room");
        symlink("lib.so.1", here.join("lib.so")).expect("room");
        symlink("..", here.join("out/deep/up")).expect("a loop");
        let first = now();
        assert!(first.is_some());
        fs::write(here.join("out/deep/a"), "one").expect("room");
        assert_eq!(now(), first);
        fs::write(here.join("lib.so.1"), "other code").expect("room");
        assert_ne!(now(), first, "a link is what it points to");
        fs::write(here.join("lib.so.1"), "code").expect("room");
        assert_eq!(now(), first);
        fs::rename(here.join("out/deep/a"), here.join("out/deep/b")).expect("room");
        assert_ne!(now(), first);
    }
}
