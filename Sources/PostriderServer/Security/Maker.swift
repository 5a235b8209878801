internal import PushStore
internal import WireJSON

/// Who wrote a push or a schedule last, or decided about one, as the store keeps it: the kind of who it is, and its id.
///
/// A key that belongs to a person is that person here: nobody approves with a key what they wrote themselves.
struct Maker: Sendable, Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  init(_ caller: Caller) {
    if let person = caller.account ?? caller.owner {
      text = "person:\(person)"
    } else {
      text = "key:\(caller.mark)"
    }
  }

  /// The author that people name: a person by name or email, an API key by its name or id.
  static func named(_ text: String, _ service: Service) throws(Problem) -> Author {
    let people = try service.ask { store throws(StoreError) in try store.accounts() }
    if let person = people.first(where: { $0.email == text.lowercased() }) ?? people.first(where: { $0.name == text }) {
      return .account(person.id)
    }
    let keys = try service.ask { store throws(StoreError) in try store.keys() }
    guard let key = keys.first(where: { $0.name == text }) ?? keys.first(where: { $0.id.description == text }) else {
      throw Problem(.badRequest, "?author: there is no person and no API key \"\(text.prefix(100))\"")
    }
    return .key(key.id)
  }

  private var author: Author? {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return nil }
    return switch parts[0] {
    case "person": AccountID(parts[1]).map { .account($0) }
    case "key": APIKeyID(parts[1]).map { .key($0) }
    default: nil
    }
  }

  /// The form of the API, with the name that it has now.
  func json(_ service: Service) throws(Problem) -> JSONValue {
    guard let author else { return ["kind": "key", "id": .string(text)] }
    return AuthorText.json(author, try AuthorText.names([author], service))
  }
}

extension Call {
  /// Who is the maker of what the request makes; nil on open routes.
  var maker: Maker? { caller.map(Maker.init) }
}
