import WireJSON

/// What was given in place of a message, when not one of its members is a field of the contract.
enum MistakenMessage {
  /// A document that is often given by mistake: what it has, what it is, and what to do.
  private struct Known: Sendable {
    let members: [String]
    let advice: String
  }

  private static let known = [
    Known(
      members: ["requestObject"],
      advice: "it is a request of PowerAuth's push server; give its message body, with the contract powerauth"),
    Known(
      members: ["message"],
      advice: "it is a request to FCM; check it with --platform android, or send its fields with the contract native"),
    Known(
      members: ["aps"],
      advice: "it is an APNs payload; check it with --platform ios, or read it with parse --platform ios"),
    Known(
      members: ["headers", "payload"],
      advice: "it is a request to APNs; check its payload with --platform ios"),
    Known(
      members: ["app_id", "contents"],
      advice: "it is a request of OneSignal's REST interface; give the contract onesignal"),
  ]

  /// What a document is and what to do, as the end of a sentence; nil when nothing is known of it.
  static func advice(_ members: JSONObject, for contract: ContractName) -> String? {
    if let row = known.first(where: { $0.members.allSatisfy { members[$0] != nil } }) { return row.advice }
    let names = members.map { $0.0 }
    let other = Contracts.entries.first { entry in
      entry.name != contract && names.contains { name in entry.table.rows.contains { $0.isInput(named: name) } }
    }
    guard let other else { return nil }
    return "its fields are those of the contract \(other.name); give that one"
  }
}

extension MappingRow {
  /// True when a message may hold this row under a name.
  fileprivate func isInput(named name: String) -> Bool {
    source == .message && (field == name || aliases.contains(name))
  }
}
