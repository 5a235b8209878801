internal import CMicroHTTPD
import Glibc
import Synchronization

/// An HTTP/1.1 server: a small pool of threads, each serving many connections, over libmicrohttpd.
///
/// Requests are handed to an ``HTTPHandler`` complete, with a bounded body; answers may come at once or later from any
/// thread, so that an acknowledgement can wait for a group commit without holding a thread. TLS is a proxy's business.
public final class HTTPServer: Sendable {
  /// The address it listens on, as configured.
  public let host: String
  /// The port it listens on; the system's choice when 0 was configured.
  public let port: UInt16

  private struct Daemon: @unchecked Sendable {
    // The library locks the daemon itself; it is stopped once, under `daemon`'s lock.
    let pointer: OpaquePointer
  }

  private let core: ServerCore
  private let deadlines: PeriodicThread
  private let daemon: Mutex<Daemon?>

  /// Starts listening and serving.
  ///
  /// - Throws: ``HTTPServerError`` when the address cannot be taken, with what to do about it.
  public init(_ configuration: HTTPServerConfiguration, handler: some HTTPHandler) throws(HTTPServerError) {
    let socket = try ListeningSocket(host: configuration.host, port: configuration.port)
    host = configuration.host
    port = socket.port
    let core = ServerCore(limits: configuration.limits, handler: handler)
    self.core = core
    do throws(HTTPServerError) {
      deadlines = try PeriodicThread(periodMs: Self.periodMs(configuration.limits)) {
        core.registry.enforceDeadlines(now: monotonicNow())
      }
    } catch {
      close(socket.descriptor)
      throw error
    }
    var options = Callbacks.options(core)
    options.listen_socket = socket.descriptor
    options.threads = UInt32(configuration.threads)
    options.max_connections = UInt32(max(configuration.threads, configuration.limits.maxConnections))
    options.max_connections_per_address = UInt32(max(0, configuration.limits.maxConnectionsPerAddress))
    options.idle_timeout_seconds = UInt32(max(1, configuration.limits.idleTimeout.components.seconds))
    options.connection_memory_bytes = max(4096, configuration.limits.maxHeadBytes)
    guard let pointer = postrider_http_start(&options) else {
      deadlines.stop()
      close(socket.descriptor)
      throw HTTPServerError(
        code: .system,
        description: "cannot start serving on \(host) port \(port): the system is out of threads or descriptors")
    }
    daemon = Mutex(Daemon(pointer: pointer))
  }

  deinit { stop(drainingFor: .zero) }

  /// The number of open connections.
  public var connectionCount: Int { core.registry.count }

  /// Stops: no new connections at once; requests under way may finish within `bound`; the rest is refused with a 503 or
  /// broken off.
  ///
  /// Blocks until all threads have ended; calling it again does nothing. Not to be called by a handler.
  public func stop(drainingFor bound: Duration = .seconds(10)) {
    daemon.withLock { daemon in
      guard let running = daemon.take() else { return }
      core.stopping.store(true, ordering: .sequentiallyConsistent)
      let listening = MHD_quiesce_daemon(running.pointer)
      // Shut down and not closed: the daemon's threads still take it out of their epoll sets, and the library ends the
      // process when that fails.
      if listening >= 0 { shutdown(listening, Int32(SHUT_RDWR)) }
      let end = monotonicNow() + bound.nanoseconds
      while core.active.load(ordering: .acquiring) > 0 && monotonicNow() < end { usleep(Self.drainPollUs) }
      // The library refuses to stop with suspended connections, so each one is woken first.
      for exchange in core.registry.exchanges { exchange.abort() }
      MHD_stop_daemon(running.pointer)
      if listening >= 0 { close(listening) }
      deadlines.stop()
    }
  }

  /// How often a stop looks whether the last request is done.
  private static let drainPollUs: UInt32 = 2_000

  /// How often bounds are enforced: four times within the shortest one, at least every second.
  private static func periodMs(_ limits: HTTPLimits) -> Int32 {
    let shortest = min(limits.idleTimeout, limits.requestTimeout, limits.answerTimeout)
    return Int32(max(10, min(1_000, shortest.nanoseconds / 4_000_000)))
  }
}

/// The library's C callbacks.
///
/// The context of each is the server's `ServerCore`, which outlives the daemon.
private enum Callbacks {
  static func options(_ core: ServerCore) -> postrider_http_options {
    var options = postrider_http_options()
    options.context = Unmanaged.passUnretained(core).toOpaque()
    options.on_connection = { context, connection, slot, event in
      Callbacks.connectionChanged(context, connection, slot, event)
    }
    options.on_target = { context, target, connection in
      guard let context, let target, let connection, let record = Callbacks.record(of: connection) else { return nil }
      let exchange = Callbacks.core(context).begin(
        target: target, on: record, handle: ConnectionHandle(pointer: connection))
      return Unmanaged.passRetained(exchange).toOpaque()
    }
    options.on_request = { context, _, _, method, _, data, size, slot in
      guard let context, let method, let size, let state = slot?.pointee else { return .NO }
      let exchange = Unmanaged<Exchange>.fromOpaque(state).takeUnretainedValue()
      let piece = UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : size.pointee)
      size.pointee = 0
      return Callbacks.core(context).advance(exchange, method: method, piece: piece)
    }
    options.on_completed = { context, _, slot, _ in
      guard let context, let slot, let state = slot.pointee else { return }
      slot.pointee = nil
      Callbacks.core(context).end(Unmanaged<Exchange>.fromOpaque(state).takeRetainedValue())
    }
    return options
  }

  static func core(_ context: UnsafeMutableRawPointer) -> ServerCore {
    Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
  }

  static func connectionChanged(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ event: MHD_ConnectionNotificationCode
  ) {
    guard let context, let connection, let slot else { return }
    if event == .CONNECTION_NOTIFY_STARTED {
      let socket = postrider_connection_socket(connection)
      slot.pointee = Unmanaged.passRetained(core(context).connectionOpened(socket: socket)).toOpaque()
    } else if let state = slot.pointee {
      slot.pointee = nil
      core(context).registry.remove(Unmanaged<Connection>.fromOpaque(state).takeRetainedValue())
    }
  }

  static func record(of connection: OpaquePointer) -> Connection? {
    guard let state = postrider_connection_state(connection) else { return nil }
    return Unmanaged<Connection>.fromOpaque(state).takeUnretainedValue()
  }
}
