/* Decides whether an aircraft climbs, descends or keeps its height: twelve integers as arguments, a few conditions on them.
   Of the shape of the collision avoidance programs that are used in studies of fault localisation. */
#include <stdio.h>
#include <stdlib.h>

enum { KEEP = 0, CLIMB = 1, DESCEND = 2 };
enum { MOST_TRACKED_RATE = 600, LEAST_SEPARATION = 300, LEAST_CROSSING = 100 };

struct situation {
  int separation, confident, reports_valid, own_height, own_rate, other_height;
  int layer, up_separation, down_separation, other_answer, other_capability, inhibited;
};

static const int layer_limit[4] = {400, 500, 640, 740};

static int limit_of(const struct situation *s) { return layer_limit[s->layer & 3]; }

static int below(const struct situation *s) { return s->own_height < s->other_height; }

static int above(const struct situation *s) { return s->other_height < s->own_height; }

static int biased_climb(const struct situation *s) {
  return s->inhibited ? s->up_separation + LEAST_CROSSING : s->up_separation;
}

static int climb_does_not_cross(const struct situation *s) {
  int upward = biased_climb(s) > s->down_separation;
  if (upward)
    return !below(s) || (below(s) && !(s->down_separation >= limit_of(s)));
  return above(s) && s->separation >= LEAST_SEPARATION && s->up_separation >= limit_of(s);
}

static int descent_does_not_cross(const struct situation *s) {
  int upward = biased_climb(s) > s->down_separation;
  if (upward)
    return below(s) && s->separation >= LEAST_SEPARATION && s->down_separation >= limit_of(s);
  return !above(s) || (above(s) && s->up_separation >= limit_of(s));
}

static int advise(const struct situation *s) {
  int enabled = s->confident && s->own_rate <= MOST_TRACKED_RATE && s->separation > LEAST_SEPARATION * 2;
  int equipped = s->other_capability == 1;
  int unknown_intent = s->reports_valid && s->other_answer == 0;
  if (!(enabled && ((equipped && unknown_intent) || !equipped)))
    return KEEP;
  int up = climb_does_not_cross(s) && below(s);
  int down = descent_does_not_cross(s) && above(s);
  if (up && down)
    return KEEP;
  return up ? CLIMB : down ? DESCEND : KEEP;
}

int main(int argc, char **argv) {
  if (argc < 13) {
    puts("twelve numbers are needed");
    return 1;
  }
  struct situation s = {atoi(argv[1]), atoi(argv[2]), atoi(argv[3]), atoi(argv[4]),  atoi(argv[5]),  atoi(argv[6]),
                        atoi(argv[7]), atoi(argv[8]), atoi(argv[9]), atoi(argv[10]), atoi(argv[11]), atoi(argv[12])};
  printf("%d\n", advise(&s));
  return 0;
}
