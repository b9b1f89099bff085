/* Prints the size of a picture. A 0xFF byte and a letter begin each part of the file;
   part S has the width and the height, two bytes each. */
#include <stdio.h>

int main(int argc, char **argv)
{
    FILE *file = fopen(argv[argc - 1], "rb");
    int byte = fgetc(file);
    while (byte != EOF) {
        int letter = byte == 0xFF ? fgetc(file) : 0;
        if (letter == 'S') {
            int width = fgetc(file) * 256 + fgetc(file);
            int height = fgetc(file) * 256 + fgetc(file);
            if (!feof(file))
                printf("%d by %d, ratio %d\n", width, height, height / width);
        }
        byte = fgetc(file);
    }
    return 0;
}
