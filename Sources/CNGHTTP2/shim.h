// nghttp2 for Swift.

#ifndef POSTRIDER_CNGHTTP2_SHIM_H
#define POSTRIDER_CNGHTTP2_SHIM_H

#include <nghttp2/nghttp2.h>

#endif
