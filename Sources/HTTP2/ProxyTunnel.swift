/// The conversation with an HTTP proxy that opens a tunnel (RFC 9110 section 9.3.6): one request, one response head.
package struct ProxyTunnel {
  package enum Step: Equatable {
    case more
    case open
    case refused(String)
  }

  /// The most bytes a proxy's response head may have.
  package static let headLimit = 8192

  let request: [UInt8]
  private var head: [UInt8] = []

  package init(host: String, port: UInt16, proxy: HTTP2Proxy) {
    let target = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
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
    return (200..<300).contains(status) ? .open : .refused("it answered \"\(line.prefix(80))\"")
  }
}
