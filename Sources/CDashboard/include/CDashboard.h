// The dashboard's files, compiled into the program: the server needs no folder beside it.
#ifndef POSTRIDER_CDASHBOARD_H
#define POSTRIDER_CDASHBOARD_H

#include <stddef.h>

struct postrider_asset {
  const char *path;
  const char *type;
  const unsigned char *bytes;
  size_t size;
};

// The file at a place in the list; NULL behind the last one.
const struct postrider_asset *postrider_asset_at(size_t index);

#endif
