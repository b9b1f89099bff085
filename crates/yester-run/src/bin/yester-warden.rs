//! The warden on its own, for the tests of this crate. The `yester` program is its own warden.

fn main() {
    yester_run::become_warden_if_asked();
}
