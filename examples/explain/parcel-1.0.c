#include <stdio.h>
#include <stdlib.h>

/* Cents for a parcel of so many kilograms to a zone from 1 to 4. */
static int price(int weight, int zone)
{
    int cents = 490 + 120 * (zone - 1);

    if (weight >= 10)
        cents += 350;
    if (weight > 20)
        cents += 45 * (weight - 20);
    return cents;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    printf("%d cents\n", price(atoi(argv[1]), atoi(argv[2])));
    return 0;
}
