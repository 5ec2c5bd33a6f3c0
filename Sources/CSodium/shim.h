// Types only: the library is loaded when a key is derived (no `link`).
#pragma once
#include <sodium.h>

typedef __typeof__(sodium_init) *seif_sodium_init;
typedef __typeof__(crypto_pwhash) *seif_crypto_pwhash;
