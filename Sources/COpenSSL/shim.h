// OpenSSL 3 for Swift: the headers, and one inline function for each macro that Swift cannot call.
// Names: prefix `postrider_`, then the macro's own name.

#ifndef POSTRIDER_COPENSSL_SHIM_H
#define POSTRIDER_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/obj_mac.h>
#include <openssl/objects.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// TLS

static inline long postrider_SSL_set_tlsext_host_name(SSL *ssl, const char *name) {
  return SSL_set_tlsext_host_name(ssl, name);
}
static inline int postrider_SSL_CTX_set_min_proto_version(SSL_CTX *context, int version) {
  return (int)SSL_CTX_set_min_proto_version(context, version);
}
static inline int postrider_SSL_CTX_set_max_proto_version(SSL_CTX *context, int version) {
  return (int)SSL_CTX_set_max_proto_version(context, version);
}
static inline long postrider_SSL_CTX_set_mode(SSL_CTX *context, long mode) {
  return SSL_CTX_set_mode(context, mode);
}
static inline long postrider_SSL_CTX_set_session_cache_mode(SSL_CTX *context, long mode) {
  return SSL_CTX_set_session_cache_mode(context, mode);
}
static inline long postrider_SSL_CTX_add_extra_chain_cert(SSL_CTX *context, X509 *certificate) {
  return SSL_CTX_add_extra_chain_cert(context, certificate);
}
static inline void postrider_SSL_CTX_set_read_ahead(SSL_CTX *context, int on) {
  SSL_CTX_set_read_ahead(context, on);
}

// Options whose macros Swift cannot import.
static const uint64_t postrider_SSL_OP_NO_RENEGOTIATION = SSL_OP_NO_RENEGOTIATION;
static const uint64_t postrider_SSL_OP_NO_COMPRESSION = SSL_OP_NO_COMPRESSION;
static const uint64_t postrider_SSL_OP_NO_TICKET = SSL_OP_NO_TICKET;
static const uint64_t postrider_SSL_OP_IGNORE_UNEXPECTED_EOF = SSL_OP_IGNORE_UNEXPECTED_EOF;

// Memory BIOs

static inline long postrider_BIO_get_mem_data(BIO *bio, char **data) { return BIO_get_mem_data(bio, data); }
static inline int postrider_BIO_pending(BIO *bio) { return (int)BIO_pending(bio); }
static inline int postrider_BIO_reset(BIO *bio) { return (int)BIO_reset(bio); }
static inline long postrider_BIO_set_mem_eof_return(BIO *bio, int value) {
  return BIO_set_mem_eof_return(bio, value);
}

// Keys

static inline EVP_PKEY *postrider_EVP_EC_gen(const char *curve) { return EVP_EC_gen(curve); }
static inline EVP_PKEY *postrider_EVP_RSA_gen(unsigned int bits) { return EVP_RSA_gen(bits); }

// Stacks of certificates and names

static inline int postrider_sk_X509_num(const STACK_OF(X509) *stack) { return sk_X509_num(stack); }
static inline X509 *postrider_sk_X509_value(const STACK_OF(X509) *stack, int index) {
  return sk_X509_value(stack, index);
}
static inline STACK_OF(X509) *postrider_sk_X509_new_null(void) { return sk_X509_new_null(); }
static inline int postrider_sk_X509_push(STACK_OF(X509) *stack, X509 *certificate) {
  return sk_X509_push(stack, certificate);
}
static inline void postrider_sk_X509_pop_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }

// The error queue

static inline int postrider_ERR_GET_REASON(unsigned long code) { return ERR_GET_REASON(code); }
static inline int postrider_ERR_GET_LIB(unsigned long code) { return ERR_GET_LIB(code); }

#endif
