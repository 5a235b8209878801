// The smallest use of the library: reads a payload from the command line and prints what it is.
//     cc example.c -I../../../dist/include ../../../dist/x86_64-linux/libpostrider.a -o example
//     ./example '{"aps":{"alert":"Hi"},"deep_link":"/home"}'
#include <stdio.h>
#include <string.h>

#include "postrider.h"

int main(int count, char **arguments) {
  const char *payload = count > 1 ? arguments[1] : "";
  const char *options = count > 2 ? arguments[2] : "";
  size_t length;
  uint8_t *answer = postrider_parse((const uint8_t *)payload, strlen(payload), (const uint8_t *)options, strlen(options),
                                    &length);
  fwrite(answer, 1, length, stdout);
  putchar('\n');
  postrider_free(answer);
  return 0;
}
