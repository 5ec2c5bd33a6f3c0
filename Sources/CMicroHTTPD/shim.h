// libmicrohttpd as it is, and its two calls that take any number of arguments.
#pragma once
#include <sys/types.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <microhttpd.h>

struct seif_mhd_start {
  int listener;
  unsigned int threads;
  unsigned int connections;
  unsigned int connections_per_address;
  unsigned int idle_seconds;
  size_t connection_memory;
  // PEM, ended by zero; both NULL: plain HTTP.
  const char *certificate;
  const char *key;
  MHD_AccessHandlerCallback handler;
  void *context;
  void *(*target)(void *context, const char *uri, struct MHD_Connection *connection);
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
  size_t (*unescape)(void *context, struct MHD_Connection *connection, char *text);
};

static inline struct MHD_Daemon *seif_mhd_start(const struct seif_mhd_start *s) {
  struct MHD_OptionItem options[20];
  int count = 0;
#define SEIF_OPTION(name, number, pointer) options[count++] = (struct MHD_OptionItem){name, (intptr_t)(number), (void *)(pointer)}
  SEIF_OPTION(MHD_OPTION_LISTEN_SOCKET, s->listener, NULL);
  if (s->threads > 1) SEIF_OPTION(MHD_OPTION_THREAD_POOL_SIZE, s->threads, NULL);
  SEIF_OPTION(MHD_OPTION_CONNECTION_LIMIT, s->connections, NULL);
  if (s->connections_per_address > 0) SEIF_OPTION(MHD_OPTION_PER_IP_CONNECTION_LIMIT, s->connections_per_address, NULL);
  SEIF_OPTION(MHD_OPTION_CONNECTION_TIMEOUT, s->idle_seconds, NULL);
  SEIF_OPTION(MHD_OPTION_CONNECTION_MEMORY_LIMIT, s->connection_memory, NULL);
  SEIF_OPTION(MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)s->target, s->context);
  SEIF_OPTION(MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)s->completed, s->context);
  SEIF_OPTION(MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)s->connection, s->context);
  SEIF_OPTION(MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)s->unescape, s->context);
  SEIF_OPTION(MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL);
  SEIF_OPTION(MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, NULL);
  if (s->certificate != NULL) {
    SEIF_OPTION(MHD_OPTION_HTTPS_MEM_CERT, 0, s->certificate);
    SEIF_OPTION(MHD_OPTION_HTTPS_MEM_KEY, 0, s->key);
    SEIF_OPTION(MHD_OPTION_HTTPS_PRIORITIES, 0, "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE");
  }
  SEIF_OPTION(MHD_OPTION_END, 0, NULL);
#undef SEIF_OPTION
  unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO;
  if (s->certificate != NULL) flags |= MHD_USE_TLS;
  return MHD_start_daemon(flags, 0, NULL, NULL, s->handler, s->context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

static inline int seif_mhd_descriptor(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : (int)info->connect_fd;
}

// What the connection was given when it came; NULL: nothing.
static inline void *seif_mhd_socket_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == NULL ? NULL : info->socket_context;
}

static inline const struct sockaddr *seif_mhd_peer(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info == NULL ? NULL : info->client_addr;
}

static inline unsigned int seif_mhd_connection_count(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
  return info == NULL ? 0 : info->num_connections;
}

// Bytes that the other end has taken and given, of a TCP connection; -1: it can't be told. The kernel's `struct tcp_info`
// can't be named: the C library has a shorter one of the same name. Its interface keeps places: linux/tcp.h, Linux 4.1.
static inline int seif_tcp_progress(int descriptor, uint64_t *taken, uint64_t *given) {
  unsigned char info[136];
  socklen_t length = sizeof info;
  if (getsockopt(descriptor, IPPROTO_TCP, 11 /* TCP_INFO */, info, &length) != 0 || length < sizeof info) return -1;
  memcpy(taken, info + 120, sizeof *taken);
  memcpy(given, info + 128, sizeof *given);
  return 0;
}
