// The allocator of the programs: linked first, it stands in for the C library's `malloc` and `free` in the whole process.
//
// What a request needs is allocated on one thread and freed on another (a serving thread, the writer, a pool), which the C
// library's allocator pays for with locks and with merging what it gets back.
#include <jemalloc/jemalloc.h>
