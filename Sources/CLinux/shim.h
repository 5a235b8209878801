// What Swift's Glibc module leaves out of the Linux kernel's interface: epoll, eventfd, prctl; and of glibc's.

#ifndef POSTRIDER_CLINUX_SHIM_H
#define POSTRIDER_CLINUX_SHIM_H

#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <linux/sockios.h>

// prctl is variadic, which Swift cannot call. Names the calling thread; the kernel keeps 15 bytes.
static inline void postrider_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

// The kernel writes no core file of this process, and only a privileged process may trace it or read its memory.
static inline int postrider_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// ioctl is variadic. The bytes that were written to a TCP socket and that the other side has not acknowledged.
static inline int postrider_unacknowledged_bytes(int descriptor) {
  int count = 0;
  return ioctl(descriptor, SIOCOUTQ, &count) == 0 ? count : 0;
}

// Shown by glibc's header to GNU sources only.
extern int accept4(int socket, struct sockaddr *address, socklen_t *address_bytes, int flags);

// glibc's search of bytes in bytes, which its header shows to GNU sources only.
extern void *memmem(const void *haystack, size_t haystack_bytes, const void *needle, size_t needle_bytes);

#endif
