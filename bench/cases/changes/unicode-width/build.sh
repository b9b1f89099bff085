#!/bin/sh
# Builds the crate and a program that uses it.
set -eu
mkdir -p out
rustc --edition 2021 --crate-type rlib --crate-name unicode_width -A warnings --out-dir out src/lib.rs
rustc --edition 2021 -A warnings --extern unicode_width=out/libunicode_width.rlib -o out/width \
    "$(dirname "$(readlink -f "$0")")/width.rs"
