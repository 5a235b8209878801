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
    /// A note.
    let finding: Finding
    /// A warning for what a person or the app misses; nil for any other value.
    let noticed: Finding?
    /// True when a message has the other platform's field for the same thing.
    let hasCounterpart: (@Sendable (Lent<Message>) -> Bool)?
  }

  /// Whether the text of a body is in the payload, which every device shows; one for each slot.
  let bodies: [Probe]
  /// The rows that some message does not carry to the platform.
  let losses: [Loss]

  #if !_pointerBitWidth(_32)
    /// The rows of ``losses``, and for each row its index there.
    private let lossRows: RowSet
    private let lossOfRow: [UInt8]
  #endif

  /// Takes them out of the rows.
  ///
  /// - Parameter isBare: for sends without any option, where the slots of an option are not looked at.
  init(_ fields: [Field<Message>], on platform: Platform, of contract: ContractName, isBare: Bool = false) {
    var bodies: [Probe] = []
    var losses: [Loss] = []
    #if !_pointerBitWidth(_32)
      var lossIndexes = [UInt8](repeating: 0, count: 128)
    #endif
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
      let finding = RowProbes.finding(field, slots.first?.conditionText, contract, platform)
      var noticed = field.isNoticed ? finding : nil
      noticed?.severity = .warning
      #if !_pointerBitWidth(_32)
        if row < 127 || losses.last.map({ !$0.isLost.needs.meets(.always) }) ?? true {
          lossIndexes[min(row, 127)] = UInt8(losses.count)
        }
      #endif
      losses.append(
        Loss(
          isLost: Probe(needs: RowSet(row: row), holds: RowProbes.isLost(field, conditions, on: platform)),
          finding: finding.keeping, noticed: noticed?.keeping, hasCounterpart: field.hasCounterpart))
    }
    (self.bodies, self.losses) = (bodies, losses)
    #if !_pointerBitWidth(_32)
      (lossRows, lossOfRow) = (losses.reduce(RowSet()) { $0.union($1.isLost.needs) }, lossIndexes)
    #endif
  }

  /// Whether a body is in the payload.
  func showsBody(_ address: MessageAddress<Message>) -> Bool {
    for index in bodies.indices where bodies[index](address) { return true }
    return false
  }

  /// Hands on the index of each of ``losses`` whose value a message holds, in the order of the rows.
  ///
  /// Only the rows that the message has a value for are looked at.
  @inline(__always)
  func forEachLoss(of address: MessageAddress<Message>, _ body: (Int) -> Void) {
    #if _pointerBitWidth(_32)
      for index in losses.indices where losses[index].isLost(address) { body(index) }
    #else
      var (low, high) = (address.present.low & lossRows.low, address.present.high & lossRows.high)
      while low != 0 {
        let index = Int(lossOfRow[low.trailingZeroBitCount])
        low &= low &- 1
        if losses[index].isLost(address) { body(index) }
      }
      while high != 0 {
        let row = 64 &+ high.trailingZeroBitCount
        high &= high &- 1
        let index = Int(lossOfRow[row])
        // The last bit represents all further rows.
        let end = row == 127 ? losses.count : index &+ 1
        for index in index..<end where losses[index].isLost(address) { body(index) }
      }
    #endif
  }

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
