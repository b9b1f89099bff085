"""Faults that are in both versions and show only after a change."""

EXPOSED = [
    {
        "change": "every-range",
        # Only real ranges came here.
        "before": "    if (low > high) {\n        return;\n    }",
        "after": "    if (low >= high) {\n        return;\n    }",
        "input": {"arguments": ["[a-c_]+", "<&>"], "stdin": "x_y abc_d\n_\n"},
    },
    {
        "change": "small-buffer",
        # No line was long enough to need a second buffer.
        "before": "        exit(3);\n    }\n    memcpy(text, buffer->text, buffer->length);\n    free(buffer->text);",
        "after": "        exit(3);\n    }\n    free(buffer->text);",
        "input": {"arguments": ["e+", "<&>"], "stdin": "three geese see the green trees near the sea\nbee\n"},
    },
]
