// libcurl for Swift: the real header, and inline wrappers for what Swift cannot call (variadic functions).
#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

#include <curl/curl.h>

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

// Certificate authorities as PEM text, and no others: the folder of the system's own is left out too.
static inline CURLcode ccurl_set_authorities(CURL *easy, const void *pem, size_t count) {
  struct curl_blob blob = {(void *)pem, count, CURL_BLOB_COPY};
  CURLcode code = curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &blob);
  return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_CAPATH, NULL) : code;
}

static inline CURLcode ccurl_set_list(CURL *easy, struct curl_slist *list) {
  return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, list);
}

// Header fields for the proxy alone: the server behind it does not get them.
static inline CURLcode ccurl_set_proxy_list(CURL *easy, struct curl_slist *list) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
  return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_PROXYHEADER, list) : code;
}

static inline CURLcode ccurl_set_body(CURL *easy, const char *bytes, long count) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, count);
  // An empty buffer may have no address, and a null address would make the library read a body from somewhere else.
  return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, bytes ? bytes : "") : code;
}

static inline CURLcode ccurl_set_reader(CURL *easy, size_t (*read)(char *, size_t, size_t, void *), void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, read);
  return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_WRITEDATA, context) : code;
}

static inline CURLcode ccurl_set_source(CURL *easy, size_t (*next)(char *, size_t, size_t, void *), void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_READFUNCTION, next);
  return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_READDATA, context) : code;
}

static inline CURLcode ccurl_set_upload_size(CURL *easy, long long count) {
  return curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)count);
}

// What a source answers to break the request off; a macro with a cast is nothing to Swift.
static inline size_t ccurl_source_abort(void) { return CURL_READFUNC_ABORT; }

static inline CURLcode ccurl_set_dialer(
    CURL *easy, curl_socket_t (*dial)(void *, curlsocktype, struct curl_sockaddr *), void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, dial);
  return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context) : code;
}

static inline long ccurl_status(CURL *easy) {
  long status = 0;
  return curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}

// Seconds, of a number or a date; 0 without the header.
static inline long ccurl_retry_after(CURL *easy) {
  curl_off_t seconds = 0;
  return curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK ? (long)seconds : 0;
}

// The value of the last header of that name, of the final answer; it lives as long as the transfer.
static inline const char *ccurl_header(CURL *easy, const char *name) {
  struct curl_header *header = NULL;
  return curl_easy_header(easy, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK ? header->value : NULL;
}

static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_double(CURL *easy, CURLINFO info, double *value) {
  return curl_easy_getinfo(easy, info, value);
}

// The result of a transfer that has ended lies in a union.
static inline CURLcode ccurl_result(const CURLMsg *message) { return message->data.result; }

static inline const struct sockaddr *ccurl_address(const struct curl_sockaddr *address) { return &address->addr; }

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

#endif
