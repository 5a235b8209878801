// Postrider's core: what a push payload means, what a message becomes, and what the providers' rules say of both.
//
//     size_t length;
//     uint8_t *answer = postrider_parse(payload, payload_length, options, options_length, &length);
//     fwrite(answer, 1, length, stdout);
//     postrider_free(answer);
//
// Every function takes an input and options and answers with JSON in UTF-8: what the command `postrider` of the same name
// prints, or {"error": {"kind", "what", "where", "fix"}}. There is an answer for every input. Options are a JSON object
// whose members are named as the command's options are, such as {"platform": "ios", "push_type": "alert"}; docs/core.md
// lists them. No bytes at all, or NULL, are no options.
//
// There is no state between calls, no clock, no file and no network. The functions may be called from several threads of a
// native program at once; an instance of the WebAssembly module is for one thread.
#ifndef POSTRIDER_H
#define POSTRIDER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The version of this interface that this header describes. A library of a larger version may answer otherwise.
#define POSTRIDER_INTERFACE_VERSION 1

// The version of the interface that the library has.
uint32_t postrider_interface_version(void);

// Memory for an input or options, for callers that have none the library can read: those of the WebAssembly module.
// Returns NULL for more than 16 MiB and one byte. Give it back with postrider_free.
void *postrider_alloc(size_t size);

// Gives back an answer, or memory of postrider_alloc. NULL is nothing.
void postrider_free(void *memory);

// Each of the following reads `input_length` bytes at `input` and `options_length` bytes at `options`, at most 16 MiB each,
// and leaves them as they are. The answer is the caller's, who gives it back with postrider_free; its length is stored in
// `answer_length` unless that is NULL, and a zero byte, which the length does not count, follows it.

// A raw payload as a device received it → typed properties.
// Options: platform, contract, push_type, badge.
uint8_t *postrider_parse(const uint8_t *input, size_t input_length, const uint8_t *options, size_t options_length,
                         size_t *answer_length);

// A message of a contract → the requests to APNs and FCM.
// Options: contract (required), platform, topic, token, fid, fcm_topic, condition, apns_id, now, language, campaign,
// options, no_provider_rules.
uint8_t *postrider_render(const uint8_t *input, size_t input_length, const uint8_t *options, size_t options_length,
                          size_t *answer_length);

// A message, payload or request → what the rules say of it, with positions in the input.
// Options: contract, platform, options, push_type, topic, rules, apns_auth, channel_storage, fcm_topic_bytes, as_sent, now,
// file.
uint8_t *postrider_check(const uint8_t *input, size_t input_length, const uint8_t *options, size_t options_length,
                         size_t *answer_length);

// A provider's reason, status or whole answer → what it means and what to do. No options.
uint8_t *postrider_explain(const uint8_t *input, size_t input_length, const uint8_t *options, size_t options_length,
                           size_t *answer_length);

// A payload or message → what devices show of it in each language.
// Options: platform, contract, locales, strings, development_locale, ios_first, ios_missing_argument, app, topic, campaign,
// options, age, collapse_id, push_type, now, format, svg, appearance, surfaces, captions, form.
uint8_t *postrider_preview(const uint8_t *input, size_t input_length, const uint8_t *options, size_t options_length,
                           size_t *answer_length);

// The contracts; with {"show": NAME} one contract's table; with {"diff": [OLD, NEW]} what changes for the message in the
// input when its app moves from one contract to the other.
// Options: show, diff, topic, campaign, now, language, options.
uint8_t *postrider_contracts(const uint8_t *input, size_t input_length, const uint8_t *options, size_t options_length,
                             size_t *answer_length);

#ifdef __wasm__
// Scatters the hash tables of this instance by random bytes of the host, so that nobody can prepare an input whose keys all
// collide. Optional; at most once, before the first request. A native library takes its random bytes from the system.
void postrider_seed(const uint8_t *bytes, size_t length);

// The bytes that are in use, and those that the heap has: for tests of a host.
uint32_t postrider_memory_used(void);
uint32_t postrider_memory_size(void);
#endif

#ifdef __cplusplus
}
#endif

#endif
