#ifndef C_ALLOCATION_COUNTER_H
#define C_ALLOCATION_COUNTER_H

#include <stdint.h>

// Calls of malloc, calloc, realloc, posix_memalign and aligned_alloc in this process so far, by any thread.
uint64_t allocation_count(void);

#endif
