internal import CNGHTTP2
internal import System

/// Reads requests as a server would receive them, for transports other than a connection.
package protocol HTTP2RequestReader {
  /// A request begins.
  mutating func begin(id: UInt64, timeout: Duration)
  /// A header field, pseudo-headers among them.
  mutating func field(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>)
  /// The request ends with its body.
  mutating func end(_ body: UnsafeBufferPointer<UInt8>)
}

extension HTTP2RequestBatch {
  /// Passes each request, field by field, to a reader.
  package func read(_ reader: inout some HTTP2RequestReader) {
    for entry in unsafe storage.entries {
      let template = unsafe storage.templates[Int(entry.template)]
      reader.begin(id: entry.id, timeout: .nanoseconds(entry.timeout))
      var next = unsafe storage.bytes + entry.start
      let path = unsafe UnsafeBufferPointer(start: next, count: Int(entry.pathLength))
      unsafe next += path.count
      var given = 0
      for index in 0..<template.block.count {
        let field = unsafe template.block.fields[index]
        let name = unsafe UnsafeBufferPointer(start: field.name, count: field.namelen)
        if index == template.block.pathIndex {
          unsafe reader.field(name, path)
        } else if index < template.block.firstVariable {
          unsafe reader.field(name, UnsafeBufferPointer(start: field.value, count: field.valuelen))
        } else {
          guard given < Int(entry.valueCount) else { continue }
          let length = unsafe storage.valueLengths[Int(entry.firstLength) + given]
          given += 1
          guard length != BatchStorage.absent else { continue }
          unsafe reader.field(name, UnsafeBufferPointer(start: next, count: Int(length)))
          unsafe next += Int(length)
        }
      }
      if entry.hasBody {
        unsafe reader.end(UnsafeBufferPointer(start: storage.bytes + entry.bodyStart, count: Int(entry.bodyLength)))
      } else {
        unsafe reader.end(UnsafeBufferPointer(start: template.body.start, count: template.body.count))
      }
    }
  }
}
