// zlib for Swift: the real header, and inline wrappers for what Swift cannot call (deflateInit2, inflateInit2 are macros).
#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H

#include <zlib.h>

// 15 bits of window, and 16 for the gzip wrapper.
static inline int czlib_deflate_init_gzip(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

static inline int czlib_inflate_init_gzip(z_stream *stream) { return inflateInit2(stream, 15 + 16); }

#endif
