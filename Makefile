# The two commands of the README. Everything else is plain cargo.

.PHONY: demo test setup

# From a failing input to the reason why it fails.
demo: setup
	cargo build --release --quiet --package yester
	@examples/demo

# Everything that must hold before a change is done.
test: setup
	cargo fmt --check
	cargo clippy --quiet --workspace --all-targets -- -D warnings
	cargo test --quiet --workspace --lib --test '*'

setup:
	@scripts/setup
