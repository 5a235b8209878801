// The memory of the module: two-level segregated free lists with boundary tags, one thread.
//
// Every free block is in the list of its size, and neighbors that are free are one block, so that memory that was given
// back is used again whatever the sizes are. Taking and giving back touch a bounded number of blocks.
#ifndef POSTRIDER_HEAP_H
#define POSTRIDER_HEAP_H

#include <stddef.h>
#include <stdint.h>

// Makes the heap `size` bytes larger, directly behind what it has. Returns false when there is no memory.
typedef int (*heap_grow)(uint32_t size);

// Starts an empty heap at `base`, which is aligned to 16 bytes, in memory that `grow` enlarges by multiples of `step`.
void heap_start(unsigned char *base, uint32_t step, heap_grow grow);

// Memory of `size` bytes at a multiple of `alignment`, a power of two; NULL when there is none.
void *heap_take(size_t alignment, size_t size);

// Gives memory back; NULL is nothing.
void heap_give(void *memory);

// The bytes that are in use, with their headers.
uint32_t heap_used(void);

// The bytes that the heap has.
uint32_t heap_size(void);

// Checks every block and list; 0 when the heap is sound, else the number of the rule that is broken. For tests.
int heap_fault(void);

#endif
