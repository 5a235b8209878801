// Answers requests from standard input, for tests: each is a line "OPERATION INPUT-LENGTH OPTIONS-LENGTH" and the bytes of
// both; each answer is a line with its length, and its bytes. With --threads N every request is answered by N threads at once,
// which must agree.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postrider.h"

enum { threads_max = 64 };

typedef uint8_t *(*operation)(const uint8_t *, size_t, const uint8_t *, size_t, size_t *);

static const struct {
  const char *name;
  operation run;
} operations[] = {{"parse", postrider_parse},     {"render", postrider_render},   {"check", postrider_check},
                  {"explain", postrider_explain}, {"preview", postrider_preview}, {"contracts", postrider_contracts}};

typedef struct {
  operation run;
  const uint8_t *input, *options;
  size_t input_length, options_length;
  uint8_t *answer;
  size_t answer_length;
} request;

static void *answer(void *given) {
  request *r = given;
  r->answer = r->run(r->input, r->input_length, r->options, r->options_length, &r->answer_length);
  return NULL;
}

static void fail(const char *what) {
  fprintf(stderr, "answers: %s\n", what);
  exit(1);
}

static uint8_t *read_bytes(size_t count) {
  uint8_t *bytes = malloc(count + 1);
  if (!bytes || fread(bytes, 1, count, stdin) != count) fail("the request is too short");
  return bytes;
}

static void answer_by_threads(request asked, int count) {
  pthread_t threads[threads_max];
  request requests[threads_max] = {{0}};
  for (int i = 0; i < count; i++) {
    requests[i] = asked;
    if (pthread_create(&threads[i], NULL, answer, &requests[i])) fail("no thread");
  }
  for (int i = 0; i < count; i++) {
    pthread_join(threads[i], NULL);
    const request *first = &requests[0], *r = &requests[i];
    if (r->answer_length != first->answer_length || memcmp(r->answer, first->answer, r->answer_length)) {
      fail("threads have different answers");
    }
  }
  printf("%zu\n", requests[0].answer_length);
  fwrite(requests[0].answer, 1, requests[0].answer_length, stdout);
  for (int i = 0; i < count; i++) postrider_free(requests[i].answer);
}

int main(int count, char **arguments) {
  int threads = count == 3 && !strcmp(arguments[1], "--threads") ? atoi(arguments[2]) : 1;
  if (threads < 1 || threads > threads_max) fail("--threads takes 1 to 64");
  if (postrider_interface_version() != POSTRIDER_INTERFACE_VERSION) fail("the library has another interface");
  char name[16];
  request asked;
  while (scanf("%15s %zu %zu", name, &asked.input_length, &asked.options_length) == 3) {
    getchar();
    asked.run = NULL;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
      if (!strcmp(operations[i].name, name)) asked.run = operations[i].run;
    }
    if (!asked.run) fail("no such operation");
    uint8_t *input = read_bytes(asked.input_length), *options = read_bytes(asked.options_length);
    asked.input = input;
    asked.options = options;
    answer_by_threads(asked, threads);
    free(input);
    free(options);
  }
  return 0;
}
