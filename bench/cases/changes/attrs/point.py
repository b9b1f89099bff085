import attr


@attr.s
class Point(object):
    x = attr.ib(convert=int)
    y = attr.ib(convert=int, default=0)


print(Point("3"))
assert Point("3") == Point(3, 0)
