"""Faults that are in both versions and show only after a change."""

EXPOSED = [
    {
        "change": "by-arrival",
        # The goods came in the order of their names.
        "before": "    return left.name < right.name;",
        "after": "    return false;",
        "input": {"stdin": "stock tea 4 250\nstock jam 2 310\nstock cup 3 250\ncheapest 900\nreport\n"},
    },
    {
        "change": "one-line-buffer",
        # Every line had a new string.
        "before": "    int c = getchar();\n\n    line.clear();\n    if (c == EOF)",
        "after": "    int c = getchar();\n\n    if (c == EOF)",
        "input": {"stdin": "stock cup 5 120\norder bob cup 2\nbill bob\n"},
    },
]
