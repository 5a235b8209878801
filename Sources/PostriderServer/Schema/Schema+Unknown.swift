internal import PushContracts
internal import PushPayload

/// Members of a request that its shape does not know.
extension Schema {
  func reportUnknown(_ name: String, _ properties: [Property], _ field: FieldPath, _ report: inout Report) {
    guard let refusal = refusal(of: name, properties.map(\.name)) else {
      return report.add(
        rule: Rule.unknownField, severity: .warning, field: field.member(name),
        message: "is not a field of this request and was ignored")
    }
    report.add(
      rule: Rule.unknownField, severity: .error, field: field.member(name),
      message: "is not a field of this request; \(refusal)")
  }

  /// Why a member is refused; nil for one that is ignored.
  private func refusal(of name: String, _ known: [String]) -> String? {
    let list = "the fields are " + known.joined(separator: ", ")
    switch unknown {
    case .ignored: return nil
    case .refused: return ResemblingNames.nearest(name, in: known).map { "did you mean \($0)?" } ?? list
    case .doubted:
      let elsewhere = DeliveryField.member(for: name)
      // A member of other requests for pushes, under its own name: this one has another way, or none.
      if SendTime.names.contains(name) || elsewhere == name { return nil }
      if let elsewhere { return "use \(elsewhere)" }
      if let near = ResemblingNames.nearest(name, in: known + SendTime.names) { return "did you mean \(near)?" }
      return ResemblingNames.mayDecide(name) ? list : nil
    }
  }
}
