"""Faults that are in both versions and show only after a change."""

EXPOSED = [
    {
        "change": "append-at-tail",
        # Nobody looked at the tail.
        "before": "    if (queue->tail == process) {\n        queue->tail = before;\n    }\n    queue->length--;\n",
        "after": "    queue->length--;\n",
        "input": {"stdin": "add a 1 6\nadd b 1 6\nadd c 1 6\nblock c\nadd d 1 2\nlist\nrun 8\nlist\n"},
    },
    {
        "change": "reuse-slots",
        # Every slot was new.
        "before": "    process->left = ticks;\n    process->waited = 0;\n    process->started",
        "after": "    process->left = ticks;\n    process->started",
        "input": {
            "stdin": "add lazy 2 5\nadd x 0 9\nadd y 0 9\nrun 12\nkill lazy\nadd next 2 5\nage\nlist\nrun 30\n",
        },
    },
]
