#pragma once
#include <stddef.h>
#include <png.h>
#include <turbojpeg.h>
#include <zbar.h>
#include <qrencode.h>
#include "../CSeif/loader.h"

// No `link`: what reads pictures is loaded by a process that does nothing else, and what draws codes by `seif qr` alone.
// Functions with the types that the libraries' own headers give them.
#define SEIF_PNG(ENTRY) ENTRY(png_image_begin_read_from_memory) ENTRY(png_image_finish_read) ENTRY(png_image_free)
#define SEIF_JPEG(ENTRY) ENTRY(tjInitDecompress) ENTRY(tjDecompressHeader3) ENTRY(tjDecompress2) ENTRY(tjDestroy)
#define SEIF_ZBAR(ENTRY)                                                                                               \
  ENTRY(zbar_image_scanner_create) ENTRY(zbar_image_scanner_destroy) ENTRY(zbar_image_scanner_set_config)              \
  ENTRY(zbar_image_create) ENTRY(zbar_image_destroy) ENTRY(zbar_image_set_format) ENTRY(zbar_image_set_size)           \
  ENTRY(zbar_image_set_data) ENTRY(zbar_scan_image) ENTRY(zbar_image_first_symbol) ENTRY(zbar_symbol_next)             \
  ENTRY(zbar_symbol_get_type) ENTRY(zbar_symbol_get_data) ENTRY(zbar_symbol_get_data_length)
#define SEIF_QRENCODE(ENTRY) ENTRY(QRcode_encodeData) ENTRY(QRcode_free)

SEIF_LIBRARY(png, RTLD_NOW, SEIF_PNG)
SEIF_LIBRARY(jpeg, RTLD_NOW, SEIF_JPEG)
SEIF_LIBRARY(zbar, RTLD_NOW, SEIF_ZBAR)
SEIF_LIBRARY(qrencode, RTLD_NOW, SEIF_QRENCODE)

// Macros that aren't imported.
static const unsigned int seif_png_version = PNG_IMAGE_VERSION;
static const unsigned int seif_png_gray = PNG_FORMAT_GRAY;
static const int seif_tj_gray = TJPF_GRAY;
static const int seif_tj_limit_scans = TJFLAG_LIMITSCANS;
static const unsigned long seif_y800 = 'Y' | '8' << 8 | '0' << 16 | (unsigned long)'0' << 24;
