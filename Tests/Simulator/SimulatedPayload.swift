import PushStore
import StoreModel

/// The payloads of simulated pushes: each says which push it belongs to, by a number of six digits before its last braces.
enum SimulatedPayload {
  private static let fcmPrefix = Array(#"{"message":{"token":""#.utf8)

  static func make(marker: Int64) -> [RenderedPayload] {
    let number = Array(String(1_000_000 + marker).utf8.dropFirst())
    let headers: [RenderedPayload.Header] = [
      .init("apns-push-type", "alert"), .init("apns-priority", "10"), .init("apns-topic", "com.example.app"),
    ]
    let apns = Array(#"{"aps":{"alert":""#.utf8) + number + Array(#""}}"#.utf8)
    let fcm = fcmPrefix + Array(#"","data":{"m":""#.utf8) + number + Array(#""}}}"#.utf8)
    return [
      RenderedPayload(kinds: [.ios], headers: headers, body: apns),
      RenderedPayload(kinds: [.android], body: fcm, tokenOffset: fcmPrefix.count),
    ]
  }

  static func marker(in body: UnsafeBufferPointer<UInt8>) -> Int64 {
    let digits = body.reversed().drop { $0 < 0x30 || $0 > 0x39 }.prefix(6).reversed()
    return digits.reduce(0) { $0 * 10 + Int64($1) - 0x30 }
  }

  static func token(in body: UnsafeBufferPointer<UInt8>) -> String {
    String(decoding: body.dropFirst(fcmPrefix.count).prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
  }
}
