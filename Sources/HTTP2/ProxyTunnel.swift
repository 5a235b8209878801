/// The conversation with an HTTP proxy that opens a tunnel (RFC 9110 section 9.3.6): one request, one response head.
package struct ProxyTunnel {
  package enum Step: Equatable {
    case more
    case open
    /// The proxy does not let the connection through, as long as nobody changes something.
    case refused(String)
    /// The proxy, or what it asked, cannot be reached for now.
    case unavailable(String)
  }

  /// The most bytes a proxy's response head may have.
  package static let headLimit = 8192

  let request: [UInt8]
  private let target: String
  private let hasAuthorization: Bool
  private var head: [UInt8] = []

  package init(host: String, port: UInt16, proxy: HTTP2Proxy) {
    target = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    hasAuthorization = proxy.authorization != nil
    var text = "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n"
    if let authorization = proxy.authorization { text += "Proxy-Authorization: \(authorization)\r\n" }
    request = Array((text + "\r\n").utf8)
  }

  /// Takes the next byte of the response.
  package mutating func take(_ byte: UInt8) -> Step {
    head.append(byte)
    if head.count > ProxyTunnel.headLimit {
      return .refused("its answer has more than \(ProxyTunnel.headLimit) bytes of headers")
    }
    guard head.suffix(4).elementsEqual("\r\n\r\n".utf8) || head.suffix(2).elementsEqual("\n\n".utf8) else {
      return .more
    }
    let line = String(decoding: head.prefix { $0 != 13 && $0 != 10 }, as: UTF8.self)
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
      return .refused("it does not speak HTTP/1.1: \"\(line.prefix(80))\"")
    }
    return step(status, "it answered \"\(line.prefix(80))\"")
  }

  private func step(_ status: Int, _ said: String) -> Step {
    switch status {
    case 200..<300: .open
    // Some answer 401, as a server would.
    case 401 where hasAuthorization, 407 where hasAuthorization:
      .refused("\(said) to the user and the password that were given")
    case 401, 407: .refused("\(said); give it a user and a password: http://USER:PASSWORD@HOST:PORT")
    case 403: .refused("\(said); let it open tunnels to \(target)")
    case 408, 429, 500...: .unavailable(said)
    default: .refused(said)
    }
  }
}
