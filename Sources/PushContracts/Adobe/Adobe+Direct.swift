import PushPayload
import WireJSON

/// Reading Adobe's payloads without their message: every template whose keys are all as the library on the device takes them.
///
/// What is not read here is read by ``read``, with the same answer.
extension Adobe {
  static let direct = DirectHooks(judge: judge, value: writeList, report: writeReport, findings: findings)

  @Sendable private static func judge(_ reading: inout DirectReading) -> Bool {
    let type = reading[rows.template]
    guard type.isThere, let index = reading.document.index(of: type.node, in: DirectTemplate.names),
      !reading[rows.liveUpdate].isThere, areKnown(reading)
    else { return false }
    let template = DirectTemplate.all[index]
    return reading.platform == .ios ? judgeApple(&reading, template) : judgeAndroid(&reading, template)
  }

  /// The rows that are looked at.
  private struct Rows: Sendable {
    let template = row("adb_template_type"), title = row("adb_title"), body = row("adb_body")
    let version = row("adb_version"), expandedBody = row("adb_body_ex"), uri = row("adb_uri"),
      linkType = row("adb_a_type")
    let buttons = row("adb_act"), items = row("adb_items"), image = row("adb_image")
    let largeIcon = row("adb_large_icon"), smallIcon = row("adb_small_icon"), subtitle = row("subtitle")
    let liveUpdate = row("adb_liveupdate_data"), display = row("adb_display"), mode = row("adb_car_mode")
    let layout = row("adb_car_layout"), tag = row("adb_tag")
    let remindText = row("adb_rem_txt"), remindTime = row("adb_rem_ts"), remindSeconds = row("adb_rem_sec")
    let timerSeconds = row("adb_tmr_dur"), timerEnd = row("adb_tmr_end"), alternateTitle = row("adb_title_alt")
    let alternateBody = row("adb_body_alt"), alternateExpandedBody = row("adb_body_ex_alt")
    let alternateImage = row("adb_image_alt")
    let lists = ["adb_act", "adb_items", "adb_rate_act"].map { row($0) }
    /// Names of resources.
    let names = ["adb_icon", "adb_small_icon", "adb_sound"].map { row($0) }
    /// Fields of which a library takes few values.
    let choices = Adobe.choices.map { choice in
      (row: row(choice.key), values: JSONKeyTable(choice.allowed.compactMap { JSONKey(keeping: $0) }))
    }

    private static func row(_ name: String) -> Int { fields.row(name) }
  }

  private static let rows = Rows()

  /// True when there is no value that the libraries take another one for.
  private static func areKnown(_ reading: borrowing DirectReading) -> Bool {
    for choice in rows.choices where reading[choice.row].isThere {
      if reading.document.index(of: reading[choice.row].node, in: choice.values) == nil { return false }
    }
    return true
  }

  // MARK: iOS

  private static func judgeApple(_ reading: inout DirectReading, _ template: DirectTemplate) -> Bool {
    let aps = reading.member(reading.payload, "aps")
    guard reading.isVisible, let category = reading.member(aps, "category"),
      reading.member(aps, "mutable-content") != nil, !reading[rows.subtitle].isThere, reading[rows.version].isThere,
      reading[rows.title].isThere, reading[rows.body].isThere,
      !reading[rows.items].isThere || template.kind == .carousel
    else { return false }
    reading.setMember(DirectProgram.category, DirectValue(form: .string, node: category))
    if !template.opensURI || !hasText(reading, rows.uri) {
      reading.setMember(DirectProgram.link, DirectValue(form: .hidden, node: reading.payload))
    }
    switch template.kind {
    case .basic: break
    case .carousel:
      reading.findings = hasText(reading, rows.expandedBody) ? Remark.bodyOfCarousel : 0
      return !hasText(reading, rows.image) && judgeList(&reading, template)
    case .timer:
      guard reading[rows.alternateTitle].isThere, hasOneTime(reading) else { return false }
    default:
      // What iOS does not draw; pictures neither.
      reading.findings = Remark.fallback(template)
      return true
    }
    return isFine(reading, rows.image) { isLoadable($0, on: .ios) }
      && isFine(reading, rows.alternateImage) { isLoadable($0, on: .ios) }
  }

  // MARK: Android

  private static func judgeAndroid(_ reading: inout DirectReading, _ template: DirectTemplate) -> Bool {
    guard !reading.isVisible, hasText(reading, rows.title) || hasText(reading, rows.body),
      reading[rows.version].isThere,
      template.kind == .icons || reading[rows.title].isThere && reading[rows.body].isThere,
      template.needs.allSatisfy({ hasText(reading, $0) }), !template.undrawn.contains(where: { reading[$0].isThere }),
      rows.names.allSatisfy({ isName(reading, $0) }), !isEmpty(reading, rows.smallIcon), judgeLink(&reading),
      judgeList(&reading, template), judgeKind(reading, template.kind)
    else { return false }
    for picture in template.pictures
    where !isFine(reading, picture.row, isNamed: picture.source != .https, { isPicture($0, picture.source) }) {
      return false
    }
    reading.findings = remark(of: reading, template)
    return true
  }

  /// What only one template looks at.
  private static func judgeKind(_ reading: borrowing DirectReading, _ kind: DirectTemplate.Kind) -> Bool {
    switch kind {
    case .basic: isReminder(reading)
    // No filmstrip moves by itself.
    case .carousel: !isText(reading, rows.layout, "filmstrip") || isText(reading, rows.mode, "manual")
    case .timer:
      reading[rows.tag].isThere && hasOneTime(reading)
        && (!hasText(reading, rows.alternateBody) || hasText(reading, rows.alternateExpandedBody))
    default: true
    }
  }

  /// What there is to say of a text that is not in the expanded notification.
  private static func remark(of reading: borrowing DirectReading, _ template: DirectTemplate) -> Int {
    switch template.kind {
    case .icons: 0
    case .catalog: isText(reading, rows.display, "vertical") ? 0 : Remark.textsOfCatalog
    default: hasText(reading, rows.body) && !hasText(reading, rows.expandedBody) ? Remark.expandedBody : 0
    }
  }

  /// True without “remind later”, and with one that is drawn and has one time to come.
  private static func isReminder(_ reading: borrowing DirectReading) -> Bool {
    let (time, seconds) = (reading[rows.remindTime], reading[rows.remindSeconds])
    guard reading[rows.remindText].isThere || time.isThere || seconds.isThere else { return true }
    let given = seconds.isThere ? seconds : time
    guard hasText(reading, rows.remindText), time.isThere != seconds.isThere,
      reading.document.digits(given.node, max: DirectForm.digitsMax).map({ $0 > 0 }) ?? false
    else { return false }
    let buttons = reading[rows.buttons]
    guard buttons.isThere else { return true }
    let list = list(of: buttons, reading)
    return list.count(buttons.node) < buttonsMax
  }

  private static func hasOneTime(_ reading: borrowing DirectReading) -> Bool {
    reading[rows.timerSeconds].isThere != reading[rows.timerEnd].isThere
  }

  /// False for a kind of link that nobody knows, and one that does not fit its uri.
  private static func judgeLink(_ reading: inout DirectReading) -> Bool {
    let hasURI = hasText(reading, rows.uri)
    let type = reading[rows.linkType]
    guard type.isThere else {
      reading.setMember(DirectProgram.link, DirectValue(form: .hidden, node: reading.payload))
      return !hasURI
    }
    guard let needsURI = needsURI(type.node, reading.document), needsURI == hasURI else { return false }
    if !needsURI { reading.setMember(DirectProgram.link, DirectValue(form: .hidden, node: reading.payload)) }
    return true
  }

  /// Whether a kind of link opens a uri; nil for one that nobody knows.
  private static func needsURI(_ type: JSONNode, _ document: JSONDocument) -> Bool? {
    document.index(of: type, in: linkTypes).map { $0 < 2 }
  }

  private static let linkTypes = JSONKeyTable(["WEBURL", "DEEPLINK", "DISMISS", "OPENAPP", "NONE"])

  // MARK: Values

  /// True for a field that is absent, empty, or as it should be: nearly every address and name is plain.
  private static func isFine(
    _ reading: borrowing DirectReading, _ row: Int, isNamed: Bool = false, _ holds: (String) -> Bool
  ) -> Bool {
    let value = reading[row]
    return !value.isThere || !reading.isText(value.node)
      || isPicture(value.node, reading.document, isNamed: isNamed, holds)
  }

  private static func isPicture(
    _ node: JSONNode, _ document: JSONDocument, isNamed: Bool, _ holds: (String) -> Bool
  ) -> Bool {
    document.isPlainAddress(node) || isNamed && document.isPlainName(node) || document.string(node).map(holds) ?? false
  }

  private static func hasText(_ reading: borrowing DirectReading, _ row: Int) -> Bool {
    reading[row].isThere && reading.isText(reading[row].node)
  }

  private static func isText(_ reading: borrowing DirectReading, _ row: Int, _ text: StaticString) -> Bool {
    reading[row].isThere && reading.document.isString(reading[row].node, text)
  }

  private static func isEmpty(_ reading: borrowing DirectReading, _ row: Int) -> Bool {
    reading[row].isThere && reading.document.isEmptyString(reading[row].node)
  }

  private static func isName(_ reading: borrowing DirectReading, _ row: Int) -> Bool {
    let value = reading[row]
    return !value.isThere || reading.document.isPlainName(value.node)
  }

  // MARK: Lists

  /// Finds the lists that are drawn; false for one that is not, and where there is something to say of an element.
  private static func judgeList(_ reading: inout DirectReading, _ template: DirectTemplate) -> Bool {
    for row in rows.lists where reading[row].isThere {
      guard let list = template.list, list.row == row else { return false }
    }
    guard let shape = template.list else { return true }
    var value = reading[shape.row]
    // Of all but the buttons there must be some.
    guard value.isThere else { return template.kind == .basic }
    if reading.platform == .android {
      guard let index = reading.texts.add(value.node, of: reading.document) else { return false }
      value.node = reading.texts[index].root
      value.detail = Int32(truncatingIfNeeded: index + 1)
    }
    let list = list(of: value, reading)
    let counts = reading.platform == .ios ? 1...Int.max : shape.counts
    guard list.kind(value.node) == .array, counts.contains(list.count(value.node)) else { return false }
    let hasURI = hasText(reading, rows.uri)
    var cursor = list.cursor(value.node)
    while let element = list.nextElement(&cursor) {
      guard shape.takes(element, of: list, on: reading.platform, besideURI: hasURI) else { return false }
    }
    reading.set(shape.row, value)
    if shape.row == rows.buttons { reading.setMember(DirectProgram.actions, value) }
    return true
  }

  /// The document with a list that was found: the payload on iOS, JSON text in it on Android.
  private static func list(of value: DirectValue, _ reading: borrowing DirectReading) -> JSONDocument {
    value.detail == 0 ? reading.document : reading.texts[Int(value.detail) - 1]
  }

  @Sendable private static func writeList(
    _ reading: borrowing DirectReading, _ value: DirectValue, _ writer: inout JSONWriter
  ) {
    guard let index = reading.document.index(of: reading[rows.template].node, in: DirectTemplate.names),
      let shape = DirectTemplate.all[index].list
    else { return }
    let list = list(of: value, reading)
    writer.beginArray()
    var cursor = list.cursor(value.node)
    while let element = list.nextElement(&cursor) { shape.write(element, of: list, into: &writer) }
    writer.endArray()
  }

  // MARK: The report

  /// What is said of a payload: an index into ``all``, from 1.
  private enum Remark {
    static let expandedBody = 1, textsOfCatalog = 2, bodyOfCarousel = 3

    /// That iOS does not draw a template.
    static func fallback(_ template: DirectTemplate) -> Int { 1 + template.kind.rawValue }

    /// The remarks, then the fallbacks in the order of the templates, of which iOS draws the first three.
    static let all: [Finding] = {
      var report = Report()
      let data = FieldPath(members: "message", "data")
      report.findings.append(expandedWithoutText(data.member("adb_body_ex")))
      var message = Message()
      message.items = [Item(body: "text")]
      reportCatalogTexts(message, data, &report)
      (message.template, message.expandedBody) = (.carousel, "text")
      reportAppleCarousel(message, at: [], &report)
      for kind in DirectTemplate.Kind.allCases {
        (message.template, message.items) = (kind.template, [Item(image: "https://example.com/1.png")])
        message.alternateTitle = "text"
        message.timerSeconds = 1
        guard let reason = appleFallback(message) else { continue }
        add("adobe-ios-fallback", .warning, FieldPath(members: reason.field), reason.sentence, &report)
      }
      return report.findings
    }()

    /// The remarks as they are written.
    static let written = all.map { $0.bytes }
  }

  @Sendable private static func writeReport(_ reading: borrowing DirectReading, _ writer: inout JSONWriter) {
    if reading.findings != 0 { writer.raw(Remark.written[reading.findings - 1]) }
  }

  @Sendable private static func findings(of reading: borrowing DirectReading) -> [Finding] {
    reading.findings == 0 ? [] : [Remark.all[reading.findings - 1]]
  }
}

// MARK: Templates

extension Adobe {
  /// What Android's library needs for a template, and what it leaves out; a class, so that looking one up copies none.
  private final class DirectTemplate: Sendable {
    /// The templates in the order of ``Template/known``.
    enum Kind: Int, Sendable, CaseIterable {
      case basic, carousel, timer, input, zeroBezel, rating, catalog, icons

      var template: Template { Template.known[rawValue] }
    }

    let kind: Kind
    /// The rows that must have a text.
    let needs: [Int]
    /// The rows that are not drawn everywhere.
    let undrawn: [Int]
    /// The rows with a picture.
    let pictures: [(row: Int, source: PictureSource)]
    let list: DirectList?

    /// True when a tap on iOS opens the uri.
    var opensURI: Bool { kind == .basic || kind == .timer }

    static let names = JSONKeyTable(Template.known.compactMap { JSONKey(keeping: $0.rawValue) })

    private init(
      _ kind: Kind, needs: [String] = [], undrawn: [String] = [],
      pictures: [(name: String, source: PictureSource)] = [],
      list: DirectList? = nil
    ) {
      let reminder = kind == .basic ? [] : ["adb_rem_txt", "adb_rem_ts", "adb_rem_sec"]
      self.kind = kind
      self.needs = needs.map { fields.row($0) }
      self.undrawn = (undrawn + reminder).map { fields.row($0) }
      self.pictures = (pictures + [("adb_large_icon", .httpsOrName)]).map { (fields.row($0.name), $0.source) }
      self.list = list
    }

    /// By the index of their names.
    static let all = [
      DirectTemplate(.basic, pictures: [("adb_image", .httpsOrName)], list: .buttons),
      DirectTemplate(.carousel, needs: ["adb_car_layout"], undrawn: ["adb_image"], list: .slides),
      DirectTemplate(
        .timer, needs: ["adb_title_alt"], undrawn: ["adb_large_icon", "adb_clr_bg"],
        pictures: [("adb_image", .httpsOrName), ("adb_image_alt", .httpsOrName)]),
      DirectTemplate(
        .input, needs: ["adb_input_receiver"], pictures: [("adb_image", .https), ("adb_feedback_img", .https)]),
      DirectTemplate(.zeroBezel, undrawn: ["adb_large_icon", "adb_clr_bg"], pictures: [("adb_image", .https)]),
      DirectTemplate(
        .rating, needs: ["adb_rate_unselected_icon", "adb_rate_selected_icon"],
        pictures: [
          ("adb_image", .https), ("adb_rate_unselected_icon", .httpsOrName), ("adb_rate_selected_icon", .httpsOrName),
        ], list: .ratings),
      DirectTemplate(
        .catalog, needs: ["adb_cta_txt", "adb_cta_clr", "adb_cta_txt_clr", "adb_cta_uri", "adb_display"],
        undrawn: ["adb_body_ex", "adb_image", "adb_large_icon"], list: .products),
      DirectTemplate(
        .icons, undrawn: ["adb_body_ex", "adb_image", "adb_large_icon", "adb_clr_title", "adb_clr_body"],
        pictures: [("adb_cancel_image", .httpsOrName)], list: .icons),
    ]
  }

  /// A list of which every element is drawn.
  private final class DirectList: Sendable {
    /// Its row, and how many elements Android draws.
    let row: Int
    let counts: ClosedRange<Int>
    /// The members of an element, in the order of the answer; each is a string.
    private let names: [JSONKey]
    private let table: JSONKeyTable
    /// The members without which the element is none.
    private let needs: [JSONKey]
    /// True when an icon may be a drawable of the app.
    private let isNamed: Bool
    /// True when the uri of a kind of link that opens none is left out.
    private let dropsURI: Bool
    private let kind: DirectTemplate.Kind

    private init(
      _ kind: DirectTemplate.Kind, _ row: String, _ counts: ClosedRange<Int>, _ names: [JSONKey], needs: [JSONKey]
    ) {
      (self.kind, self.row, self.counts) = (kind, fields.row(row), counts)
      (self.names, self.needs, table) = (names, needs, JSONKeyTable(names))
      (isNamed, dropsURI) = (kind == .icons, kind != .rating)
    }

    static let buttons = DirectList(
      .basic, "adb_act", 1...buttonsMax, ["label", "uri", "type"], needs: ["label", "type"])
    static let slides = DirectList(
      .carousel, "adb_items", carouselPicturesMin...Int.max, ["img", "txt", "uri"], needs: ["img"])
    static let ratings = DirectList(.rating, "adb_rate_act", ratingCounts, ["uri", "type"], needs: ["type"])
    static let products = DirectList(
      .catalog, "adb_items", productCount...productCount, ["img", "title", "body", "price", "uri"],
      needs: ["img", "title", "body", "price", "uri"])
    static let icons = DirectList(.icons, "adb_items", iconCounts, ["img", "type", "uri"], needs: ["img", "type"])

    /// True for an element that is drawn, and of which there is nothing to say.
    ///
    /// - Parameter hasURI: whether the notification opens a uri.
    func takes(_ node: JSONNode, of list: JSONDocument, on platform: Platform, besideURI hasURI: Bool) -> Bool {
      guard list.kind(node) == .object else { return false }
      var cursor = list.cursor(node)
      while let (name, value) = list.nextMember(&cursor) {
        guard list.kind(value) == .string, list.index(of: name, in: table) != nil else { return false }
      }
      for name in needs where list.member(of: node, name).map({ list.isEmptyString($0) }) ?? true { return false }
      let uri = list.member(of: node, "uri").map { !list.isEmptyString($0) } ?? false
      if let type = list.member(of: node, "type") {
        guard let needsURI = needsURI(type, list), !needsURI || uri else { return false }
        // An icon of another kind opens the uri of the notification.
        return (needsURI || !hasURI || kind != .icons) && isPicture(of: node, list, platform)
      }
      return (uri || !hasURI) && isPicture(of: node, list, platform)
    }

    private func isPicture(of node: JSONNode, _ list: JSONDocument, _ platform: Platform) -> Bool {
      guard let image = list.member(of: node, "img") else { return true }
      return Adobe.isPicture(image, list, isNamed: isNamed) {
        isNamed ? Adobe.isPicture($0, .httpsOrName) : isLoadable($0, on: platform)
      }
    }

    func write(_ node: JSONNode, of list: JSONDocument, into writer: inout JSONWriter) {
      let opensURI = list.member(of: node, "type").map { needsURI($0, list) ?? false } ?? true
      writer.beginObject()
      for name in names {
        guard let value = list.member(of: node, name), opensURI || !dropsURI || name != "uri" else { continue }
        writer.key(name)
        writer.value(value, of: list)
      }
      writer.endObject()
    }
  }
}
