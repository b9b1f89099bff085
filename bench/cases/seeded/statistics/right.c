/*
 * statistics - describes series of measurements.
 *
 * usage: statistics [-w WIDTH] [-t PERCENT]
 *
 * Each line of standard input is a series: a name, a colon, and numbers. A number may be followed
 * by `*` and a count. WIDTH is that of the moving average (3), PERCENT what the trimmed mean leaves
 * out at each end (10).
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_VALUES 100
#define MAX_NAME 16
#define BINS 5

struct series {
    char name[MAX_NAME];
    double values[MAX_VALUES];
    int count;
};

struct summary {
    double mean;
    double deviation;
    double median;
    double trimmed;
    double low;
    double high;
};

struct line {
    double slope;
    double start;
    double fit;  /* 1 if all points are on the line */
};

static int width = 3;
static int trim_percent = 10;

static double square(double value)
{
    return value * value;
}

static double magnitude(double value)
{
    return value < 0 ? -value : value;
}

/* By Newton's method, so that no library is needed. */
static double square_root(double value)
{
    double root = value > 1 ? value : 1;
    int i;

    if (value <= 0) {
        return 0;
    }
    for (i = 0; i < 60; i++) {
        double better = (root + value / root) / 2;

        if (magnitude(better - root) < 1e-12) {
            break;
        }
        root = better;
    }
    return root;
}

static double mean_of(const double *values, int count)
{
    double sum = 0;
    int i;

    for (i = 0; i < count; i++) {
        sum += values[i];
    }
    return count > 0 ? sum / count : 0;
}

static double deviation_of(const double *values, int count, double mean)
{
    double sum = 0;
    int i;

    if (count < 2) {
        return 0;
    }
    for (i = 0; i < count; i++) {
        sum += square(values[i] - mean);
    }
    return square_root(sum / (count - 1));
}

static void sort_values(double *values, int count)
{
    int i, j;

    for (i = 1; i < count; i++) {
        double value = values[i];

        for (j = i; j > 0 && values[j - 1] > value; j--) {
            values[j] = values[j - 1];
        }
        values[j] = value;
    }
}

/* The values must be sorted. */
static double median_of(const double *values, int count)
{
    if (count % 2 == 1) {
        return values[count / 2];
    }
    return (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* The mean without the ends; the values must be sorted. */
static double trimmed_mean_of(const double *values, int count, int percent)
{
    int left_out = count * percent / 100;

    if (2 * left_out >= count) {
        return median_of(values, count);
    }
    return mean_of(values + left_out, count - 2 * left_out);
}

static void find_limits(const double *values, int count, double *low, double *high)
{
    int i;

    *low = values[0];
    *high = values[0];
    for (i = 1; i < count; i++) {
        if (values[i] < *low) {
            *low = values[i];
        }
        if (values[i] > *high) {
            *high = values[i];
        }
    }
}

static void summarise(const struct series *series, struct summary *summary)
{
    double sorted[MAX_VALUES];
    int count = series->count;

    memset(summary, 0, sizeof *summary);
    summary->low = series->values[0];
    summary->high = series->values[0];
    memcpy(sorted, series->values, sizeof(double) * (size_t)count);
    sort_values(sorted, count);
    summary->mean = mean_of(series->values, count);
    summary->deviation = count > 1 ? deviation_of(series->values, count, summary->mean) : 0;
    summary->median = median_of(sorted, count);
    summary->trimmed = trimmed_mean_of(sorted, count, trim_percent);
    find_limits(series->values, count, &summary->low, &summary->high);
}

/* The line through the values over 0, 1, 2, ... with the least squares. */
static void fit_line(const struct series *series, const struct summary *summary, struct line *line)
{
    double middle = (series->count - 1) / 2.0;
    double above = 0, below = 0, total = 0;
    int i;

    for (i = 0; i < series->count; i++) {
        double offset = i - middle;
        double difference = series->values[i] - summary->mean;

        above += offset * difference;
        below += square(offset);
        total += square(difference);
    }
    line->slope = below > 0 ? above / below : 0;
    line->start = summary->mean - line->slope * middle;
    line->fit = total > 0 && below > 0 ? above * above / (below * total) : 1;
}

static void print_moving(const struct series *series)
{
    int i;

    printf("  moving:");
    for (i = 0; i + width <= series->count; i++) {
        printf(" %.2f", mean_of(series->values + i, width));
    }
    printf("\n");
}

static void print_outliers(const struct series *series, const struct summary *summary)
{
    int i;
    int found = 0;

    for (i = 0; i < series->count; i++) {
        double distance = magnitude(series->values[i] - summary->median);

        if (summary->deviation > 0 && distance > 2 * summary->deviation) {
            printf("%s %.2f", found == 0 ? "  outliers:" : ",", series->values[i]);
            found++;
        }
    }
    if (found > 0) {
        printf("\n");
    }
}

static void print_bins(const struct series *series, const struct summary *summary)
{
    int bins[BINS] = {0};
    double size = (summary->high - summary->low) / BINS;
    int i;

    for (i = 0; i < series->count; i++) {
        int bin = size > 0 ? (int)((series->values[i] - summary->low) / size) : 0;

        if (bin >= BINS) {
            bin = BINS - 1;
        }
        bins[bin]++;
    }
    printf("  bins:");
    for (i = 0; i < BINS; i++) {
        printf(" %d", bins[i]);
    }
    printf("\n");
}

static const char *trend_name(const struct line *line, const struct summary *summary, int count)
{
    double change = line->slope * (count - 1);

    if (line->fit < 0.5 || magnitude(change) < summary->deviation) {
        return "none";
    }
    return change > 0 ? "rising" : "falling";
}

static void describe(const struct series *series)
{
    struct summary summary;
    struct line line;

    printf("%s: %d values\n", series->name, series->count);
    if (series->count == 0) {
        return;
    }
    summarise(series, &summary);
    fit_line(series, &summary, &line);
    printf("  mean %.3f, deviation %.3f, median %.3f, trimmed %.3f\n", summary.mean,
           summary.deviation, summary.median, summary.trimmed);
    printf("  from %.2f to %.2f\n", summary.low, summary.high);
    printf("  trend %s: %.3f + %.3f i\n", trend_name(&line, &summary, series->count), line.start,
           line.slope);
    if (series->count >= width) {
        print_moving(series);
    }
    print_outliers(series, &summary);
    print_bins(series, &summary);
}

static int add_value(struct series *series, double value, int times)
{
    while (times-- > 0) {
        if (series->count == MAX_VALUES) {
            return 0;
        }
        series->values[series->count++] = value;
    }
    return 1;
}

/* Reads a line; gives 0 if it is not a series. */
static int parse_series(const char *text, struct series *series)
{
    const char *colon = strchr(text, ':');
    size_t length;

    series->count = 0;
    if (colon == NULL || colon == text || colon - text >= MAX_NAME) {
        return 0;
    }
    length = (size_t)(colon - text);
    memcpy(series->name, text, length);
    series->name[length] = '\0';
    text = colon + 1;
    for (;;) {
        char *end;
        double value = strtod(text, &end);
        int times = 1;

        if (end == text) {
            break;
        }
        if (*end == '*') {
            times = (int)strtol(end + 1, &end, 10);
        }
        if (!add_value(series, value, times)) {
            return 0;
        }
        text = end;
    }
    while (isspace((unsigned char)*text)) {
        text++;
    }
    return *text == '\0';
}

static int parse_options(int count, char **arguments)
{
    int i;

    for (i = 1; i + 1 < count; i += 2) {
        if (strcmp(arguments[i], "-w") == 0) {
            width = atoi(arguments[i + 1]);
        } else if (strcmp(arguments[i], "-t") == 0) {
            trim_percent = atoi(arguments[i + 1]);
        } else {
            return 0;
        }
    }
    return i == count && width > 0 && trim_percent >= 0;
}

int main(int count, char **arguments)
{
    char text[1024];
    struct series series;
    int failures = 0;

    if (!parse_options(count, arguments)) {
        fprintf(stderr, "usage: statistics [-w WIDTH] [-t PERCENT]\n");
        return 2;
    }
    while (fgets(text, sizeof text, stdin) != NULL) {
        if (parse_series(text, &series)) {
            describe(&series);
        } else {
            printf("not a series: %s", text);
            failures++;
        }
    }
    return failures > 0;
}
