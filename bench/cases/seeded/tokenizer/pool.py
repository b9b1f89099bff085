"""Sources as people write them, and some that nobody should."""

from variation import of_text as variations  # noqa: F401

NATURAL = [
    {"stdin": text}
    for text in [
        "int main() {\n\treturn 0;\n}\n",
        "x = a + b * 2;\n",
        "for (i = 0; i <= 10; i++) {\n    total += price[i] >> 2; // halves\n}\n",
        "if (a && !b || c != 0x1F) x <<= 3; else y->z -= 1.5e-3;\n",
        "s = \"hello\\n\\\"you\\\"\"; c = 'a'; d = '\\\\'; e = '';\n",
        "/* one /* two */ still */ name /* open\n",
        "/* a */ b // c\nd /**/ e\n",
        "\"never closed\nnext 'ab' '\\q' \"bad \\z escape\"\n",
        "0x 0xZ 1. 1..2 3e 3e+ 3e+7 42abc 007 1.5.2\n",
        "f(a, b[3], ...)\n\t\tg(\t1 )\n",
        "((a) + [b)} ]\n",
        "a))\n(\n",
        "while(1){do break;while(0);continue;}\n",
        "_x9 = __y; for_each = iffy; @ # $\n",
        "a_very_long_name_that_goes_on_and_on_until_there_is_no_room_for_it_any_more_at_all = 1;\n",
        "a<b a<=b a<<b a<<=b a->b a-- a-=b a- -b\n",
        "",
        "x\r\ny\r\n\r\n  z",
        "'\\n' '\\t' '\\0' '\\'' \"\\0\"\n",
        "123456789012345678901234567890123456789012345678901234567890123456789\n",
        "\tif\t(x)\n   \ty\t=\t'\t';\n",
        "a.b. c ... .. .5 5.\n",
    ]
]
