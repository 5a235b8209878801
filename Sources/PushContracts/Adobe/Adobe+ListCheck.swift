import PushPayload
import WireJSON

/// What Android's library and the content extension on iOS make of the lists, the timer and the names in a message.
///
/// A list is written as it is given, and what the device leaves out of it is a warning; it is an error only where the
/// device then shows nothing. An address that a button needs is an error as well: Adobe's page requires it.
extension Adobe {
  // MARK: Buttons

  /// Of buttons that are not drawn there is only that to say, which ``reportUndrawn`` does.
  static func checkButtons(
    _ buttons: [Button], _ builder: AndroidBuilder, atMost limit: Int, _ report: inout Report
  ) {
    guard builder.drawsButtons else {
      let path = FieldPath(members: "adb_act")
      for (index, button) in buttons.enumerated() { checkUnknown(button.unknownMembers, path.element(index), &report) }
      return
    }
    if buttons.isEmpty || buttons.count > limit {
      add(
        "adobe-button-count", .warning, FieldPath(members: "adb_act"),
        "\(counted(buttons.count, "button")); there are one to three, two with “remind later”, and Android draws no more",
        &report)
    }
    for index in buttons.indices {
      // Nothing is to be said of most.
      if buttons[index].unknownMembers.isEmpty, !buttons[index].label.isEmpty, buttons[index].type.needsURI,
        has(buttons[index].uri)
      {
        continue
      }
      let button = buttons[index]
      let path = FieldPath(members: "adb_act").element(index)
      checkUnknown(button.unknownMembers, path, &report)
      checkButton(button, path, &report)
    }
  }

  private static func checkButton(_ button: Button, _ path: FieldPath, _ report: inout Report) {
    let missing = button.label.isEmpty ? "label" : button.type.rawValue.isEmpty ? "type" : Optional.none
    if let missing {
      add(
        "adobe-list-skipped", .warning, path.member(missing),
        "the \(missing) is missing or empty; Android leaves out the button", &report)
    } else if !button.type.isReadable || button.type == .nothing {
      add(
        "adobe-link-type", .warning, path.member("type"),
        "\(quoted(button.type.rawValue)) is none of WEBURL, DEEPLINK, DISMISS and OPENAPP, so the button opens the app",
        &report
      )
    } else if button.type.needsURI {
      guard !has(button.uri) else { return }
      // Adobe's page requires it.
      add(
        "adobe-uri-missing", .error, path.member("uri"),
        "\(button.type.rawValue) opens a uri, and there is none; add it, or take OPENAPP", &report)
    } else {
      checkUnused(button.uri, button.type, path, isWritten: true, &report)
    }
  }

  /// A uri of a kind of link that opens none.
  ///
  /// - Parameter isWritten: true for an element in which an absent uri is written empty, as Adobe's page requires the member.
  private static func checkUnused(
    _ uri: String?, _ type: LinkType, _ path: FieldPath, isWritten: Bool, _ report: inout Report
  ) {
    // An icon's empty type is NONE.
    let name = (type.rawValue.isEmpty ? LinkType.nothing : type).rawValue
    if uri == nil {
      add(
        "adobe-uri-unused", .note, path.member("uri"),
        "\(name) opens no uri; " + (isWritten ? "the required member is written empty" : "none is needed"), &report)
    } else if has(uri) {
      add("adobe-uri-unused", .warning, path.member("uri"), "\(name) does not open the uri", &report)
    }
  }

  private static func checkUnknown(_ names: [String], _ path: FieldPath, _ report: inout Report) {
    for name in names {
      add(
        "field-unknown", .warning, path.member(name), "adobe has no member \(name) here, so it is left out", &report)
    }
  }

  // MARK: Ratings

  /// One bad rating costs all of them, and without three to five nothing is shown.
  static func checkRatings(_ message: Message, _ report: inout Report) {
    guard let ratings = message.ratings else { return }
    let path = FieldPath(members: "adb_rate_act")
    let isDrawn = message.shownTemplate == .rating
    if isDrawn, !ratingCounts.contains(ratings.count) {
      add("adobe-item-count", .error, path, "\(counted(ratings.count, "rating")); there are 3 to 5", &report)
    }
    for (index, rating) in ratings.enumerated() {
      let path = path.element(index)
      checkUnknown(rating.unknownMembers, path, &report)
      if !rating.type.isReadable {
        let name = rating.type.rawValue
        add(
          "adobe-link-type", isDrawn ? .error : .warning, path.member("type"),
          (name.isEmpty ? "the kind of link is missing or empty" : "there is no kind of link \(quoted(name))")
            + "; take WEBURL, DEEPLINK, DISMISS, OPENAPP or NONE", &report)
      } else if !rating.type.needsURI {
        checkUnused(rating.uri, rating.type, path, isWritten: true, &report)
      } else if !has(rating.uri) {
        add(
          "adobe-uri-missing", .warning, path.member("uri"),
          "\(rating.type.rawValue) opens a uri, and there is none; the rating opens the app", &report)
      }
    }
  }

  // MARK: Pictures, products and icons

  static func checkItems(_ message: Message, _ report: inout Report) {
    guard let items = message.items else { return }
    let path = FieldPath(members: "adb_items")
    for (index, item) in items.enumerated() { checkUnknown(item.unknownMembers, path.element(index), &report) }
    switch message.shownTemplate {
    case .carousel: checkCarousel(items, path, &report)
    case .catalog: checkProducts(items, path, &report)
    case .icons: checkIcons(items, path, &report)
    default: return
    }
  }

  /// Android's library reads up to the first element without a picture, draws a carousel of three pictures or more, and
  /// Adobe's documents name five.
  private static func checkCarousel(_ items: [Item], _ path: FieldPath, _ report: inout Report) {
    let kept = items.prefix { $0.image != nil }
    if kept.count < items.count {
      add(
        "adobe-item-member", .warning, path.element(kept.count).member("img"),
        "an element for car needs img; Android leaves out this element and those after it", &report)
    }
    for (index, item) in kept.enumerated() where !isLoadable(item.image, on: .android) {
      add(
        "adobe-item-member", .warning, path.element(index).member("img"),
        "\(pictureFault(item.image, on: .android)); Android leaves out this element", &report)
    }
    let count = kept.filter { isLoadable($0.image, on: .android) }.count
    if count < carouselPicturesMin {
      addCount(
        path, count, "picture", "; Android draws a carousel of 3 or more, and the template basic instead", .warning,
        &report)
    } else if items.count > carouselPicturesMax {
      addCount(path, items.count, "picture", "; Adobe's documents name 3 to 5", .warning, &report)
    }
  }

  /// One product that lacks a text costs all of them, and without three nothing is shown.
  private static func checkProducts(_ items: [Item], _ path: FieldPath, _ report: inout Report) {
    if items.count != productCount { addCount(path, items.count, "product", "; there are exactly 3", .error, &report) }
    for (index, item) in items.enumerated() {
      let members = [
        ("title", item.title), ("body", item.body), ("img", item.image), ("price", item.price), ("uri", item.uri),
      ]
      for (name, value) in members where !has(value) || name == "img" && !isLoadable(value, on: .android) {
        add(
          "adobe-item-member", value == nil || name == "img" ? .error : .warning, path.element(index).member(name),
          value == nil
            ? "an element for cat needs \(name)"
            : name == "img"
              ? "\(pictureFault(value, on: .android)); a product without a picture costs all of them: Android shows nothing"
              : "\(name) is empty, so it is missing in the product",
          &report)
      }
    }
  }

  /// An icon that lacks something is left out, and without three to five nothing is shown.
  private static func checkIcons(_ items: [Item], _ path: FieldPath, _ report: inout Report) {
    var count = 0
    var pictures = 0
    for (index, item) in items.enumerated() {
      guard let (name, reason) = fault(ofIcon: item) else {
        count += 1
        if isPicture(item.image, .httpsOrName) {
          pictures += 1
        } else {
          addNoIcon(item.image, path.element(index), &report)
        }
        if let type = item.type, !type.needsURI {
          checkUnused(item.uri, type, path.element(index), isWritten: false, &report)
        }
        continue
      }
      add(
        "adobe-item-member", .warning, path.element(index).member(name), "\(reason); Android leaves out the icon",
        &report)
    }
    guard iconCounts.contains(count) else {
      return addCount(path, count, "icon", " that can be shown; there are 3 to 5", .error, &report)
    }
    guard !iconCounts.contains(pictures) else { return }
    addCount(path, pictures, "icon", " that can be downloaded; there are 3 to 5", .error, &report)
  }

  /// An icon that is read, and whose picture cannot be downloaded.
  static func addNoIcon(_ image: String?, _ path: FieldPath, _ report: inout Report) {
    add(
      "adobe-item-member", .warning, path.member("img"),
      "\(pictureFault(image, on: .android)); Android leaves out the icon", &report)
  }

  /// What an icon lacks: the member and a sentence; nil for a good one.
  private static func fault(ofIcon item: Item) -> (member: String, reason: String)? {
    guard has(item.image) else { return ("img", "an element for icon needs img, with text") }
    guard let type = item.type else { return ("type", "an element for icon needs type") }
    if type.rawValue.isEmpty { return Optional.none }
    guard type.isReadable else { return ("type", "there is no kind of link \(quoted(type.rawValue))") }
    return type.needsURI && !has(item.uri) ? ("uri", "\(type.rawValue) opens a uri, and there is none") : Optional.none
  }

  /// The content extension on iOS leaves out elements without a picture and draws any number of the others.
  static func checkAppleItems(_ message: Message, _ report: inout Report) {
    guard message.template == .carousel, let items = message.items else { return }
    let path = FieldPath(members: "adb_items")
    for (index, item) in items.enumerated() where !isLoadable(item.image, on: .ios) {
      let fault = item.image == nil ? "an element for car needs img" : pictureFault(item.image, on: .ios)
      add(
        "adobe-item-member", .warning, path.element(index).member("img"), "\(fault); iOS leaves out this element",
        &report)
    }
    guard items.count > carouselPicturesMax else { return }
    addCount(path, items.count, "picture", "; Adobe's documents name 2 to 5 on iOS", .warning, &report)
  }

  private static func addCount(
    _ path: FieldPath, _ count: Int, _ name: String, _ rest: String, _ severity: Severity, _ report: inout Report
  ) {
    add("adobe-item-count", severity, path, counted(count, name) + rest, &report)
  }

  // MARK: Timer and names

  /// Without a time, or with one below 0, Android's timer has ended when it arrives; without a tag its end changes nothing.
  static func checkTimer(_ message: Message, _ report: inout Report) {
    guard message.shownTemplate == .timer else { return }
    checkTimerEnd(message, &report)
    if message.tag == nil { addTimerTag(FieldPath(members: "adb_tag"), &report) }
  }

  private static func checkTimerEnd(_ message: Message, _ report: inout Report) {
    let times = [("adb_tmr_dur", message.timerSeconds), ("adb_tmr_end", message.timerEnd)]
    let hasTime = times.contains { $0.1.map { Int64(exactly: $0) != nil } ?? false }
    for (field, seconds) in times {
      guard let seconds, Int64(exactly: seconds) == nil else { continue }
      add(
        "adobe-timer-end", hasTime ? .warning : .error, FieldPath(members: field),
        "Android reads whole seconds of 64 bits only, so \(seconds) is taken as absent there"
          + (hasTime ? "" : ", and the timer has ended when it arrives: Android shows nothing"), &report)
    }
    if let seconds = message.timerSeconds, seconds < 0, Int64(exactly: seconds) != nil {
      add(
        "adobe-timer-end", .error, FieldPath(members: "adb_tmr_dur"),
        "a timer below 0 seconds has ended when it arrives: Android shows nothing; give 0 or more", &report)
    }
    if let seconds = message.timerSeconds, isBeyondTime(seconds), Int64(exactly: seconds) != nil {
      add(
        "adobe-timer-end", .error, FieldPath(members: "adb_tmr_dur"),
        "the end of the timer is beyond 64 bits, so it has ended when it arrives: Android shows nothing; give less",
        &report)
    }
    guard times.allSatisfy({ $0.1 == nil }) else { return }
    add(
      "adobe-timer-end", .error, FieldPath(members: "adb_tmr_dur"),
      "Android's timer needs adb_tmr_dur or adb_tmr_end; without one it has ended when it arrives, and nothing is shown",
      &report)
  }

  /// Numbers that Android's library takes as absent, or for a time that has passed.
  private static func checkNumbers(_ message: Message, _ report: inout Report) {
    guard message.badge != nil || message.remindSeconds != nil else { return }
    for (field, number) in [("adb_n_count", message.badge), ("adb_rem_sec", message.remindSeconds)] {
      guard let number, Int32(exactly: number) == nil else { continue }
      add(
        "adobe-number", .warning, FieldPath(members: field),
        "Android reads integers of 32 bits, up to \(Int32.max), so \(number) is taken as absent there", &report)
    }
    if let count = message.badge, count < 0 {
      add("adobe-number", .warning, FieldPath(members: "adb_n_count"), "a count below 0 is not shown", &report)
    }
    if let seconds = message.remindSeconds, seconds <= 0, androidBuilder(of: message).drawsReminder {
      add(
        "adobe-time-past", .warning, FieldPath(members: "adb_rem_sec"),
        "0 seconds or less are no time to remind at; give more than 0", &report)
    }
  }

  /// Names that Android's library does not know, and what it takes for them.
  static func checkNames(_ message: Message, _ report: inout Report) {
    if let template = message.template, !Template.known.contains(template) {
      add(
        "adobe-template-unknown", .warning, FieldPath(members: "adb_template_type"),
        template.isJourneyOptimizer
          ? "\(template.rawValue) is a template of Journey Optimizer, whose library shows title and body and does not read "
            + "every key"
          : "there is no template \(quoted(template.rawValue)); Android draws title and text without a template",
        &report)
    }
    if let text = message.stickyText { checkSticky(text, FieldPath(), "written", &report) }
    checkNumbers(message, &report)
    guard hasUnknownChoice(message) else { return }
    var read = message
    readChoices(&read, FieldPath(), &report)
  }
}
