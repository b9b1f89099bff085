//! Scripts that tests write and then run.

use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes a file that can be executed, in a process of its own. If this process had it open for writing, a child that another
/// thread starts at that moment would have it open too for a while, and until then nobody can execute it ("text file busy").
pub fn write(path: &Path, content: impl AsRef<[u8]>) {
    let mut child = Command::new("sh")
        .args(["-c", "cat > \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("sh starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(content.as_ref()).expect("it reads");
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
    std::fs::set_permissions(path, Permissions::from_mode(0o755)).expect("a mode");
}
