// Runs the heap of the module natively over random requests, with its own rules and the contents checked: heap_test [SEED] [ROUNDS]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "heap.h"

enum { slots = 500, memory_max = 64 << 20 };

static uint32_t taken;

static int grow(uint32_t size) {
  if (size > memory_max - taken) return 0;
  taken += size;
  return 1;
}

static uint64_t state;

static uint32_t random_below(uint32_t limit) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t)(state >> 33) % limit;
}

static void fail(const char *what, int number) {
  fprintf(stderr, "heap_test: %s %d\n", what, number);
  exit(1);
}

static unsigned char *memory[slots];
static size_t sizes[slots];

static void check_content(int slot) {
  for (size_t i = 0; i < sizes[slot]; i++) {
    if (memory[slot][i] != (unsigned char)(slot * 7 + (int)sizes[slot])) fail("content changed in slot", slot);
  }
}

static void give(int slot) {
  check_content(slot);
  heap_give(memory[slot]);
  memory[slot] = NULL;
  sizes[slot] = 0;
}

static void take(int slot) {
  static const size_t alignments[] = {1, 8, 16, 16, 16, 16, 32, 64, 4096};
  size_t alignment = alignments[random_below(9)];
  uint32_t kind = random_below(100);
  size_t size = kind < 70 ? random_below(200) : kind < 97 ? random_below(20000) : random_below(2 << 20);
  unsigned char *found = heap_take(alignment, size);
  if (!found) return;
  if ((uintptr_t)found % (alignment < 16 ? 16 : alignment)) fail("not aligned to", (int)alignment);
  memory[slot] = found;
  sizes[slot] = size;
  memset(found, (unsigned char)(slot * 7 + (int)size), size);
}

int main(int count, char **arguments) {
  state = count > 1 ? strtoull(arguments[1], NULL, 10) * 2 + 1 : 1;
  unsigned char *base = mmap(NULL, memory_max, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) fail("no memory", 0);
  heap_start(base, 1 << 18, grow);
  int rounds = count > 2 ? atoi(arguments[2]) : 400000;
  uint32_t after_half = 0;
  for (int round = 0; round < rounds; round++) {
    int slot = (int)random_below(slots);
    if (memory[slot]) give(slot);
    else take(slot);
    if (round % 100 == 0) {
      int fault = heap_fault();
      if (fault) fail("broken rule", fault);
    }
    if (round == rounds / 2) after_half = heap_size();
  }
  if (heap_take(16, memory_max) || heap_take(16, SIZE_MAX) || heap_take(SIZE_MAX / 2 + 1, 16)) fail("too much was given", 0);
  for (int slot = 0; slot < slots; slot++) {
    if (memory[slot]) give(slot);
  }
  int fault = heap_fault();
  if (fault) fail("broken rule at the end", fault);
  if (heap_used()) fail("bytes left in use", (int)heap_used());
  // All free memory is one block again.
  size_t all = heap_size() - 16;
  unsigned char *whole = heap_take(16, all - 8);
  if (!whole || heap_size() != taken) fail("free memory is in pieces", 0);
  printf("%u %u\n", after_half, heap_size());
  return 0;
}
