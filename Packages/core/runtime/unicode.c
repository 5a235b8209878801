// Normalization, which Swift asks for where it compares text that is not ASCII: there is none. Two texts are the same when their
// bytes are, as they are for both platforms and for the core (Sources/Basics/SameBytes.swift), and the tables, a thirtieth of
// the module, are not needed.
#include <stdint.h>

// No combining class, and the same in both normal forms; so nothing is asked of the two functions below.
uint16_t _swift_stdlib_getNormData(uint32_t scalar) {
  (void)scalar;
  return 0;
}

uint32_t _swift_stdlib_getDecompositionEntry(uint32_t scalar) {
  (void)scalar;
  return 0;
}

uint32_t _swift_stdlib_getComposition(uint32_t first, uint32_t second) {
  (void)first;
  (void)second;
  return UINT32_MAX;
}

const uint8_t *const _swift_stdlib_nfd_decompositions = 0;
