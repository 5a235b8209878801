import PushContracts
import PushPayload
import Testing
import WireJSON

/// One thing that a vendor's library, or the system, does on a device, and what holds the device models to it.
///
/// ``SDKFactTests`` runs the cases and writes the facts into `docs/contracts/devices.md`.
struct SDKFact: Sendable, CustomTestStringConvertible {
  /// A payload and what becomes of it.
  struct Case: Sendable {
    let contract: ContractName
    let platform: Platform
    let payload: JSONValue
    /// `shown`, or the kind of outcome with a part of its reason.
    let expected: String
    /// What becomes of it at the time of the preview, where that decides; nil where it is the same.
    var arriving: String?
    /// A finding of the reader, as severity and rule; nil when it reports nothing worse than a note.
    var said: String?
    /// Values of the preview's JSON by their paths, such as `layout.carousel.filmstrip=true`; `-` for an absent one.
    var drawn: [String] = []
  }

  /// A message and what is written of it.
  struct Written: Sendable {
    let contract: ContractName
    let platform: Platform
    let message: JSONValue
    var options: [String] = []
    /// The bytes of the APNs payload or of the FCM request; nil when the message is refused.
    let bytes: String?
    /// The header `apns-collapse-id`.
    var collapseID: String?
    /// A finding, as severity and rule.
    var said: String?
  }

  /// Whose library it is, and on which system.
  let area: String
  /// What it does, in one sentence.
  let statement: String
  var cases: [Case] = []
  var written: [Written] = []
  /// Files of the public corpus that show it, without their ending.
  var vectors: [String] = []
  /// Test functions elsewhere that show it, as `Folder/File.function`.
  var tests: [String] = []

  var testDescription: String { "\(area): \(statement)" }

  init(
    _ area: String, _ statement: String, _ cases: [Case] = [], written: [Written] = [], vectors: [String] = [],
    tests: [String] = []
  ) {
    self.area = area
    self.statement = statement
    self.cases = cases
    self.written = written
    self.vectors = vectors
    self.tests = tests
  }

  /// Every fact, by area.
  static let all =
    adobeAndroid + adobeApple + oneSignal + oneSignalAndroid + oneSignalLimits + oneSignalValues + powerAuth + received
    + firebaseLosses + apns
}
