#!/bin/sh
# Builds the crate and a program that uses it.
set -eu
mkdir -p out
rustc --edition 2021 --crate-type rlib --crate-name strsim -A warnings --out-dir out src/lib.rs
rustc --edition 2021 -A warnings --extern strsim=out/libstrsim.rlib -o out/similarity \
    "$(dirname "$(readlink -f "$0")")/similarity.rs"
