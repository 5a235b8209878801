// Loaded into a server with LD_PRELOAD: answers its look-ups of names from a file, writes down where it connects to, and
// lets nothing out of the machine.
//
//   OUTBOUND_NAMES   lines "name address,address;address": the answers of the first look-up, those of the second and later
//   OUTBOUND_LOG     gets lines "lookup name" and "connect address port"

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void note(const char *word, const char *what, int port) {
  FILE *log = fopen(getenv("OUTBOUND_LOG"), "ae");
  if (!log) abort();
  if (port < 0) fprintf(log, "%s %s\n", word, what);
  else fprintf(log, "%s %s %d\n", word, what, port);
  fclose(log);
}

// How often each name was looked up, by its line.
static int turns[256];

// Copies the addresses of this look-up; 0 when the file does not have the name.
static int known(const char *name, char *addresses, size_t size) {
  FILE *file = fopen(getenv("OUTBOUND_NAMES"), "re");
  if (!file) abort();
  char line[1024], *rest;
  int found = 0;
  for (int number = 0; number < 256 && fgets(line, sizeof line, file); number++) {
    char *one = strtok_r(line, " \n", &rest);
    if (!one || strcasecmp(one, name)) continue;
    char *every = strtok_r(NULL, " \n", &rest);
    int turn = __atomic_fetch_add(&turns[number], 1, __ATOMIC_SEQ_CST);
    char *answer = strtok_r(every, ";", &rest), *next;
    while (turn-- > 0 && (next = strtok_r(NULL, ";", &rest))) answer = next;
    snprintf(addresses, size, "%s", answer);
    found = 1;
    break;
  }
  fclose(file);
  return found;
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
  int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");
  struct addrinfo numeric = {0};
  if (hints) numeric = *hints;
  numeric.ai_flags |= AI_NUMERICHOST;
  if (!name || real(name, service, &numeric, result) == 0) return name ? 0 : real(name, service, hints, result);
  if (hints && hints->ai_flags & AI_NUMERICHOST) return EAI_NONAME;
  pthread_mutex_lock(&lock);
  note("lookup", name, -1);
  char addresses[512], *rest;
  int have = known(name, addresses, sizeof addresses);
  pthread_mutex_unlock(&lock);
  *result = NULL;
  struct addrinfo **end = result;
  for (char *one = have ? strtok_r(addresses, ",", &rest) : NULL; one; one = strtok_r(NULL, ",", &rest)) {
    if (real(one, service, &numeric, end)) continue;
    while (*end) end = &(*end)->ai_next;
  }
  return *result ? 0 : EAI_NONAME;
}

int connect(int descriptor, const struct sockaddr *address, socklen_t length) {
  int (*real)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "connect");
  char text[INET6_ADDRSTRLEN] = "";
  int port, isLoopback;
  if (address->sa_family == AF_INET) {
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
    inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text);
    port = ntohs(v4->sin_port);
    isLoopback = ntohl(v4->sin_addr.s_addr) >> 24 == 127;
  } else if (address->sa_family == AF_INET6) {
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
    inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text);
    port = ntohs(v6->sin6_port);
    isLoopback = IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
  } else {
    return real(descriptor, address, length);
  }
  // A datagram socket that is connected asks for a route only; glibc sorts addresses with it.
  int kind = 0;
  socklen_t size = sizeof kind;
  getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &size);
  if ((kind & 0xF) != SOCK_STREAM) return real(descriptor, address, length);
  pthread_mutex_lock(&lock);
  note("connect", text, port);
  pthread_mutex_unlock(&lock);
  if (isLoopback) return real(descriptor, address, length);
  errno = ECONNREFUSED;
  return -1;
}
