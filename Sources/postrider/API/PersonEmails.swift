import WireJSON

/// Emails instead of people's ids, which the API takes: looked up before the request.
enum PersonEmails {
  /// The arguments with ids instead of emails; nil without an email.
  static func resolved(
    _ row: APIRow, _ arguments: Arguments, _ client: APIClient
  ) throws(Exit) -> Arguments? {
    let operand = row.pathOperands.firstIndex(of: "person")
    let option = row.fields.first { $0.namesPerson }?.option.name
    let given =
      (operand.flatMap { arguments.operands.indices.contains($0) ? arguments.operands[$0] : nil }.map { [$0] } ?? [])
      + (option.map { arguments.all($0) } ?? [])
    let emails = given.filter { $0.contains("@") }
    guard !emails.isEmpty else { return nil }
    let people = try client.call("GET", "/v1/people").json()["people"]?.array ?? []
    var ids: [String: String] = [:]
    for email in emails {
      // Kept in lower case, as they are compared.
      let found = people.first { $0["email"]?.string == email.lowercased() }
      guard let id = found?["id"]?.string else {
        throw .usage("nobody here has the email \(email); “postrider people list” shows everybody")
      }
      ids[email] = id
    }
    return arguments.replacing(ids, operand: operand, option: option)
  }
}

extension APIField {
  fileprivate var namesPerson: Bool {
    switch location {
    case .query(let name), .member(let name): name == "person"
    }
  }
}
