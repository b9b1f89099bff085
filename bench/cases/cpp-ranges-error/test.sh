#!/bin/sh
# g++ refuses to sort a list by ranges.
export LC_ALL=C
timeout 60 g++ -std=c++20 -fsyntax-only -x c++ "$1" 2>&1 |
    grep -q "no match for call to '(const std::ranges::__sort_fn)"
