/*
 * chunks - checks a small picture format and says what is in it.
 *
 * usage: chunks FILE
 *
 * A file starts with "PIXC" and a version byte. Chunks follow: four letters, the length (two
 * bytes, big end first), that many bytes, and the CRC-32 of the letters and the bytes.
 *   HEAD  width, height (two bytes each), depth in bits (1, 2, 4 or 8), flags (1: has colours)
 *   COLR  the colours, three bytes each
 *   NOTE  a key of up to 15 bytes, a zero, a text
 *   DATA  runs of pixels: count, value
 *   DONE  the end
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILE 8192
#define MAX_KEY 15
#define MAX_COLORS 256
#define HAS_COLORS 1

#define SEEN_HEAD 1
#define SEEN_COLORS 2
#define SEEN_DATA 4
#define SEEN_DONE 8

struct reader {
    const unsigned char *bytes;
    size_t length;
    size_t position;
};

struct chunk {
    char type[5];
    const unsigned char *bytes;
    unsigned length;
};

struct color {
    unsigned char red, green, blue;
};

struct picture {
    unsigned width, height, depth, flags;
    unsigned seen;
    unsigned color_count;
    struct color colors[MAX_COLORS];
    unsigned pixels;    /* that were read so far */
    unsigned long sum;  /* of their brightness */
    unsigned brightest;
    unsigned notes;
    const char *error;
};

static unsigned long crc_table[256];

static void crc_prepare(void)
{
    unsigned i;
    int bit;

    for (i = 0; i < 256; i++) {
        unsigned long value = i;

        for (bit = 0; bit < 8; bit++) {
            value = value & 1 ? 0xEDB88320UL ^ value >> 1 : value >> 1;
        }
        crc_table[i] = value;
    }
}

/* The CRC of more bytes, after those that gave `crc`; starts with 0. */
static unsigned long crc_update(unsigned long crc, const unsigned char *bytes, size_t length)
{
    size_t i;

    crc ^= 0xFFFFFFFFUL;
    for (i = 0; i < length; i++) {
        crc = crc_table[(crc ^ bytes[i]) & 0xFF] ^ crc >> 8;
    }
    return crc ^ 0xFFFFFFFFUL;
}

static size_t left(const struct reader *reader)
{
    return reader->length - reader->position;
}

static unsigned long read_number(struct reader *reader, int size)
{
    unsigned long number = 0;

    while (size-- > 0) {
        number = number << 8 | reader->bytes[reader->position++];
    }
    return number;
}

static void fail(struct picture *picture, const char *error)
{
    if (picture->error == NULL) {
        picture->error = error;
    }
}

static int read_chunk(struct reader *reader, struct picture *picture, struct chunk *chunk)
{
    const unsigned char *start = reader->bytes + reader->position;
    unsigned long crc;

    if (left(reader) < 6) {
        fail(picture, "truncated chunk header");
        return 0;
    }
    memcpy(chunk->type, start, 4);
    chunk->type[4] = '\0';
    reader->position += 4;
    chunk->length = (unsigned)read_number(reader, 2);
    if (left(reader) < chunk->length + 4) {
        fail(picture, "truncated chunk");
        return 0;
    }
    chunk->bytes = reader->bytes + reader->position;
    reader->position += chunk->length;
    crc = crc_update(0, start, chunk->length + 6);
    if (read_number(reader, 4) != crc) {
        fail(picture, "wrong checksum");
        return 0;
    }
    return 1;
}

static int is_depth(unsigned depth)
{
    return depth == 1 || depth == 2 || depth == 4 || depth == 8;
}

static void read_head(struct picture *picture, const struct chunk *chunk)
{
    struct reader reader = {chunk->bytes, chunk->length, 0};

    if (picture->seen & SEEN_HEAD) {
        fail(picture, "second head");
        return;
    }
    if (chunk->length != 6) {
        fail(picture, "head of a wrong length");
        return;
    }
    picture->width = (unsigned)read_number(&reader, 2);
    picture->height = (unsigned)read_number(&reader, 2);
    picture->depth = (unsigned)read_number(&reader, 1);
    picture->flags = (unsigned)read_number(&reader, 1);
    if (picture->width == 0 || picture->height == 0) {
        fail(picture, "empty picture");
    }
    if (!is_depth(picture->depth)) {
        fail(picture, "unknown depth");
    }
    if (picture->flags & ~(unsigned)HAS_COLORS) {
        fail(picture, "unknown flags");
    }
    picture->seen |= SEEN_HEAD;
}

static void read_colors(struct picture *picture, const struct chunk *chunk)
{
    unsigned i;
    unsigned count = chunk->length / 3;

    if (!(picture->flags & HAS_COLORS) || picture->seen & (SEEN_COLORS | SEEN_DATA)) {
        fail(picture, "misplaced colours");
        return;
    }
    if (chunk->length % 3 != 0 || count == 0 || count > 1U << picture->depth) {
        fail(picture, "wrong number of colours");
        return;
    }
    for (i = 0; i < count; i++) {
        picture->colors[i].red = chunk->bytes[3 * i];
        picture->colors[i].green = chunk->bytes[3 * i + 1];
        picture->colors[i].blue = chunk->bytes[3 * i + 2];
    }
    picture->color_count = count;
    picture->seen |= SEEN_COLORS;
}

static void read_note(struct picture *picture, const struct chunk *chunk)
{
    char key[MAX_KEY + 1];
    unsigned length = 0;

    while (length < chunk->length && chunk->bytes[length] != 0) {
        if (length == MAX_KEY) {
            fail(picture, "long key");
            return;
        }
        key[length] = (char)chunk->bytes[length];
        length++;
    }
    if (length == 0 || length == chunk->length) {
        fail(picture, "note without key");
        return;
    }
    key[length] = '\0';
    picture->notes++;
    printf("%s: %.*s\n", key, (int)(chunk->length - length - 1), chunk->bytes + length + 1);
}

static const struct color *find_color(const struct picture *picture, unsigned index)
{
    if (index >= picture->color_count) {
        return NULL;
    }
    return &picture->colors[index];
}

/* From 0 to 255. */
static unsigned brightness(struct picture *picture, unsigned value)
{
    const struct color *color;

    if (!(picture->flags & HAS_COLORS)) {
        return value * 255 / ((1U << picture->depth) - 1);
    }
    if (value >= picture->color_count) {
        fail(picture, "no such colour");
        return 0;
    }
    color = find_color(picture, value);
    if (color == NULL) {
        fail(picture, "no such colour");
        return 0;
    }
    return (color->red * 3U + color->green * 6U + color->blue) / 10;
}

static void read_data(struct picture *picture, const struct chunk *chunk)
{
    unsigned i;
    unsigned total = picture->width * picture->height;

    if (picture->flags & HAS_COLORS && !(picture->seen & SEEN_COLORS)) {
        fail(picture, "data before colours");
        return;
    }
    for (i = 0; i + 1 < chunk->length && picture->error == NULL; i += 2) {
        unsigned count = chunk->bytes[i];
        unsigned value = chunk->bytes[i + 1];
        unsigned bright;

        if (count == 0 || count > total - picture->pixels) {
            fail(picture, "wrong run");
            return;
        }
        if (value >> picture->depth != 0) {
            fail(picture, "value too large");
            return;
        }
        bright = brightness(picture, value);
        if (bright > picture->brightest) {
            picture->brightest = bright;
        }
        picture->sum += (unsigned long)bright * count;
        picture->pixels += count;
    }
    if (chunk->length % 2 != 0) {
        fail(picture, "half a run");
    }
    picture->seen |= SEEN_DATA;
}

static void read_done(struct picture *picture, const struct chunk *chunk)
{
    if (chunk->length != 0) {
        fail(picture, "end with content");
    }
    if (picture->pixels < picture->width * picture->height) {
        fail(picture, "missing pixels");
    }
    picture->seen |= SEEN_DONE;
}

static void read_known(struct picture *picture, const struct chunk *chunk)
{
    if (!(picture->seen & SEEN_HEAD) && strcmp(chunk->type, "HEAD") != 0) {
        fail(picture, "no head");
    } else if (strcmp(chunk->type, "HEAD") == 0) {
        read_head(picture, chunk);
    } else if (strcmp(chunk->type, "COLR") == 0) {
        read_colors(picture, chunk);
    } else if (strcmp(chunk->type, "NOTE") == 0) {
        read_note(picture, chunk);
    } else if (strcmp(chunk->type, "DATA") == 0) {
        read_data(picture, chunk);
    } else if (strcmp(chunk->type, "DONE") == 0) {
        read_done(picture, chunk);
    } else if (chunk->type[0] >= 'A' && chunk->type[0] <= 'Z') {
        fail(picture, "unknown chunk");
    } else {
        printf("skipped %s\n", chunk->type);
    }
}

static void read_picture(struct reader *reader, struct picture *picture)
{
    struct chunk chunk;

    if (left(reader) < 5 || memcmp(reader->bytes, "PIXC", 4) != 0) {
        fail(picture, "not a picture");
        return;
    }
    reader->position = 4;
    if (read_number(reader, 1) > 2) {
        fail(picture, "unknown version");
        return;
    }
    while (picture->error == NULL && !(picture->seen & SEEN_DONE)) {
        if (read_chunk(reader, picture, &chunk)) {
            read_known(picture, &chunk);
        }
    }
    if (picture->error == NULL && left(reader) > 0) {
        printf("%u bytes after the end\n", (unsigned)left(reader));
    }
}

int main(int count, char **arguments)
{
    static unsigned char bytes[MAX_FILE];
    static struct picture picture;
    struct reader reader = {bytes, 0, 0};
    FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;

    if (file == NULL) {
        fprintf(stderr, "usage: chunks FILE\n");
        return 2;
    }
    reader.length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    crc_prepare();
    read_picture(&reader, &picture);
    if (picture.error != NULL) {
        printf("error: %s at %u\n", picture.error, (unsigned)reader.position);
        return 1;
    }
    printf("%u x %u, %u bits, %u colours, %u notes\n", picture.width, picture.height, picture.depth,
           picture.color_count, picture.notes);
    printf("brightness %lu, at most %u\n", picture.sum / picture.pixels, picture.brightest);
    return 0;
}
