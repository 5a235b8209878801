internal import GatewayPool
package import HTTP2
internal import PushPayload

/// What whoever carries a batch needs of it.
extension FCMBatch {
  /// About how many bytes one of its requests has, without the path.
  package var requestBytes: Int {
    let texts = texts.map { $0.bytesCount / max($0.count, 1) } ?? 0
    return template.body.body.count + FCMBatch.targetBytesGuess + texts
  }

  /// The caller's number of a send.
  package func tag(of entry: Int) -> UInt64 { entries[entry].tag }

  /// Whether a send was taken back.
  package func isRecalled(_ entry: Int) -> Bool { recall?.contains(entries[entry].tag) ?? false }

  /// Writes the body of a send.
  package func writeBody(of entry: Int, to wire: inout HTTP2RequestBatch) {
    let send = entries[entry]
    let start = Int(send.start)
    let targets = targets
    let target = targets.span.extracting(start..<start + Int(send.length))
    if let gapped = template.gapped, let texts {
      let row = rows[entry]
      gapped.prefix.write(texts, row: row, to: &wire)
      wire.body(target)
      gapped.suffix.write(texts, row: row, first: gapped.prefix.gaps.count, to: &wire)
    } else {
      let (body, offset) = (template.body.body, template.body.offset)
      wire.body(body.span.extracting(..<offset))
      wire.body(target)
      wire.body(body.span.extracting(offset...))
    }
  }

  /// The target of a send, as it is in the text of JSON: with its escapes, if it has any.
  package func target(of entry: Int) -> [UInt8] {
    let send = entries[entry]
    return Array(targets[Int(send.start)..<Int(send.start) + Int(send.length)])
  }

  /// The body of a send, for who does not write it to a connection of HTTP/2.
  package func body(of entry: Int) -> [UInt8] {
    let send = entries[entry]
    let target = targets[Int(send.start)..<Int(send.start) + Int(send.length)]
    guard let gapped = template.gapped, let texts else {
      return Array(template.body.prefix) + target + template.body.suffix
    }
    return gapped.prefix.filled(texts, row: rows[entry]) + target
      + gapped.suffix.filled(texts, row: rows[entry], first: gapped.prefix.gaps.count)
  }
}
