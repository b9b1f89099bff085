"""A stack."""


class Stack:
    """What comes last goes first."""

    def __init__(self, *values):
        self.values = list(values)

    def pop(self):
        """The last value, which is taken away."""
        last = self.values[-1]
        del(self.values[-1])
        return last
