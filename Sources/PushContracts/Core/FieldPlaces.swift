/// Which rows of a contract take part in a step, found once and not in every write.
struct FieldPlaces: Sendable {
  /// One slot of one row.
  struct Place: Sendable {
    let field: Int
    let slot: Int
  }

  /// Rows by the names under which a message may hold them.
  let inputs: [String: Int]
  /// Rows that some message must hold.
  let required: [Int]
  /// Slots that are APNs request headers and stand for themselves.
  let headers: [Place]

  init<Message: Sendable>(_ fields: [Field<Message>]) {
    var inputs: [String: Int] = [:]
    var headers: [Place] = []
    for (index, field) in fields.enumerated() {
      if field.isInput {
        // The first row with a name is meant, as in the table.
        for name in [field.name] + field.aliases where inputs[name] == nil { inputs[name] = index }
      }
      for (slot, place) in field.apns.enumerated() where place.isHeader && place.form != .merged {
        headers.append(Place(field: index, slot: slot))
      }
    }
    self.inputs = inputs
    self.headers = headers
    required = fields.indices.filter { index in
      if case .optional = fields[index].required { return false }
      return fields[index].isInput
    }
  }
}
