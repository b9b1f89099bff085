#include <stdio.h>

/* Counts the scores from 50 up, and prints how many there are and the best. */
int main(void)
{
    int score, passed = 0, best = 0;
    while (scanf("%d", &score) == 1) {
        if (score > 50)
            passed++;
        if (score > best)
            best = score;
    }
    printf("%d passed, best %d\n", passed, best);
    return 0;
}
