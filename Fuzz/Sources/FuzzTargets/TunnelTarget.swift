import HTTP2

extension FuzzTarget {
  /// The first byte is the size of the pieces, the rest is what a server or proxy says first.
  static let tunnel = FuzzTarget(
    name: "tunnel", about: "the first HTTP/2 frames and a proxy's response head: pieces do not matter, limits are kept"
  ) { (bytes) throws(FuzzFailure) in
    guard let first = bytes.first else { return }
    let answer = Array(bytes.dropFirst())
    var tunnel = ProxyTunnel(host: "api.push.apple.com", port: 443, proxy: HTTP2Proxy(host: "proxy", port: 8080))
    var taken = 0
    for byte in answer {
      taken += 1
      guard tunnel.take(byte) == .more else { break }
    }
    try expect(taken <= ProxyTunnel.headLimit + 1, "more than the limit of a response head was kept")
    let whole = firstFrame(answer, piece: max(1, answer.count))
    try expect(whole == firstFrame(answer, piece: Int(first) % 11 + 1), "the pieces' size changes the first frame")
    let counted = budget(answer, piece: max(1, answer.count))
    try expect(counted == budget(answer, piece: Int(first) % 11 + 1), "the pieces' size changes the count of frames")
  }

  /// The whole state after the bytes were counted as frames.
  private static func budget(_ bytes: [UInt8], piece: Int) -> String {
    var budget = FrameBudget(preface: 24, now: 0)
    var start = 0
    while start < bytes.count {
      let part = Array(bytes[start..<min(bytes.count, start + piece)])
      start += piece
      _ = part.withUnsafeBufferPointer { budget.read($0, at: 0) }
    }
    return "\(budget)"
  }

  /// The outcome of the bytes: a GOAWAY, or the bytes that went on.
  private static func firstFrame(_ bytes: [UInt8], piece: Int) -> String {
    var reader = FirstFrameReader()
    var passed: [UInt8] = []
    var start = 0
    while start < bytes.count {
      let part = Array(bytes[start..<min(bytes.count, start + piece)])
      start += piece
      switch part.withUnsafeBufferPointer({ reader.read($0) }) {
      case .passing: passed += part
      case .waiting: continue
      case .settled(let held): passed += held
      case .goAway(let frame): return "\(frame.lastStreamID) \(frame.code) \(frame.debugData)"
      }
    }
    return "\(passed)"
  }
}
