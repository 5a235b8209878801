public import PushPayload
public import WireJSON

/// Which texts are shortened, in which order, and how far.
public struct FitPolicy: Sendable, Hashable {
  /// The texts, the first one is shortened first; those a message does not have are skipped.
  public var fields: [FieldPath]
  /// How many characters of a text must be left, beside the ellipsis.
  public var charactersMin: Int
  /// The end of a shortened text.
  public var ellipsis: String

  /// Makes a policy.
  public init(fields: [FieldPath], charactersMin: Int = 10, ellipsis: String = "…") {
    self.fields = fields
    self.charactersMin = charactersMin
    self.ellipsis = ellipsis
  }

  /// The body first, then the subtitle, then the title.
  public static let apns = FitPolicy(fields: [
    FieldPath(members: "aps", "alert"), FieldPath(members: "aps", "alert", "body"),
    FieldPath(members: "aps", "alert", "subtitle"), FieldPath(members: "aps", "alert", "title"),
  ])

  /// The bodies first, then the titles.
  public static let fcm = FitPolicy(fields: [
    FieldPath(members: "message", "notification", "body"),
    FieldPath(members: "message", "android", "notification", "body"),
    FieldPath(members: "message", "notification", "title"),
    FieldPath(members: "message", "android", "notification", "title"),
  ])
}

/// One text that was shortened.
public struct FitChange: Sendable, Hashable {
  /// Which one.
  public let field: String
  /// Its bytes before, as they count against the limit.
  public let bytesBefore: Int
  /// Its bytes after.
  public let bytesAfter: Int
}

/// A message that was fitted to its limit.
public struct FitResult: Sendable, Hashable {
  /// The message, minified; shortened only when that made it fit.
  public let message: [UInt8]
  /// Its size as it counts against the limit.
  public let bytes: Int
  /// The limit.
  public let bytesMax: Int
  /// What was shortened.
  public let changes: [FitChange]

  /// True when the message keeps the limit.
  public var fits: Bool { bytes <= bytesMax }
}

/// Shortens the texts of a message until it keeps its limit.
public enum MessageFitter {
  /// Fits an APNs payload.
  ///
  /// - Parameters:
  ///   - payload: the body, in any layout.
  ///   - bytesMax: the limit; 4096, or what the push type allows.
  ///   - policy: which texts go first.
  /// - Throws: `JSONError` when the payload is not JSON.
  public static func fit(
    apnsPayload payload: [UInt8], bytesMax: Int = APNsPushType.alert.payloadBytesMax, policy: FitPolicy = .apns
  ) throws(JSONError) -> FitResult {
    var run = FitRun(value: try JSON.parse(payload), cost: .escaped, bytesMax: bytesMax) {
      JSON.minified($0).count
    }
    return run.result(policy)
  }

  /// Fits the body of an FCM request; counted are keys and values of data and notification.
  ///
  /// - Throws: `JSONError` when the body is not JSON.
  public static func fit(
    fcmBody body: [UInt8], bytesMax: Int = FCMBudget.bytesMax, policy: FitPolicy = .fcm
  ) throws(JSONError) -> FitResult {
    var run = FitRun(value: try JSON.parse(body), cost: .plain, bytesMax: bytesMax) {
      FCMBudget.bytes(ofRequest: JSON.minified($0))
    }
    return run.result(policy)
  }
}

struct FitRun {
  var value: JSONValue
  let cost: TextShortener.Cost
  let bytesMax: Int
  let measure: (JSONValue) -> Int
  var changes: [FitChange] = []

  mutating func result(_ policy: FitPolicy) -> FitResult {
    let original = value
    for field in policy.fields where measure(value) > bytesMax { shorten(field, policy) }
    if measure(value) > bytesMax {
      // Half a remedy would take words away and still not arrive.
      value = original
      changes = []
    }
    return FitResult(message: JSON.minified(value), bytes: measure(value), bytesMax: bytesMax, changes: changes)
  }

  private mutating func shorten(_ field: FieldPath, _ policy: FitPolicy) {
    guard case .string(let text)? = value.value(at: field.steps[...]) else { return }
    let before = TextShortener.bytes(text, cost)
    let wanted = before - (measure(value) - bytesMax)
    let short =
      TextShortener.shorten(
        text, bytesMax: wanted, cost, charactersMin: policy.charactersMin, ellipsis: policy.ellipsis)
      ?? shortest(text, policy)
    let after = TextShortener.bytes(short, cost)
    guard after < before else { return }
    value.replace(at: field.steps[...], with: .string(short))
    changes.append(FitChange(field: field.text, bytesBefore: before, bytesAfter: after))
  }

  /// The least that the policy leaves of a text: the smallest budget that still takes it.
  private func shortest(_ text: String, _ policy: FitPolicy) -> String {
    var low = 0
    var high = TextShortener.bytes(text, cost)
    var best = text
    while low < high {
      let middle = (low + high) / 2
      let short = TextShortener.shorten(
        text, bytesMax: middle, cost, charactersMin: policy.charactersMin, ellipsis: policy.ellipsis)
      if let short {
        best = short
        high = middle
      } else {
        low = middle + 1
      }
    }
    return best
  }
}

extension JSONValue {
  /// The value at a path.
  func value(at steps: ArraySlice<FieldPath.Step>) -> JSONValue? {
    guard let step = steps.first else { return self }
    switch (step, self) {
    case (.member(let name), .object(let object)): return object[name]?.value(at: steps.dropFirst())
    case (.element(let index), .array(let values)) where values.indices.contains(index):
      return values[index].value(at: steps.dropFirst())
    default: return nil
    }
  }

  /// Replaces the value at a path that is there.
  mutating func replace(at steps: ArraySlice<FieldPath.Step>, with new: JSONValue) {
    guard let step = steps.first else { return self = new }
    switch (step, self) {
    case (.member(let name), .object(var object)):
      object[name]?.replace(at: steps.dropFirst(), with: new)
      self = .object(object)
    case (.element(let index), .array(var values)) where values.indices.contains(index):
      values[index].replace(at: steps.dropFirst(), with: new)
      self = .array(values)
    default: break
    }
  }
}

extension FCMBudget {
  /// The bytes that count against the limit, of a whole request body; 0 when it is no JSON with a message.
  public static func bytes(ofRequest body: [UInt8]) -> Int {
    var document = JSONDocument()
    do throws(JSONError) { try document.parse(body) } catch { return 0 }
    return document.member(of: document.root, "message").map { bytes(of: $0, in: document) } ?? 0
  }

  #if !(_pointerBitWidth(_32))
    /// The bytes of a request body that count for an app that FCM reaches over another push service: of the payload for
    /// APNs as it is, of the notification and data for browsers keys and values.
    public static func bytes(ofCarried body: [UInt8]) -> Int {
      var document = JSONDocument()
      do throws(JSONError) { try document.parse(body) } catch { return 0 }
      guard let message = document.member(of: document.root, "message") else { return 0 }
      if let payload = document.member(of: message, "apns").flatMap({ document.member(of: $0, "payload") }) {
        return document.sourceRange(of: payload).count
      }
      return document.member(of: message, "webpush").map { bytes(ofWebpush: $0, in: document) } ?? 0
    }
  #endif
}
