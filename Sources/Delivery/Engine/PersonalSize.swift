public import StoreModel

/// The size of a message as its provider counts it.
public enum PersonalSize {
  /// The bytes that count.
  public static func bytes(_ payload: RenderedPayload) -> Int {
    payload.budget.bytes?(payload.body) ?? payload.body.count
  }

  /// Whether texts count as they are, and not as JSON writes them.
  static func countsDecoded(_ payload: RenderedPayload) -> Bool { payload.budget.countsDecoded }

  /// The bytes that count with nothing in the holes, and of each hole whether what is put into it counts.
  static func parts(_ payload: RenderedPayload) -> (bytes: Int, counted: [Bool]) {
    let empty = bytes(payload)
    guard payload.budget.bytes != nil else { return (empty, payload.holes.map { _ in true }) }
    var probe = payload
    for place in probe.holes.indices { probe.holes[place].name = "\(place)" }
    func added(_ isFilled: (String) -> Bool) -> Int {
      bytes(PersonalPush.splice(probe) { isFilled($0) ? "x" : "" }) - empty
    }
    // Mostly all of them count, or none does.
    let all = added { _ in true }
    if all == payload.holes.count || all == 0 { return (empty, payload.holes.map { _ in all > 0 }) }
    return (empty, payload.holes.indices.map { place in added { $0 == "\(place)" } > 0 })
  }

  /// The limit.
  public static func bytesMax(_ payload: RenderedPayload) -> Int { payload.budget.bytesMax }
}
