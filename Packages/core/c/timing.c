// Times the library for Benchmarks/core_ratio.py: timing REQUESTS. The file has the requests of answers.c, all of them `parse`.
// Each line on standard input is answered with the nanoseconds that all requests took.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "postrider.h"

enum { requests_max = 10000 };

static struct {
  uint8_t *bytes;
  size_t input_length, options_length;
} requests[requests_max];

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int main(int count, char **arguments) {
  FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;
  if (!file) return 1;
  size_t length = 0;
  while (length < requests_max &&
         fscanf(file, "parse %zu %zu", &requests[length].input_length, &requests[length].options_length) == 2) {
    size_t all = requests[length].input_length + requests[length].options_length;
    requests[length].bytes = malloc(all + 1);
    if (fgetc(file) != '\n' || fread(requests[length].bytes, 1, all, file) != all) return 1;
    length++;
  }
  char line[16];
  while (fgets(line, sizeof line, stdin)) {
    uint64_t start = now();
    for (size_t i = 0; i < length; i++) {
      size_t answer_length;
      const uint8_t *input = requests[i].bytes;
      postrider_free(postrider_parse(input, requests[i].input_length, input + requests[i].input_length,
                                     requests[i].options_length, &answer_length));
    }
    printf("%llu\n", (unsigned long long)(now() - start));
    fflush(stdout);
  }
  return 0;
}
