import Glibc
import Synchronization
internal import TLS

/// The certificate that a server shows its clients, from two files; it is read again when they change.
///
/// Connections that are open keep the certificate that they began with.
public final class ServerCertificate: Sendable {
  /// What a look at the files found.
  public enum Change: Sendable, Hashable {
    /// They are as they were.
    case none
    /// A new certificate is in use.
    case loaded
    /// They cannot be used; the certificate before stays in use.
    case failed(String)
  }

  /// What a file is known by: when one of these changes, its content may have.
  private struct Stamp: Equatable {
    var device: UInt = 0
    var inode: UInt = 0
    var size = 0
    var seconds = 0
    var nanoseconds = 0
  }

  private struct State {
    var context: TLSContext
    /// Of the files that were read last, whether they could be used or not.
    var read: [Stamp]
    /// Of the last look.
    var seen: [Stamp]
  }

  private let certificatePath: String
  private let keyPath: String
  private let state: Mutex<State>

  /// The largest file that is read, in bytes.
  private static let bytesMax = 1_048_576

  /// Reads a certificate, its chain after it, and its key, both PEM.
  ///
  /// - Throws: ``HTTPServerError`` when a file cannot be read, or the key does not belong to the certificate.
  public init(certificatePath: String, keyPath: String) throws(HTTPServerError) {
    self.certificatePath = certificatePath
    self.keyPath = keyPath
    let stamps = [Self.stamp(certificatePath), Self.stamp(keyPath)]
    state = Mutex(State(context: try Self.load(certificatePath, keyPath), read: stamps, seen: stamps))
  }

  /// When the certificate in use expires, in seconds since 1970; nil when it does not say.
  public var expiresAt: Int64? { context.certificateExpiry }

  /// The settings for a new connection.
  var context: TLSContext { state.withLock { $0.context } }

  /// Looks at the files, and reads them when they have changed since they were read, but not since the last look: whoever
  /// replaces them may need some time for both.
  public func refresh() -> Change {
    let stamps = [Self.stamp(certificatePath), Self.stamp(keyPath)]
    return state.withLock { state in
      let isSettled = stamps == state.seen
      state.seen = stamps
      guard isSettled, stamps != state.read else { return .none }
      state.read = stamps
      do throws(HTTPServerError) {
        state.context = try Self.load(certificatePath, keyPath)
        return .loaded
      } catch { return .failed(error.description) }
    }
  }

  private static func load(_ certificatePath: String, _ keyPath: String) throws(HTTPServerError) -> TLSContext {
    let identity = TLSIdentity(
      certificatePEM: try content(certificatePath, isSecret: false), keyPEM: try content(keyPath, isSecret: true))
    do throws(TLSError) {
      return try TLSContext.server(identity: identity, alpn: ["http/1.1"], holdsBuffers: false)
    } catch { throw unusable("\(certificatePath) with \(keyPath): \(error.description)") }
  }

  private static func content(_ path: String, isSecret: Bool) throws(HTTPServerError) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { close(descriptor) }
    var status = stat()
    if isSecret, unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IROTH != 0 {
      throw unusable("everyone on this machine may read the private key \(path): chmod 600 \(path)")
    }
    var bytes = [UInt8](repeating: 0, count: bytesMax + 1)
    var count = 0
    while count < bytes.count {
      let more = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(descriptor, buffer.baseAddress.map { unsafe $0 + count }, buffer.count - count)
      }
      if more < 0, errno == EINTR { continue }
      guard more >= 0 else { throw unreadable(path) }
      if more == 0 { break }
      count += more
    }
    guard count <= bytesMax else {
      throw unusable(
        "\(path): more than \(bytesMax) bytes; PEM text of one certificate chain or key is wanted")
    }
    return Array(bytes[..<count])
  }

  private static func unreadable(_ path: String) -> HTTPServerError {
    unusable(unsafe "cannot read \(path): \(String(cString: strerror(errno)))")
  }

  private static func unusable(_ why: String) -> HTTPServerError {
    HTTPServerError(code: .badCertificate, description: why)
  }

  private static func stamp(_ path: String) -> Stamp {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return Stamp() }
    return Stamp(
      device: UInt(status.st_dev), inode: UInt(status.st_ino), size: Int(status.st_size),
      seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
  }
}
