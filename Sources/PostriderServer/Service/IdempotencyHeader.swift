internal import HTTPServer
internal import Signing
internal import StoreModel

/// The `Idempotency-Key` of a request: the same key with the same request has its effect once.
///
/// A push carries it into the store, where key and push are written together. An API key's text follows from it, so that
/// a repetition is given the same text though only a hash is stored. Apps and devices are found by their names.
struct IdempotencyHeader: Sendable, Hashable {
  /// The longest key taken.
  static let bytesMax = 200

  let text: String

  /// Reads the header; nil when it is absent.
  static func read(_ headers: HTTPHeaders) throws(Problem) -> IdempotencyHeader? {
    guard let bytes = headers.valueBytes("Idempotency-Key") else { return nil }
    guard bytes.count >= 1, bytes.count <= bytesMax, bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
      throw Problem(
        .badRequest,
        "the Idempotency-Key header must be 1 to \(bytesMax) printable ASCII characters, found \(bytes.count)")
    }
    return IdempotencyHeader(text: String(decoding: bytes, as: UTF8.self))
  }

  /// The key for the store: callers do not share keys, and the request is identified by its digest.
  func storeKey(_ call: Call) -> IdempotencyKey {
    let request = call.http
    let key = "\(call.caller?.mark ?? "0"):\(text)"
    return IdempotencyKey(
      key: key,
      fingerprint: SHA256.digest(Array("\(request.method.rawValue) \(request.path)\n".utf8) + request.body),
      digest: IdempotencyHeader.digest(ofKey: key))
  }

  /// The stored form of a key: callers put personal data into keys.
  static func digest(ofKey key: String) -> String { "#" + Base64URL.encode(Array(SHA256.digest(key).prefix(16))) }

  /// Bytes that are the same for the same caller, purpose and key.
  func digest(_ call: Call, purpose: String) -> [UInt8] {
    Array("\(purpose):\(call.caller?.mark ?? "0"):\(text)".utf8)
  }
}
