// The C library's parse as a function of Node, for core_ratio.mjs: parse(input, options), two buffers, is the answer's text.
#include <node_api.h>

#include "postrider.h"

static napi_value parse(napi_env env, napi_callback_info info) {
  napi_value arguments[2], result = NULL;
  size_t count = 2, input_length, options_length, length;
  void *input, *options;
  if (napi_get_cb_info(env, info, &count, arguments, NULL, NULL) != napi_ok || count != 2) return NULL;
  if (napi_get_buffer_info(env, arguments[0], &input, &input_length) != napi_ok) return NULL;
  if (napi_get_buffer_info(env, arguments[1], &options, &options_length) != napi_ok) return NULL;
  uint8_t *answer = postrider_parse(input, input_length, options, options_length, &length);
  napi_create_string_utf8(env, (const char *)answer, length, &result);
  postrider_free(answer);
  return result;
}

NAPI_MODULE_INIT() {
  napi_value function;
  if (napi_create_function(env, "parse", NAPI_AUTO_LENGTH, parse, NULL, &function) != napi_ok) return NULL;
  napi_set_named_property(env, exports, "parse", function);
  return exports;
}
