"""Faults that are in both versions and show only after a change."""

EXPOSED = [
    {
        "change": "more-keywords",
        # The number of keywords is written out; it was right while there were nine.
        "before": "    for (i = 0; keywords[i] != NULL; i++) {",
        "after": "    for (i = 0; i < 9; i++) {",
        "input": {"stdin": "while (x < 10) {\n    x += 2;\n    if (x == 7) continue;\n}\nreturn x;\n"},
    },
    {
        "change": "keep-returns",
        # No carriage return ever came here.
        "before": "        if (c == ' ' || c == '\\t' || c == '\\n' || c == '\\r') {",
        "after": "        if (c == ' ' || c == '\\t' || c == '\\n') {",
        "input": {"stdin": "total = 0;\r\nfor (;;) break;\r\n"},
    },
]
