package import PushContracts
package import PushPayload

extension OptionSource {
  /// The platform that was asked for.
  package func platform() -> Platform? { text("platform").flatMap { Platform(rawValue: $0) } }

  /// The contract that was asked for.
  package func contract() -> ContractName? { text("contract").map { ContractName(rawValue: $0) } }

  /// The push type that was given; a usage error for one that Apple does not document, and for a payload for Android.
  package func pushType() throws(CoreError) -> APNsPushType? {
    guard let type = text("push_type").map({ APNsPushType(rawValue: $0) }) else { return nil }
    let name = spelled("push_type")
    guard APNsPushType.known.contains(type) else {
      let known = APNsPushType.known.map { $0.rawValue }
      let hint = Nearest.match(type.rawValue, among: known).map { "did you mean \($0)?" }
      let list = known.joined(separator: ", ")
      throw .usage(
        "\(name): no push type “\(type.rawValue)”; " + (hint ?? "there are \(list)"), option: name,
        fix: "give one of \(list)")
    }
    #if _pointerBitWidth(_32)
      // The module for browsers is bounded in size, and knows the platforms alone.
      let (hasHeaders, given) = (platform()?.traits.hasHeaders != false, "android")
    #else
      let given = text("platform") ?? ""
      let hasHeaders = given.isEmpty || Platform(rawValue: given)?.traits.hasHeaders ?? false
    #endif
    guard hasHeaders else {
      let other = spelled("platform")
      throw .usage(
        "\(name) is for APNs payloads; leave out \(other) \(given)", option: name,
        fix: "leave out \(name) or \(other)")
    }
    return type
  }

  /// What a send adds to a message, as far as options say it.
  package func writeContext(topic: String? = nil) throws(CoreError) -> WriteContext {
    var context = WriteContext(topic: text("topic") ?? topic, campaign: text("campaign"))
    context.language = text("language")
    context.options = texts("options")
    context.now = try now()
    return context
  }
}
