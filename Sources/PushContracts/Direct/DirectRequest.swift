import PushPayload
import WireJSON

/// A request to read a payload, on the tape.
struct DirectRequest {
  let payload: JSONNode
  private(set) var platform: Platform?
  private(set) var contract: ContractName?
  private(set) var headers: APNsHeaders?

  /// Reads the members of a request; nil where there is one of which something needs to be said.
  init?(_ document: JSONDocument) {
    guard document.kind(document.root) == .object else { return nil }
    var cursor = document.cursor(document.root)
    var seen = DirectBits()
    var found: JSONNode?
    while let (name, value) = document.nextMember(&cursor) {
      guard let index = document.index(of: name, in: DirectRequest.keys), seen.insert(index) else { return nil }
      switch index {
      case 0: found = value
      case 1:
        guard let index = document.index(of: value, in: DirectRequest.platforms) else { return nil }
        platform = Platform.allCases[index]
      case 2:
        guard let index = document.index(of: value, in: DirectRequest.contracts) else { return nil }
        contract = Contracts.names[index]
      default:
        // The other types say of a payload what devices do with it.
        guard document.isString(value, "alert") else { return nil }
        headers = APNsHeaders(pushType: .alert)
      }
    }
    guard let found, headers == nil || platform?.traits.hasHeaders != false else { return nil }
    payload = found
  }

  private static let keys = JSONKeyTable(["payload", "platform", "contract", "push_type"])
  private static let platforms = JSONKeyTable(Platform.allCases.compactMap { JSONKey(keeping: $0.rawValue) })
  private static let contracts = JSONKeyTable(Contracts.names.compactMap { JSONKey(keeping: $0.rawValue) })
}
