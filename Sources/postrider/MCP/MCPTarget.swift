import PushContracts
import PushCore
import PushPayload
import WireJSON

/// What a device behind a provider that is none of the platforms gets: a document as the platform reads it that the
/// device has.
struct MCPTarget {
  /// The platforms' names, and those of everything else that a message can be written for.
  static let names = Platform.allCases.map(\.rawValue) + RenderRequest.Target.names
  /// Those whose payloads can be read back: what browsers get is shown by their worker, and has no contract.
  static let parsable = names.filter { $0 != RenderRequest.Target.browsers && $0 != FCMCarrier.web.rawValue }

  /// The platform whose screens the device has.
  let platform: String
  /// The member of a rendering that has the request.
  let member: String
  private let isHuawei: Bool

  /// The target of a name; nil for a platform and for browsers, whose own contents `preview` reads.
  init?(_ name: String) {
    if name == RenderRequest.Target.huawei {
      (platform, member, isHuawei) = (Platform.android.rawValue, "hms", true)
    } else if let carrier = FCMCarrier(rawValue: name) {
      switch carrier {
      case .ios: platform = Platform.ios.rawValue
      case .web: platform = RenderRequest.Target.browsers
      }
      (member, isHuawei) = ("fcm", false)
    } else {
      return nil
    }
  }

  /// A request to the provider in the form that the platform's reader takes.
  func part(of request: JSONValue) -> JSONValue {
    isHuawei ? HuaweiDevice.android(request["message"] ?? request) : request
  }
}
