"""Faults that are in both versions and show only after a change."""

EXPOSED = [
    {
        "change": "limits-once",
        # The caller had set both already.
        "before": "    *low = values[0];\n    *high",
        "after": "    *high",
        "input": {"stdin": "heights: 4 7.5 6 9 5\n"},
    },
    {
        "change": "plain-deviation",
        # It was never called for a single value.
        "before": "    if (count < 2) {\n        return 0;",
        "after": "    if (count < 1) {\n        return 0;",
        "input": {"stdin": "one: 4.5\ntwo: 1 2\n"},
    },
]
