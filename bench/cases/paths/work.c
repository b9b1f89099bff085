/* Work without any symbolic input: sorting, hashing, matrices, strings, a sieve; about a second when compiled with -O0. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned state = 12345;
static unsigned next(void) {
  state = state * 1103515245u + 12345u;
  return state >> 8;
}

static void sort(int *a, int low, int high) {
  if (low >= high)
    return;
  int pivot = a[(low + high) / 2], i = low, j = high;
  while (i <= j) {
    while (a[i] < pivot)
      i++;
    while (a[j] > pivot)
      j--;
    if (i <= j) {
      int t = a[i];
      a[i++] = a[j];
      a[j--] = t;
    }
  }
  sort(a, low, j);
  sort(a, i, high);
}

struct entry {
  struct entry *next;
  unsigned key, count;
};

static unsigned table_work(int rounds) {
  static struct entry *table[4096];
  unsigned found = 0;
  for (int i = 0; i < rounds; i++) {
    unsigned key = next() % 20000, h = (key * 2654435761u) >> 20;
    struct entry *e = table[h];
    while (e && e->key != key)
      e = e->next;
    if (!e) {
      e = malloc(sizeof *e);
      e->key = key;
      e->count = 0;
      e->next = table[h];
      table[h] = e;
    }
    found += e->count++;
  }
  return found;
}

static unsigned matrix_work(int n) {
  static int a[120][120], b[120][120], c[120][120];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[i][j] = (int)(next() % 10);
      b[i][j] = (int)(next() % 10);
    }
  unsigned sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int s = 0;
      for (int k = 0; k < n; k++)
        s += a[i][k] * b[k][j];
      c[i][j] = s;
      sum += (unsigned)s;
    }
  return sum;
}

static unsigned text_work(int rounds) {
  char text[256];
  unsigned sum = 0;
  for (int r = 0; r < rounds; r++) {
    for (int i = 0; i < 255; i++)
      text[i] = (char)('a' + next() % 26);
    text[255] = 0;
    for (char *p = text; *p; p++)
      if (*p == 'e' || (*p >= 'k' && *p < 'p'))
        sum = sum * 31 + (unsigned char)*p;
  }
  return sum;
}

static unsigned sieve(int n) {
  char *marks = calloc((size_t)n, 1);
  unsigned count = 0;
  for (int i = 2; i < n; i++) {
    if (marks[i])
      continue;
    count++;
    for (int j = 2 * i; j < n; j += i)
      marks[j] = 1;
  }
  free(marks);
  return count;
}

static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

int main(void) {
  static int numbers[400000];
  for (int i = 0; i < 400000; i++)
    numbers[i] = (int)next();
  sort(numbers, 0, 399999);
  printf("%d %u %u %u %u %d\n", numbers[1234], table_work(3000000), matrix_work(120), text_work(20000), sieve(5000000),
         fibonacci(32));
  return 0;
}
