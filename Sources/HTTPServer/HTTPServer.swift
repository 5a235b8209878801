internal import CMicroHTTPD
import Glibc
import Synchronization

/// An HTTP/1.1 server: a few threads, each serving many connections, over libmicrohttpd.
///
/// Requests are handed to an ``HTTPHandler`` complete, with a bounded body; answers may come at once or later from any
/// thread, so that an acknowledgement can wait for a group commit without holding a thread. TLS is a proxy's business.
public final class HTTPServer: Sendable {
  /// The address it listens on, as configured.
  public let host: String
  /// The port it listens on; the system's choice when 0 was configured.
  public let port: UInt16

  private let core: ServerCore
  private let deadlines: PeriodicThread
  /// None once it has stopped.
  private let threads: Mutex<[ServingThread]>

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
    let started = Self.threads(configuration, core, socket.descriptor)
    close(socket.descriptor)
    threads = Mutex(started)
    guard started.count == configuration.threads else {
      stop(drainingFor: .zero)
      throw HTTPServerError(
        code: .system,
        description: "cannot start serving on \(host) port \(port): the system is out of threads or descriptors")
    }
  }

  /// Starts the threads, as many as the system lets; each has a descriptor of its own for the listening socket.
  private static func threads(
    _ configuration: HTTPServerConfiguration, _ core: ServerCore, _ listening: Int32
  ) -> [ServingThread] {
    let limits = configuration.limits
    var options = DaemonCallbacks.options()
    options.idle_timeout_seconds = UInt32(max(1, limits.idleTimeout.components.seconds))
    options.connection_memory_bytes = max(4096, limits.maxHeadBytes)
    let connections = max(configuration.threads, limits.maxConnections)
    var threads: [ServingThread] = []
    for place in 0..<configuration.threads {
      let share = connections / configuration.threads + (place < connections % configuration.threads ? 1 : 0)
      options.max_connections = UInt32(share)
      options.listen_socket = fcntl(listening, F_DUPFD_CLOEXEC, 0)
      guard options.listen_socket >= 0, let thread = ServingThread(options, core) else { break }
      threads.append(thread)
    }
    return threads
  }

  deinit { stop(drainingFor: .zero) }

  /// The number of open connections.
  public var connectionCount: Int { core.registry.count }

  /// Stops: no new connections at once; requests under way may finish within `bound`; the rest is refused with a 503 or
  /// broken off.
  ///
  /// Blocks until all threads have ended; calling it again does nothing. Not to be called by a handler.
  public func stop(drainingFor bound: Duration = .seconds(10)) {
    threads.withLock { threads in
      guard !threads.isEmpty else { return deadlines.stop() }
      core.stopping.store(true, ordering: .sequentiallyConsistent)
      for thread in threads { thread.refuse() }
      let end = monotonicNow() + bound.nanoseconds
      while core.active.load(ordering: .acquiring) > 0 && monotonicNow() < end { usleep(Self.drainPollUs) }
      // The library refuses to stop with suspended connections, so each one is woken first.
      for exchange in core.registry.exchanges { exchange.abort() }
      for thread in threads { thread.stop() }
      threads = []
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
