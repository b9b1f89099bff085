//! The hash of what a build has made.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{FileType, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::root::{Root, is_missing, open_inside};

/// The hash of all products together, or nothing if there is none. `path` is where the build sees the tree.
///
/// Links are followed inside the tree: `lib.so` is what it points to. A link that leads nowhere counts as its own text. A
/// link that leads out of the tree is an error: to recognise such a product, we would have to read files that are not the
/// build's.
pub(crate) fn hash(root: &Root, path: &Path, products: &[String]) -> io::Result<Option<String>> {
    let mut hashing = Hashing {
        root,
        path,
        hasher: blake3::Hasher::new(),
        above: HashSet::new(),
    };
    for product in products {
        hashing.frame(product.as_bytes());
        hashing.add(Path::new(product), LINKS)?;
    }
    let exists = missing(root, products).len() < products.len();
    Ok(exists.then(|| hashing.hasher.finalize().to_hex()[..32].to_owned()))
}

/// Which products are not there.
pub(crate) fn missing(root: &Root, products: &[String]) -> Vec<String> {
    let is_missing = |product: &&String| {
        let place = root.place(Path::new(product));
        place.and_then(|place| place.file_type()).is_err()
    };
    products.iter().filter(is_missing).cloned().collect()
}

/// How many absolute links in a row are followed, as in the kernel.
const LINKS: usize = 40;

struct Hashing<'a> {
    root: &'a Root,
    path: &'a Path,
    hasher: blake3::Hasher,
    /// The directories that a link may lead back to.
    above: HashSet<(u64, u64)>,
}

impl Hashing<'_> {
    /// Adds bytes after their length, so that no two lists of products give the same stream.
    fn frame(&mut self, bytes: &[u8]) {
        self.hasher.update(&(bytes.len() as u64).to_le_bytes());
        self.hasher.update(bytes);
    }

    fn add(&mut self, relative: &Path, links: usize) -> io::Result<()> {
        let target = self
            .root
            .place(relative)
            .and_then(|place| place.read_link());
        if let Ok(target) = &target {
            self.hasher.update(b"l");
            self.frame(target.as_bytes());
        }
        // First as a path only, because opening a device may have an effect.
        let found = match self.open(relative, OFlags::PATH) {
            Err(error) => match (Errno::from_io_error(&error), target) {
                _ if is_missing(&error) => {
                    self.hasher.update(b"-");
                    return Ok(());
                }
                (Some(Errno::XDEV), Ok(target)) if links > 0 => {
                    let inside = Path::new(&target)
                        .strip_prefix(self.path)
                        .map_err(|_| error)?;
                    return self.add(inside, links - 1);
                }
                _ => return Err(error),
            },
            Ok(found) => rustix::fs::fstat(found)?,
        };
        match FileType::from_raw_mode(found.st_mode) {
            FileType::Directory => {
                let directory = (found.st_dev, found.st_ino);
                if !self.above.insert(directory) {
                    self.hasher.update(b"o");
                    return Ok(());
                }
                let opened = self.open(relative, OFlags::RDONLY | OFlags::DIRECTORY)?;
                let mut names = Root::new(opened).names(Path::new(""))?;
                names.sort();
                self.hasher.update(b"d");
                self.hasher.update(&(names.len() as u64).to_le_bytes());
                for name in names {
                    self.frame(name.as_bytes());
                    self.add(&relative.join(name), links)?;
                }
                self.above.remove(&directory);
            }
            FileType::RegularFile => {
                let is_executable = found.st_mode & 0o111 != 0;
                self.hasher.update(if is_executable { b"x" } else { b"f" });
                let mut content = blake3::Hasher::new();
                // Keep the access time: somebody may want to know which files the test reads.
                let file = self
                    .open(relative, OFlags::RDONLY | OFlags::NOATIME)
                    .or_else(|_| self.open(relative, OFlags::RDONLY))?;
                io::copy(&mut File::from(file), &mut content)?;
                self.hasher.update(content.finalize().as_bytes());
            }
            _ => {
                self.hasher.update(b"s");
            }
        }
        Ok(())
    }

    fn open(&self, relative: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let inside = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_XDEV;
        open_inside(self.root.as_fd(), relative, flags | OFlags::CLOEXEC, inside)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_product_is_its_content_and_not_its_times_or_the_name_of_a_link() {
        let directory = tempfile::tempdir().expect("a directory");
        let here = directory.path();
        let products = ["out".to_owned(), "lib.so".to_owned()];
        let root = Root::open(here).expect("a root");
        let now = || hash(&root, here, &products).expect("readable");
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
        fs::remove_file(here.join("lib.so")).expect("room");
        symlink(here.join("lib.so.1"), here.join("lib.so")).expect("room");
        assert!(
            now().is_some(),
            "a whole path to a file of the tree is fine"
        );
        fs::rename(here.join("out/deep/a"), here.join("out/deep/b")).expect("room");
        assert_ne!(now(), first);
    }

    #[test]
    fn what_a_link_out_of_the_tree_leads_to_is_not_read_and_makes_no_product() {
        let directory = tempfile::tempdir().expect("a directory");
        let here = directory.path();
        let root = Root::open(here).expect("a root");
        for target in ["/", "/proc", "..", "/dev/zero"] {
            let _ = fs::remove_file(here.join("out"));
            symlink(target, here.join("out")).expect("room");
            let hashed = hash(&root, here, &["out".to_owned()]);
            assert!(hashed.is_err(), "{target}: {hashed:?}");
        }
    }
}
