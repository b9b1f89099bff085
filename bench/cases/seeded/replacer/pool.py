"""Everyday replacements."""

from variation import of_text as variations  # noqa: F401

LOG = "2024-01-07 error: disk 3 is full\n2024-01-08 all is well\n\nError: again 42\n"
CODE = "int foo_bar = foo(1, 22);\n\treturn foo_bar  ;\n"

NATURAL = [
    {"arguments": arguments, "stdin": text}
    for arguments, text in [
        (["error", "warning"], LOG),
        (["\\d+", "<&>"], LOG),
        (["[0-9]+", "#", "1"], LOG),
        (["^2024", "24"], LOG),
        (["l*$", "!"], LOG),
        (["\\w+", "\\u"], CODE),
        (["[a-z_]+", "\\l\\n"], CODE),
        (["\\s+", " "], CODE),
        (["\\s*;", ";"], CODE),
        (["x*", "-"], "abxxc\nx\n\n"),
        (["[^a-z]", "_"], LOG),
        ([".", "&&", "2"], CODE),
        (["fo+", "b\\&r\\\\"], CODE),
        (["a.c?", "[&]"], "abc ac aXcc aaa\nabcabc\n"),
        (["[]x-]+", "."], "a]b-x-]c\n"),
        (["[z-a]", "."], "abc\n"),
        (["[abc", "."], "abc\n"),
        (["*a", "."], "abc\n"),
        (["a**", "."], "abc\n"),
        (["^", "> "], "one\ntwo\n"),
        (["$", "\\t<"], "one\ntwo\n"),
        (["\\.", "dot"], "1.5 and 2.\n"),
        (["[\\d\\s]+x", "<&>"], "1 2x 3 x\n 7xx\n"),
        (["b+c*d?", "(&)", "3"], "bbccd bd cd bcd b bb\n"),
        (["zzz", "y"], "nothing here\n"),
        ([".*", "<&>"], "a b\n\nc\n"),
        (["a?a?a?aa", "+"], "aaaaa aa a aaa\n"),
        (["[^,]*,", "&\\n"], "name,street,town\n"),
        (["^$", "empty"], "\nx\n\n"),
        (["\\^\\$", "&"], "^$ ^\n"),
        (["abcdefghijklmnopqrstuvwxyzabcdefghijklmnop", "."], "abc\n"),
        (["o", "00000000"], "foo boo zoo moo too woo loo\n"),
    ]
]
