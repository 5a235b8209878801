internal import PushContracts
internal import PushPayload
internal import StoreModel

/// The texts of a message without which a device shows nothing.
///
/// A recipient for whom they are empty gets nothing.
struct NeededTexts {
  /// The placeholders each of which is needed.
  private(set) var always: [DeviceKind: Set<Int>] = [:]
  /// The placeholders of which one is needed.
  private(set) var oneOf: [DeviceKind: Set<Int>] = [:]

  /// What it does to a payload for these devices that a text is empty.
  func need(of number: Int, for kinds: [DeviceKind]) -> RenderedPayload.Need {
    // A payload is one kind's.
    guard let kind = kinds.first else { return .optional }
    if always[kind]?.contains(number) == true { return .always }
    return oneOf[kind]?.contains(number) == true ? .oneOf : .optional
  }

  /// Finds the needs by leaving texts out.
  ///
  /// - Parameters:
  ///   - texts: the placeholders whose text may be empty.
  ///   - shown: the devices that get something when these texts are empty, and no others.
  init(of texts: Set<Int>, _ shown: (Set<Int>) -> Set<DeviceKind>) {
    guard !texts.isEmpty else { return }
    let least = shown(texts)
    let all = shown([])
    guard !all.subtracting(least).isEmpty else { return }
    // Each text is tried by itself, which is bounded; of more of them all together are needed.
    guard texts.count <= Self.triedMax else {
      for kind in all.subtracting(least) { oneOf[kind] = texts }
      return
    }
    for text in texts {
      for kind in all.subtracting(shown([text])) { always[kind, default: []].insert(text) }
    }
    for kind in all.subtracting(least) {
      var rest = texts.subtracting(always[kind] ?? [])
      guard !shown(rest).contains(kind) else { continue }
      for text in rest.sorted() where !shown(rest.subtracting([text])).contains(kind) { rest.remove(text) }
      oneOf[kind] = rest
    }
  }

  private static let triedMax = 8
}

extension PersonalWriting {
  /// The texts that devices need, found with what was written.
  func needs(of written: Written, at desk: inout RuleChecks.Desk) -> NeededTexts {
    let whole = message.placeholders.indices.filter { message.placeholders[$0].isWhole }
    return NeededTexts(of: Set(whole)) { kinds(without: $0, written, at: &desk) }
  }

  /// The devices that get something when some texts are empty.
  private func kinds(without empty: Set<Int>, _ written: Written, at desk: inout RuleChecks.Desk) -> Set<DeviceKind> {
    let texts = message.placeholders.enumerated().map { number, placeholder in
      guard placeholder.isWhole else { return placeholder.plain }
      return empty.contains(number) ? "" : placeholder.plain.isEmpty ? "x" : placeholder.plain
    }
    var report = Report()
    var kinds = Set(judge(message.form(texts), written, at: &desk, &report, texts).flatMap(\.kinds))
    if let headers = desk.desk.headers { kinds.formUnion(PushComposer.apns(headers, []).kinds) }
    if desk.desk.target != nil { kinds.formUnion(job.fcm) }
    return kinds
  }
}
