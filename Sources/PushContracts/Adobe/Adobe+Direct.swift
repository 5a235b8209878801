import PushPayload
import WireJSON

/// Reading Adobe's payloads without their message: the template `basic` without colors and “remind later”, whose keys are all
/// as the library on the device takes them.
///
/// What is not read here is read by ``read``, with the same answer.
extension Adobe {
  static let direct = DirectHooks(judge: judge, value: writeButtons, report: writeReport, findings: findings)

  @Sendable private static func judge(_ reading: inout DirectReading) -> Bool {
    let template = reading[rows.template]
    guard template.isThere, reading.document.isString(template.node, "basic"),
      rows.needed.allSatisfy({ reading[$0].isThere }), !rows.refused.contains(where: { reading[$0].isThere })
    else { return false }
    return reading.platform == .ios ? judgeApple(&reading) : judgeAndroid(&reading)
  }

  /// The rows that are looked at.
  private struct Rows: Sendable {
    let template = row("adb_template_type"), title = row("adb_title"), body = row("adb_body")
    let expandedBody = row("adb_body_ex"), uri = row("adb_uri"), linkType = row("adb_a_type")
    let priority = row("adb_n_priority"), buttons = row("adb_act"), image = row("adb_image")
    let largeIcon = row("adb_large_icon"), smallIcon = row("adb_small_icon"), subtitle = row("subtitle")
    let needed = ["adb_version", "adb_title", "adb_body"].map { row($0) }
    /// Names of resources.
    let names = ["adb_icon", "adb_small_icon", "adb_sound"].map { row($0) }
    /// Fields of which a library takes few values; they are rare with this template.
    let refused = [
      "adb_car_mode", "adb_car_layout", "adb_col_style", "adb_display", "adb_n_visibility", "adb_rem_txt",
      "adb_liveupdate_data",
    ].map { row($0) }

    private static func row(_ name: String) -> Int { fields.row(name) }
  }

  private static let rows = Rows()

  private static func judgeApple(_ reading: inout DirectReading) -> Bool {
    let aps = reading.member(reading.payload, "aps")
    guard reading.isVisible, let category = reading.member(aps, "category"),
      reading.member(aps, "mutable-content") != nil, !reading[rows.subtitle].isThere
    else { return false }
    if isEmpty(reading, rows.uri) {
      reading.setMember(DirectPlan.link, DirectValue(form: .hidden, node: reading.payload))
    }
    reading.setMember(DirectPlan.category, DirectValue(form: .string, node: category))
    return isFine(reading, rows.image) { isLoadable($0, on: .ios) }
  }

  private static func judgeAndroid(_ reading: inout DirectReading) -> Bool {
    let priority = reading[rows.priority]
    if priority.isThere, reading.document.index(of: priority.node, in: priorities) == nil { return false }
    guard !reading.isVisible, reading.isText(reading[rows.title].node) || reading.isText(reading[rows.body].node),
      judgeLink(&reading), judgeButtons(&reading), isFine(reading, rows.image, { isPicture($0, .httpsOrName) }),
      isFine(reading, rows.largeIcon, { isPicture($0, .httpsOrName) }),
      rows.names.allSatisfy({ isName(reading, $0) }), !isEmpty(reading, rows.smallIcon)
    else { return false }
    // The body alone is no text of the expanded notification.
    let expanded = reading[rows.expandedBody]
    let lacksText = reading.isText(reading[rows.body].node) && !(expanded.isThere && reading.isText(expanded.node))
    reading.findings = lacksText ? 1 : 0
    return true
  }

  /// False for a kind of link that nobody knows, and one that does not fit its uri.
  private static func judgeLink(_ reading: inout DirectReading) -> Bool {
    let uri = reading[rows.uri]
    let hasURI = uri.isThere && reading.isText(uri.node)
    let type = reading[rows.linkType]
    guard type.isThere else {
      reading.setMember(DirectPlan.link, DirectValue(form: .hidden, node: reading.payload))
      return !hasURI
    }
    guard let needsURI = needsURI(type.node, reading.document), needsURI == hasURI else { return false }
    if !needsURI { reading.setMember(DirectPlan.link, DirectValue(form: .hidden, node: reading.payload)) }
    return true
  }

  /// Whether a kind of link opens a uri; nil for one that nobody knows.
  private static func needsURI(_ type: JSONNode, _ document: JSONDocument) -> Bool? {
    document.index(of: type, in: linkTypes).map { $0 < 2 }
  }

  private static let linkTypes = JSONKeyTable(["WEBURL", "DEEPLINK", "DISMISS", "OPENAPP", "NONE"])

  private static let priorities = JSONKeyTable(Priority.known.compactMap { JSONKey(keeping: $0.rawValue) })

  /// True for a field that is absent, empty, or as it should be: nearly every address and name is plain.
  private static func isFine(_ reading: borrowing DirectReading, _ row: Int, _ holds: (String) -> Bool) -> Bool {
    let value = reading[row]
    guard value.isThere, reading.isText(value.node), !reading.document.isPlainAddress(value.node) else { return true }
    return reading.document.string(value.node).map(holds) ?? false
  }

  private static func isEmpty(_ reading: borrowing DirectReading, _ row: Int) -> Bool {
    reading[row].isThere && reading.document.isEmptyString(reading[row].node)
  }

  private static func isName(_ reading: borrowing DirectReading, _ row: Int) -> Bool {
    let value = reading[row]
    return !value.isThere || reading.document.isPlainName(value.node)
  }

  // MARK: Buttons

  private static let buttonKeys = JSONKeyTable(["label", "uri", "type"])

  /// A button as it is drawn.
  private struct DirectButton {
    var label, uri, type: JSONNode?

    /// Reads an element of the list; nil where there is something to say of it.
    init?(_ node: JSONNode, _ document: JSONDocument) {
      guard document.kind(node) == .object else { return nil }
      var cursor = document.cursor(node)
      while let (name, value) = document.nextMember(&cursor) {
        guard document.kind(value) == .string else { return nil }
        switch document.index(of: name, in: buttonKeys) {
        case 0: label = value
        case 1: uri = value
        case 2: type = value
        default: return nil
        }
      }
      guard let label, !document.isEmptyString(label), let type, let needsURI = needsURI(type, document) else {
        return nil
      }
      // Only two kinds have a uri.
      guard needsURI else {
        uri = nil
        return
      }
      guard let uri, !document.isEmptyString(uri) else { return nil }
    }
  }

  private static func judgeButtons(_ reading: inout DirectReading) -> Bool {
    var value = reading[rows.buttons]
    guard value.isThere else { return true }
    guard let index = reading.texts.add(value.node, of: reading.document) else { return false }
    let list = reading.texts[index]
    guard list.kind(list.root) == .array, (1...buttonsMax).contains(list.count(list.root)) else { return false }
    var cursor = list.cursor(list.root)
    while let element = list.nextElement(&cursor) {
      guard DirectButton(element, list) != nil else { return false }
    }
    value.detail = Int32(truncatingIfNeeded: index)
    reading.set(rows.buttons, value)
    reading.setMember(DirectPlan.actions, value)
    return true
  }

  @Sendable private static func writeButtons(
    _ reading: borrowing DirectReading, _ value: DirectValue, _ writer: inout JSONWriter
  ) {
    let list = reading.texts[Int(value.detail)]
    writer.beginArray()
    var cursor = list.cursor(list.root)
    while let element = list.nextElement(&cursor) {
      guard let button = DirectButton(element, list) else { continue }
      writer.beginObject()
      write("label", button.label, list, &writer)
      write("uri", button.uri, list, &writer)
      write("type", button.type, list, &writer)
      writer.endObject()
    }
    writer.endArray()
  }

  private static func write(
    _ name: StaticString, _ text: JSONNode?, _ list: JSONDocument, _ writer: inout JSONWriter
  ) {
    guard let text else { return }
    writer.key(name)
    writer.value(text, of: list)
  }

  // MARK: The report

  @Sendable private static func writeReport(_ reading: borrowing DirectReading, _ writer: inout JSONWriter) {
    if reading.findings != 0 { writer.raw(expandedFinding) }
  }

  @Sendable private static func findings(of reading: borrowing DirectReading) -> [Finding] {
    reading.findings == 0 ? [] : [lacksExpandedText]
  }

  private static let lacksExpandedText = expandedWithoutText(FieldPath(members: "message", "data", "adb_body_ex"))

  private static let expandedFinding = {
    var writer = JSONWriter()
    lacksExpandedText.write(to: &writer)
    return writer.bytes
  }()
}
