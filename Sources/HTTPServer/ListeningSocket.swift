internal import CLinux
import Glibc

/// A bound, listening TCP socket.
struct ListeningSocket {
  let descriptor: Int32
  let port: UInt16

  /// Connections the system queues before they are accepted.
  private static let backlog: Int32 = 1024

  /// Binds the first address of `host` that works.
  init(host: String, port: UInt16) throws(HTTPServerError) {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let status = unsafe getaddrinfo(host, String(port), &hints, &list)
    guard status == 0, let list = unsafe list else {
      throw HTTPServerError(
        code: .badHost,
        description: unsafe "cannot listen on host \"\(host)\": \(String(cString: gai_strerror(status)));"
          + " give an address of this machine such as 127.0.0.1, or 0.0.0.0 for all of them")
    }
    defer { unsafe freeaddrinfo(list) }
    var candidate: UnsafeMutablePointer<addrinfo>? = unsafe list
    var reason = EADDRNOTAVAIL
    while let info = unsafe candidate {
      switch unsafe Self.open(info.pointee) {
      case .success(let descriptor):
        self.descriptor = descriptor
        self.port = Self.localPort(descriptor)
        return
      case .failure(let error): reason = error.number
      }
      unsafe candidate = unsafe info.pointee.ai_next
    }
    throw Self.explain(reason, host: host, port: port)
  }

  private struct SystemError: Error { let number: Int32 }

  private static func open(_ info: addrinfo) -> Result<Int32, SystemError> {
    let kind = unsafe info.ai_socktype | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = unsafe socket(info.ai_family, kind, info.ai_protocol)
    guard descriptor >= 0 else { return .failure(SystemError(number: errno)) }
    var on: Int32 = 1
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard unsafe bind(descriptor, info.ai_addr, info.ai_addrlen) == 0, listen(descriptor, backlog) == 0 else {
      let number = errno
      close(descriptor)
      return .failure(SystemError(number: number))
    }
    return .success(descriptor)
  }

  private static func localPort(_ descriptor: Int32) -> UInt16 {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return unsafe withUnsafeMutablePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = unsafe getsockname(descriptor, $0, &length)
      }
      // The port has the same offset in IPv4 and IPv6 addresses.
      return unsafe pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        unsafe UInt16(bigEndian: $0.pointee.sin_port)
      }
    }
  }

  private static func explain(_ number: Int32, host: String, port: UInt16) -> HTTPServerError {
    let prefix = "cannot listen on \(host) port \(port): "
    switch number {
    case EADDRINUSE:
      return HTTPServerError(
        code: .portInUse,
        description: prefix + "the port is in use; stop the other program or choose another port")
    case EACCES, EPERM:
      return HTTPServerError(
        code: .portNotPermitted,
        description: prefix + "this user may not take the port; choose one from 1024 on, or put a proxy in front")
    case EADDRNOTAVAIL, EAFNOSUPPORT:
      return HTTPServerError(
        code: .badHost,
        description: prefix + "the address does not belong to this machine; 0.0.0.0 means all of its own"
      )
    default:
      return unsafe HTTPServerError(code: .system, description: prefix + String(cString: strerror(number)))
    }
  }
}
