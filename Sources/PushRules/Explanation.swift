public import WireJSON

/// What a provider's answer means, what Postrider does about it, and what an operator should look at next.
public struct Explanation: Sendable, Hashable {
  /// Who answers so.
  public enum Service: String, Sendable, Hashable, CaseIterable {
    /// APNs, for a send to a device.
    case apns
    /// APNs, for a broadcast or a channel request.
    case broadcast = "apns-broadcast"
    /// FCM.
    case fcm
    /// The push service of a browser, which answers with a status alone.
    case webPush = "web-push"
    /// Huawei's Push Kit.
    case huawei
    /// Nobody: it was not sent, or not answered.
    case own = "postrider"

    /// What the documentation calls it.
    var title: String {
      switch self {
      case .apns: "APNs, sends to devices"
      case .broadcast: "APNs, broadcasts and channels"
      case .fcm: "FCM"
      case .webPush: "Push services of browsers"
      case .huawei: "Huawei's Push Kit"
      case .own: "Nobody: not sent, or not answered"
      }
    }
  }

  /// Who answers so.
  public let service: Service
  /// The APNs reason, the FCM error code, the status of a push service for browsers, or Push Kit's code.
  public let reason: String
  /// The HTTP status it comes with; nil when that varies.
  public let status: Int?
  /// What it means.
  public let meaning: String
  /// What Postrider does.
  public let action: String
  /// What to check next.
  public let next: String

  @inline(never)
  init(
    _ service: Service, _ reason: String, _ status: Int?, meaning: String, action: String, next: String
  ) {
    self.service = service
    self.reason = reason
    self.status = status
    self.meaning = meaning
    self.action = action
    self.next = next
  }
}

extension Explanation {
  /// `{"service", "reason", "status", "meaning", "action", "next"}`; `status` is left out when it varies.
  public var json: JSONObject {
    var object: JSONObject = ["service": .string(service.rawValue), "reason": .string(reason)]
    if let status { object["status"] = .number(JSONNumber(status)) }
    object["meaning"] = .string(meaning)
    object["action"] = .string(action)
    object["next"] = .string(next)
    return object
  }
}

/// The table of explanations.
public enum Explanations {
  /// Every explanation, in the order of the documentation.
  public static let all: [Explanation] = apns + broadcast + fcm + webPush + huawei + beyond + own
  #if !hasFeature(Embedded)
    /// What answers mean that have no row of their own.
    static let general: [Explanation] = generalOfBrowsers + generalOfPushKit
  #endif

  /// The explanations of a reason, case and white space aside; several when several services answer so.
  ///
  /// An HTTP status such as `410` finds every reason that comes with it.
  public static func find(_ reason: String) -> [Explanation] {
    if let status = Int(reason) {
      let found = all.filter { $0.status == status || $0.reason == reason }
      #if hasFeature(Embedded)
        return found
      #else
        return found + general(reason, status, besides: found)
      #endif
    }
    #if !_pointerBitWidth(_32)
      // What failed last follows the reason of attempts that are used up.
      if let colon = reason.utf8.firstIndex(of: UInt8(ascii: ":")) {
        return find(String(reason[..<colon])) + find(String(reason[reason.utf8.index(after: colon)...]))
      }
    #endif
    let wanted = folded(reason)
    return all.filter { folded($0.reason) == wanted }
  }

  /// Those of a reason that one of these services gives, the first service's first.
  public static func find(_ reason: String, from services: [Explanation.Service]) -> [Explanation] {
    let found = find(reason)
    return services.flatMap { service in found.filter { $0.service == service } }
  }

  /// The letters and digits in lower case: “Service Unavailable” is printed with and without its space.
  private static func folded(_ text: String) -> [UInt8] {
    text.utf8.compactMap { byte in
      switch byte {
      case 0x41...0x5A: byte + 0x20
      case 0x30...0x39, 0x61...0x7A: byte
      default: nil
      }
    }
  }
}
