#include <stdio.h>

static int check(int c) {
    if (c < 10 && c != 3)
        return 1;
    return 0;
}

int main(void) {
    int a = getchar(), b = getchar();
    if (a == 'a')
        return check(b);
    return 2;
}
