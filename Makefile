# The commands of the README. Everything else is plain cargo.

.PHONY: demo install test

# From a failing input to the reason why it fails.
demo:
	@scripts/setup
	cargo build --release --quiet --package yester
	@examples/demo

# yester, and the compilers whose programs yester trace understands.
PREFIX ?= $(HOME)/.cargo
install:
	@scripts/setup paths
	cargo install --quiet --locked --root $(PREFIX) --path crates/yester
	cargo install --quiet --locked --root $(PREFIX) --path crates/yester-cc
	ln -sf yester-cxx $(PREFIX)/bin/yester-c++

# Everything that must hold before a change is done.
test:
	@scripts/setup tests
	cargo fmt --check
	cargo clippy --quiet --workspace --all-targets -- -D warnings
	cargo test --quiet --workspace --lib --test '*'
	cargo test --quiet --doc --package yester-patch --package yester-report --package yester-run
