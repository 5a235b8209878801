internal import StoreModel
internal import WireJSON

/// Authors as the API shows them.
enum AuthorText {
  static let schema = Schema.object(
    [
      .required("kind", .choice(["person", "key", "schedule"], "What it is.")),
      .required("id", .string("Its id.", max: 20)),
      .optional("name", .string("Its name; that of a person also after they were removed.", min: 0)),
    ], "Who made or did something.")

  /// The names of authors; those that are gone are left out.
  static func names(_ authors: [Author?], _ service: Service) throws(Problem) -> [Author: String] {
    let authors = Set(authors.compactMap { $0 })
    guard !authors.isEmpty else { return [:] }
    return try service.ask { store throws(StoreError) in try store.names(of: authors) }
  }

  static func json(_ author: Author, _ names: [Author: String]) -> JSONValue {
    var object: JSONObject
    switch author {
    case .key(let id): object = ["kind": "key", "id": .string(id.description)]
    case .account(let id): object = ["kind": "person", "id": .string(id.description)]
    case .schedule(let id): object = ["kind": "schedule", "id": .string(id.description)]
    }
    if let name = names[author] { object["name"] = .string(name) }
    return .object(object)
  }
}
