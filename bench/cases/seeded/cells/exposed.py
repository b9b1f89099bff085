"""Faults that are in both versions and show only after a change."""

EXPOSED = [
    {
        "change": "no-cleaning",
        # There were no tabs any more.
        "before": "    while (*parser->at == ' ' || *parser->at == '\\t') {",
        "after": "    while (*parser->at == ' ') {",
        "input": {"stdin": "A1 = 12\nA2 =\tA1 / 5\nA3 = A2\t+ 1\nshow\n"},
    },
    {
        "change": "states-as-cases",
        # The value of an empty cell was not looked at.
        "before": ": EMPTY;\n    cell->value.number = 0;\n    cell->value.error",
        "after": ": EMPTY;\n    cell->value.error",
        "input": {"stdin": "A1 = 4\nB1 = A1 + 3\nprint B1\nA1 =\nprint B1\nshow\n"},
    },
]
