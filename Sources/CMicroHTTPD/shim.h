// libmicrohttpd for Swift: the library's own header, and a typed way to start a daemon, because MHD_start_daemon takes
// its options as C variadic arguments, which Swift cannot pass.
#ifndef POSTRIDER_CMICROHTTPD_H
#define POSTRIDER_CMICROHTTPD_H

#include <sys/types.h>
#include <sys/socket.h>
#include <microhttpd.h>

typedef void *(*postrider_uri_callback)(void *cls, const char *uri, struct MHD_Connection *connection);

struct postrider_http_options {
  int listen_socket;
  unsigned int max_connections;
  unsigned int idle_timeout_seconds;
  size_t connection_memory_bytes;
  void *context;
  postrider_uri_callback on_target;
  MHD_AccessHandlerCallback on_request;
  MHD_RequestCompletedCallback on_completed;
  MHD_NotifyConnectionCallback on_connection;
};

// Leaves the target as it was sent: "%2F" inside a path segment must not become a separator.
static size_t postrider_keep_escapes(void *cls, struct MHD_Connection *connection, char *text) {
  (void)cls;
  (void)connection;
  return __builtin_strlen(text);
}

// A daemon without a thread of its own: MHD_run works on what postrider_http_events shows to be ready.
static inline struct MHD_Daemon *postrider_http_start(const struct postrider_http_options *options) {
  return MHD_start_daemon(
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC, 0, NULL, NULL,
      options->on_request, options->context,
      MHD_OPTION_LISTEN_SOCKET, options->listen_socket,
      MHD_OPTION_CONNECTION_LIMIT, options->max_connections,
      MHD_OPTION_CONNECTION_TIMEOUT, options->idle_timeout_seconds,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->connection_memory_bytes,
      MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_UNESCAPE_CALLBACK, postrider_keep_escapes, NULL,
      MHD_OPTION_URI_LOG_CALLBACK, options->on_target, options->context,
      MHD_OPTION_NOTIFY_COMPLETED, options->on_completed, options->context,
      MHD_OPTION_NOTIFY_CONNECTION, options->on_connection, options->context,
      MHD_OPTION_END);
}

// MHD_get_daemon_info and MHD_get_connection_info are variadic too.
static inline int postrider_http_events(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}

static inline int postrider_connection_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

static inline void *postrider_connection_state(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

#endif
