"""Days of a small shop."""

from variation import of_text as variations  # noqa: F401

NATURAL = [
    {"stdin": text}
    for text in [
        "stock pen 10 150\norder bob pen 4\nbill bob\nreport\n",
        "stock pen 10 150\nstock ink 2 899\ndiscount pen 10 5\norder bob pen 6\norder eve ink 3\nreport\n"
        "stock ink 4 999\ndeliver\nbill eve\nbill bob\ncheapest 2000\n",
        "stock a 5 100\nstock b 5 70\nstock c 5 100\nstock d 0 10\ncheapest 270\ncheapest 50\ncheapest 269\n",
        "stock pen 20 199\ndiscount pen 15 3\norder al pen 2\norder al pen 3\norder al pen 4\nbill al\nreport\n",
        "discount pen 10 2\nstock pen 3 50\ndiscount pen 91 2\ndiscount pen 90 2\norder x pen 2\nbill x\n",
        "order bob cup 1\nstock cup 1 300\norder bob cup 1\norder bob cup 1\nreport\n",
        "stock cup 1 300\norder ann cup 3\norder ben cup 1\norder cid cup 2\nstock cup 3 300\ndeliver\nreport\n"
        "bill ann\nbill ben\nbill cid\n",
        "foo\nstock pen\nstock pen x 1\nstock pen 1 12345678\norder bob pen -1\nbill\ndeliver now\n\nreport\n",
        "stock pen 2 100\nstock pen 2 110\nstock pen 3 110\nreport\norder z pen 7\nstock pen 1 90\nreport\n",
        "stock  pen  3  105\norder   kim pen 1 \nbill kim\nreport\n",
        "report\ncheapest 100\ndeliver\nbill nobody\n",
        "stock tea 9 333\ndiscount tea 33 1\norder q tea 1\norder q tea 2\norder q tea 0\nbill q\n",
        "stock a 1 1\nstock b 1 2\norder c a 2\norder c b 2\norder c a 1\nbill c\ndeliver\nstock a 5 1\ndeliver\nbill c\n",
    ]
]
