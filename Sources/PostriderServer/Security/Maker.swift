internal import StoreModel
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

  /// The authors that people name: people and API keys of that name.
  ///
  /// Emails are not looked for, and nothing is found of a name that nobody has, so that no key learns who else is there.
  static func named(_ text: String, _ service: Service) throws(Problem) -> Set<Author> {
    let people = try service.ask { store throws(StoreError) in try store.accounts() }
    let keys = try service.ask { store throws(StoreError) in try store.keys() }
    return Set(
      people.filter { $0.name == text }.map { .account($0.id) } + keys.filter { $0.name == text }.map { .key($0.id) })
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
