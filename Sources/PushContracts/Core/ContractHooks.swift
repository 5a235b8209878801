public import PushPayload
public import WireJSON

/// What a contract does beyond its rows; a class, so that calling one of them copies no other.
public final class ContractHooks<Message: Sendable>: Sendable {
  /// A rule that looks at the message as a whole before it is written.
  public typealias Check = @Sendable (Message, WriteContext, inout Report) -> Void
  /// A rule about the message on one platform, before it is written there; an error refuses that platform only.
  public typealias PlatformCheck = @Sendable (Message, Platform, WriteContext, inout Report) -> Void
  /// ``Check`` of a message that is given by its address: a closure that takes a large struct by value copies it.
  typealias CheckAtAddress = @Sendable (Lent<Message>, WriteContext, inout Report) -> Void
  /// ``PlatformCheck`` in the same way.
  typealias PlatformCheckAtAddress = @Sendable (Lent<Message>, Platform, WriteContext, inout Report) -> Void
  /// What the app's own library makes of a payload beyond its rows: fallbacks and refusals.
  ///
  /// It is given the members of the APNs payload or of the FCM message.
  public typealias ReadCheck = @Sendable (inout Message, JSONObject, Platform, inout Report) -> Void
  /// Adds common members that no single field holds, such as a link inside the data.
  public typealias CommonMembers = @Sendable (Message, Platform, inout JSONObject) -> Void

  private let message: Check?
  private let platform: PlatformCheck?
  private let messageAtAddress: CheckAtAddress?
  private let platformAtAddress: PlatformCheckAtAddress?
  let reading: ReadCheck
  let common: CommonMembers
  let device: DeviceModel<Message>
  /// What ``device`` is asked of every message that is written, apart from it: a model is large, and a copy retains each of
  /// its parts.
  let mayLose: @Sendable (Lent<Message>, Platform) -> Bool
  /// The rules about the message that say of their field that it is not sent.
  let lossRules: [String]
  /// How a payload is read without its message; nil where every payload is read into one.
  #if _pointerBitWidth(_32)
    // WebAssembly has the one way of reading that has words for everything: browsers fetch the module.
    var direct: DirectHooks? { Optional.none }
  #else
    let direct: DirectHooks?
  #endif

  /// Gathers the hooks; each does nothing by default.
  ///
  /// - Parameters:
  ///   - message: a rule that looks at the message as a whole.
  ///   - platform: a rule about the message on one platform.
  ///   - reading: what the app's own library makes of a payload beyond its rows.
  ///   - common: adds common members that no single field holds.
  ///   - device: what a device makes of the payloads; by default what the systems do.
  ///   - lossRules: the rules about the message that say of their field that it is not sent.
  public convenience init(
    message: Check? = nil, platform: PlatformCheck? = nil,
    reading: @escaping ReadCheck = { _, _, _, _ in }, common: @escaping CommonMembers = { _, _, _ in },
    device: DeviceModel<Message> = DeviceModel(), lossRules: [String] = []
  ) {
    self.init(
      message: message, platform: platform, reading: reading, common: common, device: device, lossRules: lossRules,
      atAddress: (Optional.none, Optional.none), direct: Optional.none)
  }

  /// Gathers the hooks of a contract whose payloads are also read without their message.
  init(
    message: Check? = nil, platform: PlatformCheck? = nil,
    reading: @escaping ReadCheck = { _, _, _, _ in }, common: @escaping CommonMembers = { _, _, _ in },
    device: DeviceModel<Message> = DeviceModel(), lossRules: [String] = [],
    atAddress: (message: CheckAtAddress?, platform: PlatformCheckAtAddress?) = (nil, nil),
    direct: @autoclosure () -> DirectHooks?
  ) {
    #if !_pointerBitWidth(_32)
      self.direct = direct()
    #endif
    self.message = message
    self.platform = platform
    (messageAtAddress, platformAtAddress) = atAddress
    self.reading = reading
    self.common = common
    self.device = device
    mayLose = device.mayLose
    self.lossRules = lossRules
  }
  /// The rules that look at the message as a whole.
  @inline(__always)
  func check(_ message: Message, at address: Lent<Message>, _ context: WriteContext, _ report: inout Report) {
    if let messageAtAddress { return messageAtAddress(address, context, &report) }
    if self.message != nil { checkValue(message, context, &report) }
  }

  // Apart, so that a message is copied for these closures alone.

  @inline(never)
  private func checkValue(_ message: Message, _ context: WriteContext, _ report: inout Report) {
    self.message?(message, context, &report)
  }

  @inline(never)
  private func checkValue(
    _ message: Message, on platform: Platform, _ context: WriteContext, _ report: inout Report
  ) {
    self.platform?(message, platform, context, &report)
  }

  /// The rules about the message on one platform.
  @inline(__always)
  func check(
    _ message: Message, at address: Lent<Message>, on platform: Platform, _ context: WriteContext,
    _ report: inout Report
  ) {
    if let platformAtAddress { return platformAtAddress(address, platform, context, &report) }
    if self.platform != nil { checkValue(message, on: platform, context, &report) }
  }
}
