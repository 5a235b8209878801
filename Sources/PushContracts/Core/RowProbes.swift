import PushPayload
import WireJSON

/// What rendering asks of the rows of a contract with every message on one platform, taken out of them once: a row is
/// large, and a copy retains each of its parts.
struct RowProbes<Message: Sendable>: Sendable {
  typealias Probe = @Sendable (UnsafePointer<Message>, UnsafePointer<WriteContext>) -> Bool

  /// What there is to say of a row that is not carried.
  struct Loss: Sendable {
    /// A note unless the value is missed.
    let finding: Finding
    /// True for what a person or the app misses.
    let isNoticed: Bool
    /// True when a message has the other platform's field for the same thing.
    let hasCounterpart: (@Sendable (UnsafePointer<Message>) -> Bool)?
  }

  /// Whether the text of a body is in the payload, which every device shows; one for each slot.
  let bodies: [Probe]
  /// For each row that some message does not carry to the platform, whether a message holds a value that is not carried.
  let isLost: [Probe]
  /// What is said then.
  let losses: [Loss]

  init(_ fields: [Field<Message>], on platform: Platform, of contract: ContractName) {
    var bodies: [Probe] = []
    var isLost: [Probe] = []
    var losses: [Loss] = []
    for field in fields {
      let slots = platform == .ios ? field.apns : field.androidSlots
      if field.role == .body || field.role == .bodyLocKey {
        bodies += slots.filter { !$0.isHeader }.map { slot in RowProbes.hasText(slot, slot.access ?? field.access) }
      }
      let conditions = slots.compactMap { $0.condition }
      guard field.isInput, conditions.count == slots.count, !slots.isEmpty || !field.isSwitch else { continue }
      isLost.append(RowProbes.isLost(field, conditions, on: platform))
      losses.append(
        Loss(
          finding: RowProbes.finding(field, slots.first?.conditionText, contract, platform),
          isNoticed: field.isNoticed, hasCounterpart: field.hasCounterpart))
    }
    self.bodies = bodies
    (self.isLost, self.losses) = (isLost, losses)
  }

  private static func isLost(_ field: Field<Message>, _ conditions: [Probe], on platform: Platform) -> Probe {
    let isThere = field.access.isThere
    if conditions.isEmpty, field.carriedOtherwise == nil { return { message, _ in isThere(message) } }
    let carriedOtherwise = field.carriedOtherwise ?? { _, _ in false }
    return { message, context in
      guard isThere(message), !carriedOtherwise(context.pointee, platform) else { return false }
      for condition in conditions where condition(message, context) { return false }
      return true
    }
  }

  private static func finding(
    _ field: Field<Message>, _ condition: String?, _ contract: ContractName, _ platform: Platform
  ) -> Finding {
    let message =
      condition.map { "\(contract) carries \(field.name) to \(platform.title) only when \($0)" }
      ?? "\(contract) does not carry \(field.name) to \(platform.title)"
    return Finding(rule: "field-not-carried", severity: .note, field: field.name, message: message)
  }

  private static func hasText(_ slot: Slot<Message>, _ access: FieldAccess<Message>) -> Probe {
    let wire = access.wire
    guard let condition = slot.condition else { return { wire($0, $1)?.string?.isEmpty == false } }
    return { condition($0, $1) && wire($0, $1)?.string?.isEmpty == false }
  }
}
