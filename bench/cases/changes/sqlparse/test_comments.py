import unittest

import sqlparse


class CommentTest(unittest.TestCase):
    def test_nothing_is_left_of_a_comment(self):
        self.assertEqual(sqlparse.format("select a /* note */ from b", strip_comments=True), "select a from b")


unittest.main()
