"""Faults that are in both versions and show only after a change."""

EXPOSED = [
    {
        "change": "split-level",
        # The size of the table is written out; it was right while there were six rows.
        "before": "    while (index < LEVELS - 1 && height",
        "after": "    while (index < 5 && height",
        "input": {"arguments": "35000 0 35000 0 700 900 0 1 0 0".split()},
    },
    {
        "change": "clamp-rates",
        # Nobody asked for another lower limit than 0.
        "before": "    if (value < low) {\n        return low;\n    }",
        "after": "    if (value < low) {\n        return 0;\n    }",
        "input": {"arguments": "16000 -9000 12300 0 320 300 0 1 0 0".split()},
    },
]
