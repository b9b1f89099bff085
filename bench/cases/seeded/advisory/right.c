/*
 * advisory - vertical collision advisory for two aircraft.
 *
 * usage: advisory OWN_ALTITUDE OWN_RATE OTHER_ALTITUDE OTHER_RATE RANGE CLOSURE
 *                 GROUND EQUIPPED INTENT PREVIOUS
 *
 * Altitudes and GROUND (height of the terrain below) are in feet, rates in feet per
 * minute, RANGE in hundredths of a nautical mile, CLOSURE in knots (positive: closing).
 * EQUIPPED is 1 if the other aircraft answers; INTENT is what it announced: 0 nothing,
 * 1 it will climb, 2 it will descend. PREVIOUS is our last advisory: 0 none, 1 climb,
 * 2 descend.
 */
#include <stdio.h>
#include <stdlib.h>

#define LEVELS 6
#define NEVER 9999
#define MAX_RATE 4400
#define MAX_TRACKED 8000
#define CLIMB_RATE 1500
#define DESCEND_FLOOR 1100

enum sense { NONE, CLIMB, DESCEND };
enum threat { CLEAR, OTHER_TRAFFIC, PROXIMATE, TRAFFIC, RESOLUTION };

struct level {
    int number;
    int ceiling;         /* feet above the ground up to which it applies */
    int traffic_tau;     /* seconds */
    int resolution_tau;  /* seconds, 0: no resolution advisories */
    int range_limit;     /* hundredths of a nautical mile */
    int miss_distance;   /* feet that are wanted at the closest point */
};

struct aircraft {
    int altitude;
    int rate;
};

struct encounter {
    struct aircraft own;
    struct aircraft other;
    int range;
    int closure;
    int ground;
    int equipped;
    int intent;
    int previous;
};

struct advice {
    int level;
    int tau;
    enum threat threat;
    enum sense sense;
    int rate;
    int reversal;
};

static const struct level levels[LEVELS] = {
    {2, 1000, 20, 0, 30, 0},
    {3, 2350, 25, 15, 33, 300},
    {4, 5000, 30, 20, 48, 300},
    {5, 10000, 40, 25, 75, 350},
    {6, 20000, 45, 30, 100, 400},
    {7, 99999, 48, 35, 130, 600},
};

static const char *const threat_names[] = {"clear", "other", "proximate", "traffic", "resolution"};
static const char *const sense_names[] = {"none", "climb", "descend"};

static int absolute(int value)
{
    return value < 0 ? -value : value;
}

static int clamp(int value, int low, int high)
{
    if (value < low) {
        return low;
    }
    if (value > high) {
        return high;
    }
    return value;
}

/* The row of the table for this height above the ground. */
static int level_at(int height)
{
    int index = 0;

    while (index < LEVELS - 1 && height > levels[index].ceiling) {
        index++;
    }
    return index;
}

/* Seconds until the aircraft are closer than `limit`. */
static int seconds_to(int range, int closure, int limit)
{
    int left = range - limit;

    if (left <= 0) {
        return 0;
    }
    if (closure <= 0) {
        return NEVER;
    }
    return left * 36 / closure;
}

static int altitude_after(const struct aircraft *aircraft, int seconds)
{
    return aircraft->altitude + aircraft->rate * seconds / 60;
}

static int separation_after(const struct encounter *encounter, int seconds)
{
    int own = altitude_after(&encounter->own, seconds);
    int other = altitude_after(&encounter->other, seconds);

    return absolute(own - other);
}

static int is_close_in_altitude(const struct encounter *encounter, int seconds, int limit)
{
    if (separation_after(encounter, 0) < limit) {
        return 1;
    }
    return seconds < NEVER && separation_after(encounter, seconds) < limit;
}

static enum threat classify(const struct encounter *encounter, const struct level *level, int tau)
{
    int wanted = level->miss_distance;

    if (level->resolution_tau > 0 && tau <= level->resolution_tau
        && is_close_in_altitude(encounter, tau, wanted + 300)) {
        return RESOLUTION;
    }
    if (tau <= level->traffic_tau && is_close_in_altitude(encounter, tau, wanted + 850)) {
        return TRAFFIC;
    }
    if (encounter->range < 600 && separation_after(encounter, 0) < 1200) {
        return PROXIMATE;
    }
    return encounter->closure > 0 ? OTHER_TRAFFIC : CLEAR;
}

/* How far apart the aircraft are after `seconds` if we fly `rate` after five seconds of delay. */
static int miss_with(const struct encounter *encounter, int rate, int seconds)
{
    int delay = seconds < 5 ? seconds : 5;
    struct aircraft own = encounter->own;
    int other = altitude_after(&encounter->other, seconds);

    own.altitude = altitude_after(&own, delay);
    own.rate = rate;
    return altitude_after(&own, seconds - delay) - other;
}

static int may_descend(const struct encounter *encounter)
{
    int height = encounter->own.altitude - encounter->ground;

    if (height < DESCEND_FLOOR) {
        return 0;
    }
    return encounter->previous == DESCEND || height >= DESCEND_FLOOR + 100;
}

static enum sense choose_sense(const struct encounter *encounter, int wanted, int tau)
{
    int above = miss_with(encounter, CLIMB_RATE, tau);
    int below = -miss_with(encounter, -CLIMB_RATE, tau);
    enum sense sense = above >= below ? CLIMB : DESCEND;

    if (encounter->own.altitude > encounter->other.altitude && above >= wanted) {
        sense = CLIMB;
    } else if (encounter->own.altitude < encounter->other.altitude && below >= wanted) {
        sense = DESCEND;
    }
    if (encounter->equipped && encounter->intent != NONE) {
        sense = encounter->intent == CLIMB ? DESCEND : CLIMB;
    }
    if (sense == DESCEND && !may_descend(encounter)) {
        sense = CLIMB;
    }
    return sense;
}

/* The least rate, in steps of 500 feet per minute, that gives the wanted distance. */
static int choose_rate(const struct encounter *encounter, enum sense sense, int wanted, int tau)
{
    int sign = sense == CLIMB ? 1 : -1;
    int rate = 0;
    int current = encounter->own.rate * sign;

    while (rate < MAX_RATE && sign * miss_with(encounter, rate * sign, tau) < wanted) {
        rate += 500;
    }
    if (current > rate) {
        rate = current;
    }
    return sign * clamp(rate, 0, MAX_RATE);
}

static void advise(const struct encounter *encounter, struct advice *advice)
{
    const struct level *level;

    advice->level = level_at(encounter->own.altitude - encounter->ground);
    level = &levels[advice->level];
    advice->tau = seconds_to(encounter->range, encounter->closure, level->range_limit);
    advice->threat = classify(encounter, level, advice->tau);
    advice->sense = NONE;
    advice->rate = encounter->own.rate;
    advice->reversal = 0;
    if (advice->threat == RESOLUTION) {
        advice->sense = choose_sense(encounter, level->miss_distance, advice->tau);
        advice->rate = choose_rate(encounter, advice->sense, level->miss_distance, advice->tau);
        advice->reversal = encounter->previous != NONE && encounter->previous != (int)advice->sense;
    }
}

/* Nothing climbs or sinks faster than MAX_TRACKED. */
static int parse_rate(const char *word)
{
    int rate = atoi(word);

    if (rate > MAX_TRACKED) {
        return MAX_TRACKED;
    }
    if (rate < -MAX_TRACKED) {
        return -MAX_TRACKED;
    }
    return rate;
}

static int parse(char **arguments, struct encounter *encounter)
{
    encounter->own.altitude = atoi(arguments[0]);
    encounter->own.rate = parse_rate(arguments[1]);
    encounter->other.altitude = atoi(arguments[2]);
    encounter->other.rate = parse_rate(arguments[3]);
    encounter->range = atoi(arguments[4]);
    encounter->closure = atoi(arguments[5]);
    encounter->ground = atoi(arguments[6]);
    encounter->equipped = atoi(arguments[7]);
    encounter->intent = atoi(arguments[8]);
    encounter->previous = atoi(arguments[9]);
    if (encounter->range < 0 || encounter->own.altitude < encounter->ground) {
        return -1;
    }
    if (encounter->intent < NONE || encounter->intent > DESCEND) {
        return -1;
    }
    if (encounter->previous < NONE || encounter->previous > DESCEND) {
        return -1;
    }
    return 0;
}

int main(int count, char **arguments)
{
    struct encounter encounter;
    struct advice advice;

    if (count != 11) {
        fprintf(stderr, "usage: advisory OWN_ALTITUDE OWN_RATE OTHER_ALTITUDE OTHER_RATE RANGE "
                        "CLOSURE GROUND EQUIPPED INTENT PREVIOUS\n");
        return 2;
    }
    if (parse(arguments + 1, &encounter) < 0) {
        printf("invalid\n");
        return 1;
    }
    advise(&encounter, &advice);
    printf("level %d, tau %d: %s", levels[advice.level].number, advice.tau,
           threat_names[advice.threat]);
    if (advice.sense != NONE) {
        printf(", %s at %d", sense_names[advice.sense], absolute(advice.rate));
        if (advice.reversal) {
            printf(" (reversal)");
        }
    }
    printf("\n");
    return 0;
}
