//! Compiles the runtime that goes into each instrumented program.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    let sources = Path::new(&variable("CARGO_MANIFEST_DIR")).join("../yester-pathrt/src");
    let out = PathBuf::from(variable("OUT_DIR"));
    println!("cargo::rerun-if-changed={}", sources.display());
    println!("cargo::rerun-if-env-changed=LLVM_SYS_191_PREFIX");

    let archive = out.join("libyester_pathrt.a");
    let status = Command::new(variable("RUSTC"))
        .args(["--crate-name", "yester_pathrt", "--edition", "2024"])
        .args(["--crate-type", "staticlib", "--cfg", "yester_runtime"])
        .args(["-C", "opt-level=3", "-C", "panic=abort"])
        // One object with only what it uses, and without symbols that a Rust program would define too.
        .args(["-C", "lto=fat", "-C", "codegen-units=1"])
        .arg("--target")
        .arg(variable("TARGET"))
        .arg("-o")
        .arg(&archive)
        .arg(sources.join("lib.rs"))
        .status()
        .expect("rustc runs");
    assert!(status.success(), "the runtime does not compile");

    let archive = fs::read(archive).expect("the archive that was just made");
    let object = member(&archive).expect("the archive has an object");
    fs::write(out.join("yester-pathrt.o"), object).expect("the output directory can be written");

    // Cargo allows no plus sign in the name of a binary, so yester-c++ is a link to yester-cxx.
    if let Some(programs) = out.ancestors().nth(3) {
        let link = programs.join("yester-c++");
        if fs::symlink_metadata(&link).is_err() {
            let _ = std::os::unix::fs::symlink("yester-cxx", link);
        }
    }
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}

/// The first object of an archive; the others are the compiler's own runtime.
fn member(archive: &[u8]) -> Option<&[u8]> {
    let mut rest = archive.strip_prefix(b"!<arch>\n")?;
    loop {
        let (header, after) = rest.split_at_checked(60)?;
        let size = str::from_utf8(&header[48..58]).ok()?.trim();
        let size: usize = size.parse().ok()?;
        let content = after.get(..size)?;
        if content.starts_with(b"\x7fELF") {
            return Some(content);
        }
        rest = after.get(size + size % 2..)?;
    }
}
