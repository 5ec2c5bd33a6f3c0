// libcurl, whose variadic calls get fixed arguments here.
#pragma once
#include <curl/curl.h>

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
