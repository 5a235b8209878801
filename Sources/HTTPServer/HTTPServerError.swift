/// Why a server could not start.
public struct HTTPServerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: Sendable, Hashable {
    /// Another process listens on the address and port.
    case portInUse
    /// The port is below the system's unprivileged range and this process may not take it.
    case portNotPermitted
    /// The host is neither an address of this machine nor a name that resolves to one.
    case badHost
    /// The certificate or its key cannot be read, or they do not belong together.
    case badCertificate
    /// The system refused something else (out of descriptors, memory or threads).
    case system
  }

  /// The kind of failure.
  public let code: Code
  /// What failed, where, and what to do about it.
  public let description: String
}
