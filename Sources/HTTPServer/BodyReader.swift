internal import CMicroHTTPD
import Synchronization

/// A body the library pulls from: a producer or a stream.
///
/// Retained by the library's response object.
final class BodyReader: Sendable {
  /// `MHD_CONTENT_READER_END_OF_STREAM`.
  static let ended = -1
  /// `MHD_CONTENT_READER_END_WITH_ERROR`.
  static let failed = -2
  /// Bytes the library asks for at a time.
  private static let blockBytes = 16 * 1024

  private enum Source: Sendable {
    case producer(@Sendable (inout [UInt8]) throws -> Bool)
    case stream(HTTPStream)
  }

  private struct Piece: Sendable {
    var bytes: [UInt8] = []
    var sent = 0
    var isLast = false

    mutating func read(
      into buffer: UnsafeMutableRawBufferPointer, from producer: (inout [UInt8]) throws -> Bool
    ) -> Int {
      while sent == bytes.count {
        if isLast { return BodyReader.ended }
        bytes.removeAll(keepingCapacity: true)
        sent = 0
        do { isLast = try !producer(&bytes) } catch { return BodyReader.failed }
      }
      let count = min(bytes.count - sent, buffer.count)
      bytes.withUnsafeBytes { buffer.copyMemory(from: .init(rebasing: $0[sent..<sent + count])) }
      sent += count
      return count
    }
  }

  private let source: Source
  private let exchange: Exchange
  private let piece = Mutex(Piece())

  private init(_ source: Source, _ exchange: Exchange) {
    self.source = source
    self.exchange = exchange
  }

  /// A response that calls `producer` whenever the client has room.
  static func response(
    producing producer: @escaping @Sendable (inout [UInt8]) throws -> Bool, for exchange: Exchange
  ) -> OpaquePointer? {
    BodyReader(.producer(producer), exchange).makeResponse()
  }

  /// A response that sends what is written to `stream`.
  static func response(streaming stream: HTTPStream, for exchange: Exchange) -> OpaquePointer? {
    let aborted = exchange.state.withLock { state in
      state.stream = stream
      return state.aborted
    }
    if aborted { stream.abort() }
    return BodyReader(.stream(stream), exchange).makeResponse()
  }

  private func makeResponse() -> OpaquePointer? {
    let context = Unmanaged.passRetained(self)
    let response = MHD_create_response_from_callback(
      UInt64.max, Self.blockBytes,
      { context, _, buffer, size in
        guard let context, let buffer else { return BodyReader.failed }
        let reader = Unmanaged<BodyReader>.fromOpaque(context).takeUnretainedValue()
        return reader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
      }, context.toOpaque(),
      { context in
        guard let context else { return }
        Unmanaged<BodyReader>.fromOpaque(context).takeRetainedValue().close()
      })
    if response == nil { context.takeRetainedValue().close() }
    return response
  }

  private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    switch source {
    case .stream(let stream): stream.read(into: buffer, of: exchange.handle)
    case .producer(let producer): piece.withLock { $0.read(into: buffer, from: producer) }
    }
  }

  private func close() {
    if case .stream(let stream) = source { stream.close() }
  }
}
