// What the clipboard's owner asks of libxcb and of the kernel.
#pragma once
#include <sys/select.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <xcb/xcb.h>
#include <xcb/xproto.h>
#include "../CSeif/loader.h"

// No `link`: only what copies to an X clipboard loads libxcb. Each function has the type that the library's own header
// gives it.
#define SEIF_LIBXCB(ENTRY)                                                                                             \
  ENTRY(xcb_connect) ENTRY(xcb_disconnect) ENTRY(xcb_connection_has_error) ENTRY(xcb_get_file_descriptor)              \
  ENTRY(xcb_flush) ENTRY(xcb_generate_id) ENTRY(xcb_get_setup) ENTRY(xcb_setup_roots_iterator)                         \
  ENTRY(xcb_poll_for_event) ENTRY(xcb_wait_for_event) ENTRY(xcb_create_window) ENTRY(xcb_change_property)              \
  ENTRY(xcb_intern_atom) ENTRY(xcb_intern_atom_reply) ENTRY(xcb_set_selection_owner)                                   \
  ENTRY(xcb_get_selection_owner) ENTRY(xcb_get_selection_owner_reply) ENTRY(xcb_send_event)                            \
  ENTRY(xcb_convert_selection) ENTRY(xcb_get_property) ENTRY(xcb_get_property_reply) ENTRY(xcb_get_property_value)     \
  ENTRY(xcb_get_property_value_length) ENTRY(xcb_get_image) ENTRY(xcb_get_image_reply) ENTRY(xcb_get_image_data)       \
  ENTRY(xcb_get_image_data_length) ENTRY(xcb_setup_pixmap_formats) ENTRY(xcb_setup_pixmap_formats_length)              \
  ENTRY(xcb_screen_allowed_depths_iterator) ENTRY(xcb_depth_next) ENTRY(xcb_depth_visuals_iterator)                    \
  ENTRY(xcb_visualtype_next)

SEIF_LIBRARY(libxcb, RTLD_NOW, SEIF_LIBXCB)

// The first screen's root window, by a call that gives a structure by value.
static inline xcb_window_t seif_xcb_root(const seif_libxcb *x, xcb_connection_t *connection) {
  xcb_screen_iterator_t screens = x->xcb_setup_roots_iterator(x->xcb_get_setup(connection));
  return screens.rem > 0 ? screens.data->root : XCB_NONE;
}
// What the pixels of the first screen are made of.
typedef struct {
  xcb_window_t root;
  uint32_t width, height, depth, bits, pad, red, green, blue;
  int is_big_endian;
} seif_xcb_screen;
// Gives 0 where there is no screen, or none whose colours stand in its pixels.
static inline int seif_xcb_look(const seif_libxcb *x, xcb_connection_t *connection, seif_xcb_screen *found) {
  const xcb_setup_t *setup = x->xcb_get_setup(connection);
  xcb_screen_iterator_t screens = x->xcb_setup_roots_iterator(setup);
  if (screens.rem < 1) return 0;
  const xcb_screen_t *screen = screens.data;
  *found = (seif_xcb_screen){.root = screen->root, .width = screen->width_in_pixels,
                             .height = screen->height_in_pixels, .depth = screen->root_depth,
                             .is_big_endian = setup->image_byte_order == XCB_IMAGE_ORDER_MSB_FIRST};
  const xcb_format_t *formats = x->xcb_setup_pixmap_formats(setup);
  for (int i = 0; i < x->xcb_setup_pixmap_formats_length(setup); i++) {
    if (formats[i].depth != screen->root_depth) continue;
    found->bits = formats[i].bits_per_pixel;
    found->pad = formats[i].scanline_pad;
  }
  for (xcb_depth_iterator_t depths = x->xcb_screen_allowed_depths_iterator(screen); depths.rem > 0;
       x->xcb_depth_next(&depths)) {
    for (xcb_visualtype_iterator_t visuals = x->xcb_depth_visuals_iterator(depths.data); visuals.rem > 0;
         x->xcb_visualtype_next(&visuals)) {
      if (visuals.data->visual_id != screen->root_visual) continue;
      if (visuals.data->_class != XCB_VISUAL_CLASS_TRUE_COLOR && visuals.data->_class != XCB_VISUAL_CLASS_DIRECT_COLOR)
        return 0;
      found->red = visuals.data->red_mask;
      found->green = visuals.data->green_mask;
      found->blue = visuals.data->blue_mask;
    }
  }
  return found->red != 0 && found->green != 0 && found->blue != 0;
}
static inline xcb_atom_t seif_xcb_atom(const seif_libxcb *x, xcb_connection_t *connection, const char *name) {
  xcb_intern_atom_cookie_t cookie = x->xcb_intern_atom(connection, 0, (uint16_t)__builtin_strlen(name), name);
  xcb_intern_atom_reply_t *reply = x->xcb_intern_atom_reply(connection, cookie, NULL);
  xcb_atom_t atom = reply ? reply->atom : XCB_NONE;
  free(reply);
  return atom;
}
static inline xcb_window_t seif_xcb_owner(const seif_libxcb *x, xcb_connection_t *connection, xcb_atom_t selection) {
  xcb_get_selection_owner_cookie_t cookie = x->xcb_get_selection_owner(connection, selection);
  xcb_get_selection_owner_reply_t *reply = x->xcb_get_selection_owner_reply(connection, cookie, NULL);
  xcb_window_t owner = reply ? reply->owner : XCB_NONE;
  free(reply);
  return owner;
}
// A window that is never shown: what owns a selection.
static inline xcb_window_t seif_xcb_window(const seif_libxcb *x, xcb_connection_t *connection, xcb_window_t root) {
  xcb_window_t window = x->xcb_generate_id(connection);
  uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
  x->xcb_create_window(connection, 0, window, root, 0, 0, 1, 1, 0, XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT,
                       XCB_CW_EVENT_MASK, &events);
  return window;
}
// Answers a request for a selection; a property of 0 refuses it.
static inline void seif_xcb_answer(const seif_libxcb *x, xcb_connection_t *connection,
                                   const xcb_selection_request_event_t *request, xcb_atom_t property) {
  // The wire has 32 bytes for every event.
  union { xcb_selection_notify_event_t event; char bytes[32]; } answer = {{0}};
  answer.event.response_type = XCB_SELECTION_NOTIFY;
  answer.event.time = request->time;
  answer.event.requestor = request->requestor;
  answer.event.selection = request->selection;
  answer.event.target = request->target;
  answer.event.property = property;
  x->xcb_send_event(connection, 0, request->requestor, XCB_EVENT_MASK_NO_EVENT, answer.bytes);
}

// Connects to a socket of this machine; -1 where that fails.
static inline int seif_clipboard_connect(const char *path) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  if (length >= sizeof name.sun_path) return -1;
  memcpy(name.sun_path, path, length);
  int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor >= 0 && connect(descriptor, (struct sockaddr *)&name, sizeof name) != 0) {
    close(descriptor);
    return -1;
  }
  return descriptor;
}
// Receives bytes, and the descriptors that came with them (at most 28, as many as Wayland sends at once).
// Gives the number of bytes, 0 at the end, -1 on an error.
static inline long seif_clipboard_receive(int descriptor, void *bytes, size_t length, int descriptors[28], int *count) {
  struct iovec piece = {.iov_base = bytes, .iov_len = length};
  union { struct cmsghdr head; char room[CMSG_SPACE(28 * sizeof(int))]; } control;
  struct msghdr message = {
      .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
  long received;
  do received = recvmsg(descriptor, &message, 0x40000000 /* MSG_CMSG_CLOEXEC, of _GNU_SOURCE */);
  while (received < 0 && errno == EINTR);
  *count = 0;
  if (received < 0) return -1;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    int here = (int)((part->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    for (int i = 0; i < here && *count < 28; i++) memcpy(&descriptors[(*count)++], CMSG_DATA(part) + i * sizeof(int), sizeof(int));
  }
  return received;
}
// Sends bytes and one descriptor with them; whether all of it went.
static inline int seif_clipboard_send(int descriptor, const void *bytes, size_t length, int sent) {
  struct iovec piece = {.iov_base = (void *)bytes, .iov_len = length};
  union { struct cmsghdr head; char room[CMSG_SPACE(sizeof(int))]; } control = {{0}};
  struct msghdr message = {
      .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
  struct cmsghdr *part = CMSG_FIRSTHDR(&message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(part), &sent, sizeof sent);
  long count;
  do count = sendmsg(descriptor, &message, MSG_NOSIGNAL);
  while (count < 0 && errno == EINTR);
  return count == (long)length;
}
static inline int seif_clipboard_close_from(int first) { return (int)syscall(436 /* close_range */, first, ~0U, 0); }
