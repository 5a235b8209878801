internal import PushStore
internal import WireJSON

/// Who wrote a push, a schedule, or decided about one, as the store keeps it: the kind of who it is, and its id.
///
/// The one position that knows what a caller is, so that whatever else can sign in gets a kind of its own here.
struct Maker: Sendable, Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  init(_ caller: Caller) { text = "key:\(caller.id)" }

  /// The maker that people name: an API key by its name or id.
  static func named(_ text: String, _ service: Service) throws(Problem) -> Maker {
    let keys = try service.ask { store throws(StoreError) in try store.keys() }
    guard let key = keys.first(where: { $0.name == text }) ?? keys.first(where: { $0.id.description == text }) else {
      throw Problem(.badRequest, "?author: there is no API key \"\(text.prefix(100))\"")
    }
    return Maker("key:\(key.id)")
  }

  static let schema = Schema.object(
    [
      .required("kind", .string("What it is.", max: 20, example: "key")),
      .required("id", .string("Its id.", max: 20)),
      .optional("name", .string("Its name; absent when it is gone.", max: 200)),
    ], "Who it was.")

  /// The form of the API, with the name that it has now.
  func json(_ service: Service) throws(Problem) -> JSONValue {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return ["kind": "unknown", "id": .string(text)] }
    var object: JSONObject = ["kind": .string(parts[0]), "id": .string(parts[1])]
    let keys = try service.ask { store throws(StoreError) in try store.keys() }
    if let key = keys.first(where: { $0.id.description == parts[1] }) { object["name"] = .string(key.name) }
    return .object(object)
  }
}

extension Call {
  /// Who is the maker of what the request makes; nil on open routes.
  var maker: Maker? { caller.map(Maker.init) }
}
