import PushPayload
import WireJSON

/// What rendering asks of the rows of a contract with every message on one platform, taken out of them once: a row is
/// large, and a copy retains each of its parts.
struct RowProbes<Message: Sendable>: Sendable {
  /// A row that some message does not carry to the platform.
  struct Partial: Sendable {
    let row: Int
    /// Whether a message holds a value for it that is not carried.
    let isLost: @Sendable (Message, WriteContext) -> Bool
  }

  /// Whether the text of a body is in the payload, which every device shows; one for each slot.
  let bodies: [@Sendable (Message, WriteContext) -> Bool]
  let partial: [Partial]

  init(_ fields: [Field<Message>], on platform: Platform) {
    var bodies: [@Sendable (Message, WriteContext) -> Bool] = []
    var partial: [Partial] = []
    for (row, field) in fields.enumerated() {
      let slots = platform == .ios ? field.apns : field.androidSlots
      if field.role == .body || field.role == .bodyLocKey {
        bodies += slots.filter { !$0.isHeader }.map { slot in RowProbes.hasText(slot, slot.access ?? field.access) }
      }
      let conditions = slots.compactMap { $0.condition }
      guard field.isInput, conditions.count == slots.count, !slots.isEmpty || !field.isSwitch else { continue }
      partial.append(Partial(row: row, isLost: RowProbes.isLost(field, conditions, on: platform)))
    }
    self.bodies = bodies
    self.partial = partial
  }

  private static func isLost(
    _ field: Field<Message>, _ conditions: [@Sendable (UnsafePointer<Message>, UnsafePointer<WriteContext>) -> Bool],
    on platform: Platform
  ) -> @Sendable (Message, WriteContext) -> Bool {
    let (property, carriedOtherwise) = (field.access.property, field.carriedOtherwise)
    return { message, context in
      guard property(message) != nil, !carriedOtherwise(context, platform) else { return false }
      return withUnsafePointer(to: message) { message in
        withUnsafePointer(to: context) { context in conditions.allSatisfy { !$0(message, context) } }
      }
    }
  }

  private static func hasText(
    _ slot: Slot<Message>, _ access: FieldAccess<Message>
  ) -> @Sendable (Message, WriteContext) -> Bool {
    let wire = access.wire
    guard slot.condition != nil else { return { wire($0, $1)?.string?.isEmpty == false } }
    return { slot.holds($0, $1) && wire($0, $1)?.string?.isEmpty == false }
  }
}
