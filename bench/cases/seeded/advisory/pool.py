"""Encounters that a controller would think of, as the ten arguments."""

NATURAL = [
    {"arguments": line.split()}
    for line in """
6000 0 6200 -500 180 300 0 1 0 0
6000 0 6200 -500 180 300 0 1 2 1
12000 500 11700 1500 350 450 0 1 1 0
12000 500 11700 1500 350 450 0 0 1 0
1500 0 1600 -500 80 300 500 0 0 2
1500 -300 1450 0 60 200 0 1 0 0
3000 -1500 2500 0 120 250 0 1 0 2
35000 0 35000 0 700 900 0 1 0 0
35000 0 34800 2000 800 700 0 1 2 2
25000 1800 26000 -1800 500 800 1000 1 0 1
8000 0 9500 0 900 -50 0 1 0 0
8000 0 9100 0 590 -50 0 1 0 0
2100 0 2200 0 30 100 1000 1 1 0
2250 0 2350 0 70 180 1050 1 1 2
2350 -1000 2100 1000 90 240 0 1 0 0
10000 0 9700 900 250 300 0 0 0 2
20000 6000 20100 0 220 260 0 0 0 1
900 0 700 0 20 80 200 0 0 0
500 0 700 0 200 80 600 0 0 0
6000 0 6200 -500 180 300 0 1 3 0
6000 0 6200 -500 180 300 0 1 0 -1
6000 0 6200
18000 -2500 16500 2500 400 640 0 0 0 0
4800 1200 5400 -1200 128 320 0 1 0 1
""".strip().splitlines()
]


def variations(entry):
    """Each number a little or much larger and smaller."""
    arguments = entry["arguments"]
    for index, word in enumerate(arguments):
        number = int(word)
        for other in (number + 1, number - 1, number + 100, number - 100, number * 2, 0):
            if other != number:
                yield {"arguments": arguments[:index] + [str(other)] + arguments[index + 1 :]}
