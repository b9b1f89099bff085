#include <stdio.h>
#define LIMIT 10

/* A list of numbers. */
struct list {
    int value;
    struct list *next;
};

enum colour { RED, GREEN = 2 };

static int sum(const struct list *head, unsigned flags)
{
    int total = 0, seen[LIMIT] = { 1, 2 };
    while (head != NULL && total < LIMIT) {
        if (head->value % 2 == 0)
            total += head->value;
        else if (flags & 1u)
            continue;
        head = head->next;
    }
    for (int index = 0; index < LIMIT; index++) {
        switch (seen[index]) {
        case 1: total--; break;
        default: goto done;
        }
    }
done:
    return flags ? -total : (int)sizeof(struct list) + total;
}

int main(int count, char **words)
{
    struct list last = { .value = 3, .next = 0 }, first = { 4, &last };
    do printf("%d %s\n", sum(&first, RED), words[0]); while (--count);
    return 'a' == 97;
}
