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
  ENTRY(xcb_get_selection_owner) ENTRY(xcb_get_selection_owner_reply) ENTRY(xcb_send_event)

SEIF_LIBRARY(libxcb, RTLD_NOW, SEIF_LIBXCB)

// The first screen's root window, by a call that gives a structure by value.
static inline xcb_window_t seif_xcb_root(const seif_libxcb *x, xcb_connection_t *connection) {
  xcb_screen_iterator_t screens = x->xcb_setup_roots_iterator(x->xcb_get_setup(connection));
  return screens.rem > 0 ? screens.data->root : XCB_NONE;
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
static inline int seif_clipboard_close_from(int first) { return (int)syscall(436 /* close_range */, first, ~0U, 0); }
// Milliseconds since the machine started, its sleep included: a lid that was closed doesn't lengthen a secret's stay.
static inline int64_t seif_clipboard_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
