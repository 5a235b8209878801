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
