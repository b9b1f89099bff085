#!/bin/sh
# The mean of three readings. Run in the root of a version: 0 pass, 1 fail, 125 cannot be built.
cat > test.c <<'END'
#include <stdio.h>
#include "series.h"

int main(void)
{
    long values[10];
    int count = parse("5 5 5", values, 10);
    long found = mean(values, count);
    if (found != 5)
        printf("error: the mean of 5 5 5 is %ld\n", found);
    return found != 5;
}
END
cc -Werror=implicit-function-declaration -o test ./*.c || exit 125
./test
