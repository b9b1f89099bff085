/* Prints what each customer paid for a piece on average.
 *
 * Reads lines of DATE;CUSTOMER;ARTICLE;PIECES;CENTS. Goods that come back have negative numbers of pieces.
 *
 * It worked for years. Then, one night, it did not: `yester reduce` shows why. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct customer {
    char name[32];
    long pieces, cents;
};

static struct customer customers[4096];
static int known;

static struct customer *find(const char *name) {
    for (int i = 0; i < known; i++)
        if (strcmp(customers[i].name, name) == 0)
            return &customers[i];
    if (known == sizeof customers / sizeof *customers)
        return NULL;
    snprintf(customers[known].name, sizeof customers[known].name, "%s", name);
    return &customers[known++];
}

int main(int argc, char **argv) {
    FILE *file = argc > 1 ? fopen(argv[1], "r") : stdin;
    char line[512];
    if (!file)
        return perror(argv[1]), 2;
    while (fgets(line, sizeof line, file)) {
        char *name = strchr(line, ';'), *article = name ? strchr(name + 1, ';') : NULL;
        long pieces, cents;
        if (!article || sscanf(article + 1, "%*[^;];%ld;%ld", &pieces, &cents) != 2 || pieces == 0)
            continue; /* headings, remarks, blank lines */
        *article = '\0';
        struct customer *customer = find(name + 1);
        if (!customer)
            return fprintf(stderr, "too many customers\n"), 2;
        customer->pieces += pieces;
        customer->cents += pieces * cents;
    }
    for (int i = 0; i < known; i++)
        printf("%s %ld\n", customers[i].name, customers[i].cents / customers[i].pieces);
    return 0;
}
