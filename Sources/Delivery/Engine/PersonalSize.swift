public import StoreModel

/// The size of a message as its provider counts it.
public enum PersonalSize {
  /// The bytes that count.
  public static func bytes(_ payload: RenderedPayload) -> Int {
    payload.budget.bytes?(payload.body) ?? payload.body.count
  }

  /// Whether texts count as they are, and not as JSON writes them.
  static func countsDecoded(_ payload: RenderedPayload) -> Bool { payload.budget.countsDecoded }

  /// The bytes that count with nothing in the placeholders, and of each placeholder whether what is put into it counts.
  static func parts(_ payload: RenderedPayload) -> (bytes: Int, counted: [Bool]) {
    let empty = bytes(payload)
    guard payload.budget.bytes != nil else { return (empty, payload.placeholders.map { _ in true }) }
    var probe = payload
    for index in probe.placeholders.indices { probe.placeholders[index].name = "\(index)" }
    func added(_ isFilled: (String) -> Bool) -> Int {
      bytes(PersonalPush.splice(probe) { isFilled($0) ? "x" : "" }) - empty
    }
    // Mostly all of them count, or none does.
    let all = added { _ in true }
    if all == payload.placeholders.count || all == 0 { return (empty, payload.placeholders.map { _ in all > 0 }) }
    return (empty, payload.placeholders.indices.map { index in added { $0 == "\(index)" } > 0 })
  }

  /// The limit.
  public static func bytesMax(_ payload: RenderedPayload) -> Int { payload.budget.bytesMax }
}
