// Replaces the allocator's entry points by ones that count and pass on to the allocator that the server has, so that a benchmark sees every
// allocation of the Swift runtime too.
#include "CAllocationCounter.h"

#include <errno.h>
#include <jemalloc/jemalloc.h>
#include <stddef.h>

static uint64_t count;

static void note(void) { __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED); }

uint64_t allocation_count(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }

// A size of zero is undefined for jemalloc's own entry points.
static size_t some(size_t size) { return size == 0 ? 1 : size; }

void *malloc(size_t size) {
  note();
  return mallocx(some(size), 0);
}

void *calloc(size_t number, size_t size) {
  note();
  size_t whole;
  if (__builtin_mul_overflow(number, size, &whole)) {
    errno = ENOMEM;
    return NULL;
  }
  return mallocx(some(whole), MALLOCX_ZERO);
}

void *realloc(void *block, size_t size) {
  note();
  return block == NULL ? mallocx(some(size), 0) : rallocx(block, some(size), 0);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note();
  return mallocx(some(size), MALLOCX_ALIGN(alignment));
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  note();
  *block = mallocx(some(size), MALLOCX_ALIGN(alignment));
  return *block == NULL ? ENOMEM : 0;
}
