"""Small sheets."""

from variation import of_text as variations  # noqa: F401

NATURAL = [
    {"stdin": text}
    for text in [
        "A1 = 3\nB2 = A1*2+1\nC1 = sum(A1:B2)\nshow\n",
        "A1 = 3\nA2 = 4\nA3 = A1 - A2\nprint A3\nA1 = 10\nprint A3\n",
        "A1 = B1\nB1 = A1\nprint A1\nshow\n",
        "A1 = 7 / 2\nA2 = 7 % 4\nA3 = 7 / (A1 - 3)\nA4 = A3 + 1\nshow\n",
        "D1 = if(1 < 2, 5 % 3, 4)\nD2 = if(D1 >= 3, 10, -10)\nD3 = if(D1 = 2, D2, 0)\nshow\n",
        "A1 = 5\nA2 = 2\nA3 = 9\nB1 = min(A1:A3)\nB2 = max(A1:A3)\nB3 = count(A1:A5)\nshow\n",
        "A1 = -5\nA2 = -2\nB1 = min(A1:A4)\nB2 = max(A1:A4)\nB3 = sum(A1:A4)\nshow\n",
        "A1 = 1\nA1 =\nshow\nprint A1\nB1 = A1 + 2\nprint B1\n",
        "A1 = 2 + \nA2 = (1 + 2\nA3 = 1 2\nA4 = foo(A1:A2)\nA5 = sum(1)\nA6 = sum A1\nshow\n",
        "A17 = 1\nI1 = 2\nA0 = 3\nA1 = H17\nprint A1\nH16 = 4\nprint H16\n",
        "hello\nprint\nprint 5\ncopy A1\n\n   \nshow it\n",
        "A1 = 6\nA2 = A1 * A1\ncopy A2 C3\nprint C3\nA1 = 2\nshow\n",
        "A1 = 2 * 3 + 4\nA2 = 2 + 3 * 4\nA3 = (2 + 3) * 4\nA4 = 20 - 3 - 4\nA5 = - - 3\nshow\n",
        "A1 = 1 < 2\nA2 = 2 < 1\nA3 = 2 <= 2\nA4 = 3 > 2\nA5 = 2 >= 3\nA6 = 2 > 2\nA7 = 2 < 2\nshow\n",
        "B1 = sum(B1:B3)\nprint B1\nC1 = 4 / 0 + 2\nC2 = sum(C1:C1)\nshow\n",
        "A1 = 1\nB1 = 2\nC1 = 3\nA2 = 4\nB2 = 5\nC2 = 6\nD3 = sum(A1:C2) - sum(B1:B2) * 2\nprint D3\n",
        "A1\t=\t4\n\tB1 = A1\t+ 1\nprint\tB1\nshow\n",
        "A1 = sum(B2:A1)\nA2 = sum(A3:B)\nshow\n",
        "A1 = 9\nB1 = if(A1 > 5, if(A1 > 8, 3, 2), 1)\nprint B1\nA1 = 7\nprint B1\nA1 = 5\nprint B1\n",
        "A1 = 17 % 5 * 2 / 3\nprint A1\nA2 = 100 / 7 / 2\nprint A2\nA3 = maximum(A1:A2)\nprint A3\n",
    ]
]
