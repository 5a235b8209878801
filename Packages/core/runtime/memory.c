// What compiled Swift expects of a C library about memory, on WebAssembly without a host.
#include "heap.h"

extern unsigned char __heap_base;

enum { page = 65536, step = 4 * page, no_memory = 12 };

static int is_started;

// The heap is the only one that enlarges the memory, so that what is added is directly behind it.
static int grow_memory(uint32_t size) {
  static uint32_t spare;
  if (!is_started) {
    // What the linker left of the last page, and of further pages it made.
    is_started = 1;
    uint32_t start = ((uint32_t)&__heap_base + 15) & ~15u;
    spare = (uint32_t)__builtin_wasm_memory_size(0) * page - start;
  }
  if (size > spare) {
    uint32_t pages = (size - spare + page - 1) / page;
    if (__builtin_wasm_memory_grow(0, pages) == (__SIZE_TYPE__)-1) return 0;
    spare += pages * page;
  }
  spare -= size;
  return 1;
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (!is_started) {
    unsigned char *start = (unsigned char *)(((uint32_t)&__heap_base + 15) & ~15u);
    heap_start(start, step, grow_memory);
  }
  void *taken = heap_take(alignment, size);
  if (!taken) return no_memory;
  *memory = taken;
  return 0;
}

void free(void *memory) { heap_give(memory); }

// For tests: what is in use, and what the heap has taken of the memory.
__attribute__((export_name("postrider_memory_used"))) uint32_t postrider_memory_used(void) { return heap_used(); }
__attribute__((export_name("postrider_memory_size"))) uint32_t postrider_memory_size(void) { return heap_size(); }

// `memory.copy` and `memory.fill` are calls into the engine, which cost more than a few steps of a loop.
enum { loop_max = 64 };

void *memcpy(void *restrict target, const void *restrict source, size_t count) {
  if (count > loop_max) {
    __builtin_memcpy(target, source, count);
    return target;
  }
  unsigned char *to = target;
  const unsigned char *from = source;
  while (count >= 8) {
    uint64_t word;
    __builtin_memcpy(&word, from, 8);
    __builtin_memcpy(to, &word, 8);
    to += 8;
    from += 8;
    count -= 8;
  }
  while (count--) *to++ = *from++;
  return target;
}

void *memmove(void *target, const void *source, size_t count) {
  __builtin_memmove(target, source, count);
  return target;
}

void *memset(void *target, int value, size_t count) {
  if (count > loop_max) {
    __builtin_memset(target, value, count);
    return target;
  }
  unsigned char *to = target;
  while (count--) *to++ = (unsigned char)value;
  return target;
}

int memcmp(const void *left, const void *right, size_t count) {
  const unsigned char *a = left, *b = right;
  while (count >= 8) {
    uint64_t x, y;
    __builtin_memcpy(&x, a, 8);
    __builtin_memcpy(&y, b, 8);
    if (x != y) break;
    a += 8;
    b += 8;
    count -= 8;
  }
  for (; count; a++, b++, count--) {
    if (*a != *b) return *a < *b ? -1 : 1;
  }
  return 0;
}

size_t strlen(const char *text) {
  const char *last = text;
  while (*last) last++;
  return (size_t)(last - text);
}
