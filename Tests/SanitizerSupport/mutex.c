// Swift's Mutex takes its contended paths in libswiftSynchronization, which is not instrumented: there the kernel hands the lock
// over, so that the thread sanitizer sees no order between the two owners and calls what the lock protects a race. These three
// functions stand before those of the library, call them, and say what they did.
//
// They follow Swift's calling convention, with the lock in the register of `self`, which C has no name for; hence assembly.

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

void *sanitizer_support_lock;
void *sanitizer_support_try_lock;
void *sanitizer_support_unlock;

static void *library(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) abort();  // The library is another one: without its functions no lock works.
  return found;
}

__attribute__((constructor)) static void find(void) {
  sanitizer_support_lock = library(LOCK);
  sanitizer_support_try_lock = library(TRY_LOCK);
  sanitizer_support_unlock = library(UNLOCK);
}

#define FUNCTION(name, body) \
  __asm__(".text\n.globl \"" name "\"\n.type \"" name "\", @function\n\"" name "\":\n" body)

#if defined(__x86_64__)
FUNCTION(LOCK,
         "pushq %r13\n"
         "callq *sanitizer_support_lock(%rip)\n"
         "popq %rdi\n"
         "jmp __tsan_acquire@PLT\n");
FUNCTION(TRY_LOCK,
         "pushq %r13\n"
         "callq *sanitizer_support_try_lock(%rip)\n"
         "popq %rdi\n"
         "testb $1, %al\n"
         "je 1f\n"
         "pushq %rax\n"
         "callq __tsan_acquire@PLT\n"
         "popq %rax\n"
         "1: retq\n");
FUNCTION(UNLOCK,
         "pushq %r13\n"
         "movq %r13, %rdi\n"
         "callq __tsan_release@PLT\n"
         "popq %r13\n"
         "jmpq *sanitizer_support_unlock(%rip)\n");
#else
#error "the registers of this machine are not known here"
#endif

#endif
#endif
