// What compiled Swift expects of the system besides the C library that every Linux has. `arc4random_buf` is in glibc since
// 2.36 only, and the name is not exported from the library.
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

int getentropy(void *memory, size_t count);

// It scatters hash tables once per process; without the system call (Linux before 3.17) the address of the stack and the
// process must do.
void arc4random_buf(void *memory, size_t count) {
  unsigned char *bytes = memory;
  for (size_t done = 0; done < count;) {
    size_t part = count - done < 256 ? count - done : 256;
    if (getentropy(bytes + done, part) != 0) {
      uint64_t word = (uint64_t)(uintptr_t)&part ^ (uint64_t)getpid() << 40;
      for (; done < count; done++) {
        word = word * 6364136223846793005u + 1442695040888963407u;
        bytes[done] = (unsigned char)(word >> 56);
      }
      return;
    }
    done += part;
  }
}

// These two are in libm where the processor has no instruction for them; a program that links the library may do without it.
double trunc(double value) {
  uint64_t bits;
  __builtin_memcpy(&bits, &value, 8);
  int exponent = (int)(bits >> 52 & 0x7FF) - 1023;
  if (exponent >= 52) return value;  // Whole already, infinite, or not a number.
  bits &= exponent < 0 ? 1ull << 63 : ~0ull << (52 - exponent);
  __builtin_memcpy(&value, &bits, 8);
  return value;
}

double ceil(double value) {
  double whole = trunc(value);
  return whole < value ? whole + 1 : whole;
}
