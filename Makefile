# The commands of the README. Everything else is plain cargo.

.PHONY: demo install install-pages test

# From a failing input to the reason why it fails.
demo:
	@scripts/setup
	cargo build --release --quiet --package yester
	@if command -v llvm-config-19 > /dev/null; then cargo build --release --quiet --package yester-cc; fi
	@examples/demo

# yester, and the compilers whose programs yester trace understands.
PREFIX ?= $(HOME)/.cargo
install: install-program install-pages

.PHONY: install-program
install-program:
	@scripts/setup paths
	cargo install --quiet --locked --root $(PREFIX) --path crates/yester
	cargo install --quiet --locked --root $(PREFIX) --path crates/yester-cc
	ln -sf yester-cxx $(PREFIX)/bin/yester-c++

# Manual pages and completions. man finds pages beside bin/; shells look for a user's completions in ~/.local/share.
YESTER ?= $(PREFIX)/bin/yester
MAN = $(DESTDIR)$(PREFIX)/share/man/man1
XDG_DATA_HOME ?= $(HOME)/.local/share
SHARE = $(DESTDIR)$(if $(filter $(HOME)/%,$(PREFIX)),$(XDG_DATA_HOME),$(PREFIX)/share)
install-pages:
	$(YESTER) man --all $(MAN)
	mkdir -p $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	$(YESTER) completions bash > $(SHARE)/bash-completion/completions/yester
	$(YESTER) completions zsh > $(SHARE)/zsh/site-functions/_yester
	$(YESTER) completions fish > $(SHARE)/fish/vendor_completions.d/yester.fish

# Everything that must hold before a change is done.
test:
	@scripts/setup tests
	cargo fmt --check
	cargo clippy --quiet --workspace --all-targets -- -D warnings
	cargo test --quiet --workspace --lib --test '*'
	cargo test --quiet --workspace --doc
