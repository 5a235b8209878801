import Glibc
import Synchronization

/// An HTTP/1.1 server: a few threads, each serving many connections.
///
/// Requests are passed to an ``HTTPHandler`` complete, with a bounded body; answers may come immediately or later from
/// any thread, so that an acknowledgement can wait for a group commit without blocking a thread. It speaks TLS itself when
/// it has a certificate.
public final class HTTPServer: Sendable {
  /// The address it listens on, as configured.
  public let host: String
  /// The port it listens on; the system's choice when 0 was configured.
  public let port: UInt16
  /// Whether it speaks TLS.
  public var isSecure: Bool { core.certificate != nil }

  private let core: ServerCore
  /// None once it has stopped.
  private let threads: Mutex<[ServingThread]>

  /// Starts listening and serving.
  ///
  /// - Throws: ``HTTPServerError`` when the address cannot be taken, with what to do about it.
  public init(_ configuration: HTTPServerConfiguration, handler: some HTTPHandler) throws(HTTPServerError) {
    let socket = try ListeningSocket(host: configuration.host, port: configuration.port)
    host = configuration.host
    port = socket.port
    core = ServerCore(configuration, handler: handler)
    let started = Self.threads(configuration.threads, core, socket.descriptor)
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
  private static func threads(_ count: Int, _ core: ServerCore, _ listening: Int32) -> [ServingThread] {
    let loops = (0..<count).compactMap { _ -> ServingLoop? in
      let listener = fcntl(listening, F_DUPFD_CLOEXEC, 0)
      return listener >= 0 ? ServingLoop(listener: listener, core: core) : nil
    }
    for loop in loops { loop.peers = loops }
    let threads = loops.compactMap { ServingThread($0) }
    return threads
  }

  deinit { stop(drainingFor: .zero) }

  /// The number of open connections.
  public var connectionCount: Int { core.table.count }

  /// The bytes of memory that the bodies of requests take now.
  public var bodyBytes: Int { core.bodies.usedBytes }

  /// Stops: no new connections at once; requests under way may finish within `bound`; the rest is refused with a 503 or
  /// broken off.
  ///
  /// Blocks until all threads have ended; calling it again does nothing. Not to be called by a handler.
  public func stop(drainingFor bound: Duration = .seconds(10)) {
    threads.withLock { threads in
      guard !threads.isEmpty else { return }
      core.stopping.store(true, ordering: .sequentiallyConsistent)
      for thread in threads { thread.refuse() }
      let end = monotonicNow().addingSaturated(bound.nanoseconds)
      while core.active.load(ordering: .acquiring) > 0 && monotonicNow() < end { usleep(Self.drainPollUs) }
      for thread in threads { thread.stop() }
      threads = []
    }
  }

  /// How often a stop looks whether the last request is done.
  private static let drainPollUs: UInt32 = 2_000
}
