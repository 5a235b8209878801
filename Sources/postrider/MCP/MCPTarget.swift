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
  private let target: RenderRequest.Target

  /// The target of a name; nil for a platform and for browsers, whose own contents `preview` reads.
  init?(_ name: String) {
    guard name != RenderRequest.Target.browsers, let target = RenderRequest.Target(name, topic: { _ in nil }) else {
      return nil
    }
    (platform, member, self.target) = (target.platform, target.member, target)
  }

  /// A request to the provider in the form that the platform's reader takes.
  func part(of request: JSONValue) -> JSONValue { target.read(request) }
}
