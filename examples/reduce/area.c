#include <stdio.h>

/* A box and what it costs to paint it. */
struct box {
    int width, height, depth;
};

static int area(struct box box) {
    int front = box.width * box.height;
    int side = box.depth * box.height;
    int top = box.width * box.depth;
    return 2 * (front + side + top);
}

static int price(struct box box, int coats) {
    int per_square;
    if (coats > 3)
        coats = 3;
    return area(box) * coats * per_square;
}

int main(void) {
    struct box box = {.width = 3, .height = 4, .depth = 5};
    for (int coats = 1; coats < 5; coats++)
        printf("%d coats cost %d\n", coats, price(box, coats));
    return 0;
}
