// libcurl, whose variadic calls get fixed arguments here.
#pragma once
#include <curl/curl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static inline CURLcode seif_curl_set_long(CURL *curl, CURLoption option, long value) {
  return curl_easy_setopt(curl, option, value);
}
static inline CURLcode seif_curl_set_size(CURL *curl, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(curl, option, value);
}
static inline CURLcode seif_curl_set_text(CURL *curl, CURLoption option, const char *value) {
  return curl_easy_setopt(curl, option, value);
}
static inline CURLcode seif_curl_set_pointer(CURL *curl, CURLoption option, void *value) {
  return curl_easy_setopt(curl, option, value);
}
static inline CURLcode seif_curl_set_list(CURL *curl, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(curl, option, value);
}
// What curl calls with bytes that came, or for bytes to send.
typedef size_t (*seif_curl_data)(char *, size_t, size_t, void *);
static inline CURLcode seif_curl_set_data(CURL *curl, CURLoption option, seif_curl_data function) {
  return curl_easy_setopt(curl, option, function);
}
// What curl calls to send a body once more.
typedef int (*seif_curl_seek)(void *, curl_off_t, int);
static inline CURLcode seif_curl_set_seek(CURL *curl, CURLoption option, seif_curl_seek function) {
  return curl_easy_setopt(curl, option, function);
}
static inline CURLcode seif_curl_get_long(CURL *curl, CURLINFO what, long *value) {
  return curl_easy_getinfo(curl, what, value);
}
// Both arrive in Swift as macros of no type.
static const long seif_curl_basic = CURLAUTH_BASIC, seif_curl_digest = CURLAUTH_DIGEST;
static const long seif_curl_http_1_1 = CURL_HTTP_VERSION_1_1, seif_curl_tls_1_2 = CURL_SSLVERSION_TLSv1_2;

// Memory for libcurl that is overwritten before it is given back: it copies passwords, tokens and heads of requests.
static inline void seif_curl_free(void *memory) {
  if (!memory) return;
  explicit_bzero(memory, malloc_usable_size(memory));
  free(memory);
}
static inline void *seif_curl_realloc(void *memory, size_t length) {
  if (!memory) return malloc(length);
  size_t before = malloc_usable_size(memory);
  void *larger = malloc(length);
  if (!larger) return NULL;
  memcpy(larger, memory, before < length ? before : length);
  seif_curl_free(memory);
  return larger;
}
static inline CURLcode seif_curl_start(void) {
  return curl_global_init_mem(CURL_GLOBAL_DEFAULT, malloc, seif_curl_free, seif_curl_realloc, strdup, calloc);
}
