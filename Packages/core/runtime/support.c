// What compiled Swift expects besides memory: random bytes, wide multiplication, the check of the stack.
#include <stddef.h>
#include <stdint.h>

// SplitMix64 with a state of two words. It only scatters hash tables, so that nobody can prepare keys that collide; the
// host gives the seed, as the module imports nothing.
static uint64_t state[2] = {0x9E3779B97F4A7C15u, 0xD1B54A32D192ED03u};

static uint64_t mixed(uint64_t word) {
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
  return word ^ (word >> 31);
}

static uint64_t next(void) {
  state[0] += 0x9E3779B97F4A7C15u;
  return mixed(state[0] ^ mixed(state[1]));
}

__attribute__((export_name("postrider_seed"))) void postrider_seed(const unsigned char *bytes, size_t count) {
  for (size_t index = 0; index < count; index++) state[index / 8 % 2] = mixed(state[index / 8 % 2] ^ bytes[index]);
}

void arc4random_buf(void *memory, size_t count) {
  unsigned char *bytes = memory;
  uint64_t word = 0;
  for (size_t index = 0; index < count; index++) {
    if (index % 8 == 0) word = next();
    bytes[index] = (unsigned char)(word >> (index % 8 * 8));
  }
}

// The product of two 128-bit numbers, modulo 2^128, out of products of 32 bits.
__int128 __multi3(__int128 left, __int128 right) {
  uint64_t a = (uint64_t)left, b = (uint64_t)right;
  uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
  uint64_t low = a0 * b0;
  uint64_t middle = a1 * b0 + (low >> 32);
  uint64_t other = a0 * b1 + (uint32_t)middle;
  uint64_t high = a1 * b1 + (middle >> 32) + (other >> 32);
  high += (uint64_t)(left >> 64) * b + a * (uint64_t)(right >> 64);
  uint64_t words = (other << 32) | (uint32_t)low;
  return (__int128)((unsigned __int128)high << 64 | words);
}

uintptr_t __stack_chk_guard = 0x5F3C9A17u;

__attribute__((noreturn)) void __stack_chk_fail(void) { __builtin_trap(); }
