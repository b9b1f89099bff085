"""Days of a small computer."""

from variation import of_text as variations  # noqa: F401

NATURAL = [
    {"stdin": text}
    for text in [
        "add a 0 5\nadd b 1 3\nrun 4\nlist\nrun 20\n",
        "add a 0 5\nadd b 1 3\nadd c 2 9\nrun 4\nlist\nblock b\nrun 6\nwake b\nage\nlist\nrun 20\n",
        "add editor 0 3\nadd compiler 2 30\nrun 10\nadd shell 0 2\nrun 3\nlist\nrun 40\nlist\n",
        "add x 1 6\nadd y 1 6\nadd z 1 6\nblock z\nlist\nadd w 1 1\nlist\nrun 9\nwake z\nlist\nrun 30\n",
        "add x 1 6\nadd y 1 6\nblock x\nlist\nkill y\nlist\nwake x\nrun 3\nlist\nrun 9\n",
        "add a 2 20\nadd b 0 12\nrun 5\nrun 6\nlist\nage\nlist\nrun 7\nage\nlist\nrun 30\n",
        "add a 2 2\nadd b 2 2\nadd c 0 14\nrun 12\nage\nlist\nrun 2\nlist\n",
        "add a 0 4\nnice a 2\nlist\nadd b 1 2\nblock b\nnice b 2\nwake b\nlist\nrun 10\n",
        "nice q 1\nadd q 1 4\nnice q 3\nnice q -1\nnice q\nwake q\nblock q\nblock q\nlist\n",
        "add a 3 1\nadd b -1 1\nadd c 0 0\nadd averylongname 0 1\nadd a 0 1\nadd a 1 1\nlist\n",
        "run 7\nadd a 1 2\nrun 5\n",
        "list\nfrob\nfrob x\nadd a 1\nrun\n\nkill nobody\nage\n",
        "add a 0 1\nrun 1\nadd a 1 2\nkill a\nadd a 2 3\nrun 9\n",
        "add a 1 3\nadd b 1 3\nadd c 1 3\nkill b\nlist\nkill c\nlist\nadd d 1 3\nlist\nkill a\nlist\nrun 5\n",
        "add one 0 2\nadd two 0 2\nadd three 0 4\nrun 1\nlist\nrun 1\nlist\nrun 3\nlist\nrun 9\n",
        "add a 1 9\nadd b 1 9\nrun 1\nlist\nrun 3\nlist\nrun 2\nlist\nblock a\nrun 11\nlist\n",
        "add a 2 5\nadd b 2 5\nadd c 1 12\nrun 11\nage\nlist\nrun 1\nage\nlist\nrun 20\n",
        "".join(f"add p{i} {i % 3} {i % 5 + 1}\n" for i in range(12)) + "run 15\nlist\nrun 60\n",
        "".join(f"add p{i} {i % 3} 1\n" for i in range(42)) + "run 50\nlist\n",
    ]
]
