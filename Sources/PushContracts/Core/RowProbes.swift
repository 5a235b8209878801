import PushPayload
import WireJSON

/// What rendering asks of the rows of a contract with every message on one platform, taken out of them once: a row is
/// large, and a copy retains each of its parts.
struct RowProbes<Message: Sendable>: Sendable {
  /// A question about a message; as an element of an array a closure would be wrapped into one that takes everything by
  /// address.
  struct Probe: Sendable {
    /// The rows without which the answer is no.
    let needs: RowSet
    let holds: Slot<Message>.Condition

    /// Asks.
    @inline(__always)
    func callAsFunction(_ address: MessageAddress<Message>) -> Bool {
      #if !_pointerBitWidth(_32)
        guard address.present.meets(needs) else {
          assert(!holds(address.message, address.context), "a row has what it says is not there")
          return false
        }
      #endif
      return holds(address.message, address.context)
    }
  }

  /// What there is to say of a row that is not carried.
  struct Loss: Sendable {
    /// Whether a message holds a value that is not carried.
    let isLost: Probe
    /// A note unless the value is missed.
    let finding: Finding
    /// True for what a person or the app misses.
    let isNoticed: Bool
    /// True when a message has the other platform's field for the same thing.
    let hasCounterpart: (@Sendable (UnsafePointer<Message>) -> Bool)?
  }

  /// Whether the text of a body is in the payload, which every device shows; one for each slot.
  let bodies: [Probe]
  /// The rows that some message does not carry to the platform.
  let losses: [Loss]

  /// Takes them out of the rows.
  ///
  /// - Parameter isBare: for sends without any option, where the slots of an option are not looked at.
  init(_ fields: [Field<Message>], on platform: Platform, of contract: ContractName, isBare: Bool = false) {
    var bodies: [Probe] = []
    var losses: [Loss] = []
    for (row, field) in fields.enumerated() {
      let slots = field.slots(reaching: platform)
      // A slot that an option turns on carries nothing without it.
      let used = isBare ? slots.filter { $0.option?.isOn != true } : slots
      if field.role == .body || field.role == .bodyLocKey {
        for slot in used where !slot.isHeader {
          let access = slot.access ?? field.access
          bodies.append(
            Probe(
              needs: access.writesAbsent || !field.isInput ? .always : RowSet(row: row),
              holds: RowProbes.hasText(RowProbes.condition(slot, isBare), access.hasText)))
        }
      }
      let conditions = used.compactMap { RowProbes.condition($0, isBare) }
      guard field.isInput, conditions.count == used.count, !slots.isEmpty || !field.isSwitch else { continue }
      losses.append(
        Loss(
          isLost: Probe(needs: RowSet(row: row), holds: RowProbes.isLost(field, conditions, on: platform)),
          finding: RowProbes.finding(field, slots.first?.conditionText, contract, platform),
          isNoticed: field.isNoticed, hasCounterpart: field.hasCounterpart))
    }
    (self.bodies, self.losses) = (bodies, losses)
  }

  /// Whether a body is in the payload.
  func showsBody(_ address: MessageAddress<Message>) -> Bool {
    for index in bodies.indices where bodies[index](address) { return true }
    return false
  }

  /// Whether a message holds a value of a row of ``losses`` that is not carried.
  @inline(__always)
  func isLost(_ index: Int, _ address: MessageAddress<Message>) -> Bool { losses[index].isLost(address) }

  private static func condition(_ slot: Slot<Message>, _ isBare: Bool) -> Slot<Message>.Condition? {
    isBare && slot.option != nil ? slot.bareCondition : slot.condition
  }

  private static func isLost(
    _ field: Field<Message>, _ conditions: [Slot<Message>.Condition], on platform: Platform
  ) -> Slot<Message>.Condition {
    let isThere = field.access.isThere
    let carriedOtherwise = field.carriedOtherwise.flatMap { $0.platform == platform ? $0.holds : nil }
    if conditions.isEmpty, carriedOtherwise == nil { return { message, _ in isThere(message) } }
    if conditions.count == 1, carriedOtherwise == nil {
      let condition = conditions[0]
      return { message, context in isThere(message) && !condition(message, context) }
    }
    return { message, context in
      guard isThere(message), carriedOtherwise?(context.pointee) != true else { return false }
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

  private static func hasText(
    _ condition: Slot<Message>.Condition?, _ hasText: @escaping Slot<Message>.Condition
  ) -> Slot<Message>.Condition {
    guard let condition else { return hasText }
    return { condition($0, $1) && hasText($0, $1) }
  }
}
