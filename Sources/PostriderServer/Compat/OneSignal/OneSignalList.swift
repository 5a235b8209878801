internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Whom a request lists, by id or token: one that can be nobody's is named in the answer, and the others get the message, as
/// with OneSignal.
struct OneSignalList {
  /// Those who may be somebody, as our own request has them.
  private(set) var texts: [String] = []
  /// The others, as the caller wrote them.
  private(set) var bad: [JSONValue] = []
  private let theirs: String
  private let ours: String
  /// Where the caller wrote each of `texts`.
  private var indexes: [Int] = []

  /// - Parameters:
  ///   - theirs: the member of the request.
  ///   - ours: the member of our own request that has the list.
  ///   - read: the text as it is passed on; nil for one that can be nobody's.
  init(
    _ value: JSONValue?, theirs: String, ours: String, max: Int, read: (String) throws(Problem) -> String?
  ) throws(Problem) {
    guard let array = value?.array, array.count <= max else {
      throw OneSignalErrors.refusal(theirs, "expected an array of at most \(max) texts")
    }
    (self.theirs, self.ours) = (theirs, ours)
    for (index, element) in array.enumerated() {
      guard let text = element.string else {
        throw OneSignalErrors.refusal("\(theirs)[\(index)]", "expected a text, found \(element.kind)")
      }
      if let good = try read(text) {
        texts.append(good)
        indexes.append(index)
      } else {
        bad.append(element)
      }
    }
  }

  /// A user's id, which has a length here.
  static func person(_ id: String) -> String? {
    !id.isEmpty && id.unicodeScalars.count <= DeviceRoutes.userCharactersMax ? id : nil
  }

  /// A token in the form of its provider.
  static func token(_ text: String, _ kind: DeviceKind) -> String? {
    var report = Report()
    let token = TokenField.read(text, kind: kind, field: "", report: &report)
    return report.hasErrors ? nil : token
  }

  /// A field of our own request, as the caller wrote it: `include_ios_tokens[3]`.
  func naming(_ field: String) -> String {
    guard field.hasPrefix(ours) else { return field }
    var rest = field.dropFirst(ours.count)
    guard rest.first == "[", let end = rest.firstIndex(of: "]"), let index = Int(rest.dropFirst().prefix { $0 != "]" }),
      indexes.indices.contains(index)
    else { return theirs + rest }
    rest = rest[rest.index(after: end)...]
    return "\(theirs)[\(indexes[index])]\(rest == ".token" ? "" : rest)"
  }
}
