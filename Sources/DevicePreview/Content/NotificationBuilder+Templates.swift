internal import Basics
import PushContracts
import PushPayload
import WireJSON

/// What Adobe's templates add: layouts of their own, more to tap on, and a timer after whose end there are other texts.
extension NotificationBuilder {
  /// Names the template that is drawn, and the one that the push asks for where that is another.
  mutating func nameTemplate(_ drawn: Adobe.Template?, asked: Adobe.Template?) {
    notification.template = drawn?.rawValue
    notification.askedTemplate = asked == drawn ? nil : asked?.rawValue
  }

  /// What a template draws, of the one that is drawn.
  mutating func readAdobeTemplate(_ message: Adobe.Message, _ template: Adobe.Template) {
    switch template {
    case .timer: readTimer(message)
    case .carousel: readCarousel(message)
    case .input: readInput(message)
    case .zeroBezel: notification.layout = .zeroBezel(hasCollapsedPicture: message.collapsedStyle != "txt")
    case .rating: readRating(message)
    case .catalog: readCatalog(message)
    case .icons: readIcons(message)
    default: return
    }
  }

  /// Android's library takes a timer for ended after its last second, the extension on iOS with it.
  ///
  /// On Android what comes after the end replaces the notification with the same tag: one without a tag keeps
  /// what it has.
  private mutating func readTimer(_ message: Adobe.Message) {
    let left = secondsLeft(message)
    let isAndroid = push.platform == .android
    let changes = !isAndroid || message.tag != nil
    let hasEnded = changes && left.map { isAndroid ? $0 < 0 : $0 <= 0 } ?? false
    let color = message.timerColor.flatMap { ShownColor($0) }
    notification.layout = .timer(
      TimerLayout(secondsLeft: left.map { max(0, $0.whole) }, hasEnded: hasEnded, color: color))
    if let left, changes, !hasEnded { notification.secondsToChange = isAndroid ? left.whole + 1 : left.whole }
    guard hasEnded else { return }
    let title = message.alternateTitle.map { NotificationText($0) }
    let body = message.alternateBody.map { NotificationText($0) }
    if isAndroid {
      notification.title = title
      notification.body = body
      notification.expandedBody = NotificationText(message.alternateExpandedBody ?? "")
      readEndedLooks(message)
      let isDrawn = Adobe.isPicture(message.alternateImage, .httpsOrName)
      notification.image = isDrawn ? message.alternateImage : nil
    } else {
      // iOS itself knows no timer: only what the extension draws changes. It reads no adb_body_ex_alt, and there is no body
      // without adb_body_alt.
      notification.expandedTitle = title ?? notification.expandedTitle
      notification.expandedBody = body ?? NotificationText("")
      if let image = message.alternateImage {
        notification.image = Adobe.isLoadable(image, on: .ios) ? image : nil
      }
    }
  }

  /// What the layouts of a running timer have no view for.
  private mutating func readEndedLooks(_ message: Adobe.Message) {
    notification.largeIcon = Adobe.AndroidBuilder.template(.timer).givenLargeIcon(of: message)
    notification.backgroundColor = message.backgroundColor.flatMap { ShownColor($0) }
  }

  /// How many seconds a timer has left; below zero for one without a time on Android, nil when that is not known.
  private func secondsLeft(_ message: Adobe.Message) -> Double? {
    if let seconds = message.timerSeconds { return seconds - Double(device.age) }
    guard let end = message.timerEnd else { return push.platform == .android ? -1 : nil }
    return device.now.map { end - Double($0) - Double(device.age) }
  }

  /// Android draws fewer than three pictures as a plain notification; what cannot be downloaded is no picture.
  private mutating func readCarousel(_ message: Adobe.Message) {
    let items = Self.items(message).filter { Adobe.isLoadable($0.image, on: push.platform) }
    let isAndroid = push.platform == .android
    guard items.count >= (isAndroid ? 3 : 1) else { return }
    notification.images = []
    // Android's builder of a carousel that moves by itself knows one layout.
    let movesByItself = Adobe.movesByItself(message)
    notification.layout = .carousel(
      items: items, isFilmstrip: message.carouselLayout == "filmstrip" && !(isAndroid && movesByItself),
      movesByItself: movesByItself)
    // Without a uri of its own a picture opens the app on iOS, and has the text of the alert below it.
    if !isAndroid, let first = items.first { notification.expandedBody = first.title.map { NotificationText($0) } }
    addTargets(items, opensApp: !isAndroid || movesByItself)
  }

  private mutating func readInput(_ message: Adobe.Message) {
    let hint = message.inputHint.flatMap { $0.isEmpty ? nil : $0 } ?? Adobe.inputHintDefault
    notification.layout = .input(
      hint: hint, feedbackText: message.feedbackText,
      feedbackImage: message.feedbackImage.flatMap { Adobe.isPicture($0, .https) ? $0 : nil })
    notification.targets.append(ShownButton(id: "reply", label: hint, effect: .reply))
  }

  /// The data of an FCM message.
  private var data: JSONObject { notification.payload["data"]?.object ?? [:] }

  private mutating func readRating(_ message: Adobe.Message) {
    guard let ratings = message.ratings, let icon = message.ratingIcon, let selected = message.ratingSelectedIcon,
      !ratings.isEmpty
    else { return }
    let chosen = Adobe.chosenRating(in: data).flatMap { Int(exactly: $0) }.map { $0 + 1 } ?? 0
    notification.layout = .rating(
      RatingLayout(icon: icon, selectedIcon: selected, count: ratings.count, chosen: min(chosen, ratings.count)))
    for (index, rating) in ratings.enumerated() {
      notification.targets.append(
        ShownButton(
          id: "rating-\(index + 1)", label: "\(index + 1)", effect: Self.effect(of: rating.type, rating.uri),
          link: rating.uri))
    }
  }

  private mutating func readCatalog(_ message: Adobe.Message) {
    var items = Self.items(message)
    guard !items.isEmpty else { return }
    notification.images = []
    // The expanded layouts have no view for title and text, the horizontal one none for the texts of a product.
    notification.expandedTitle = NotificationText("")
    let isVertical = message.catalogLayout == "vertical"
    if !isVertical {
      for index in items.indices {
        items[index].body = nil
        items[index].price = nil
      }
    }
    let button = message.callToActionText.map {
      CatalogButton(
        label: $0, color: message.callToActionColor.flatMap { ShownColor($0) },
        labelColor: message.callToActionTextColor.flatMap { ShownColor($0) })
    }
    let chosen = Int(exactly: Adobe.firstProduct(in: data)) ?? 0
    notification.layout = .catalog(
      CatalogLayout(
        items: items, chosen: items.indices.contains(chosen) ? chosen : 0, isVertical: isVertical, button: button))
    addTargets(items)
    guard let button else { return }
    notification.targets.append(
      ShownButton(
        id: "button", label: button.label, effect: message.callToActionURI.map(Self.effect(ofURI:)) ?? .openApp,
        link: message.callToActionURI))
  }

  private mutating func readIcons(_ message: Adobe.Message) {
    // An icon whose picture cannot be downloaded is not drawn, and nothing to tap on.
    let drawn = (message.items ?? []).filter { Adobe.isPicture($0.image, .httpsOrName) }
    guard !drawn.isEmpty else { return }
    // The row replaces the texts.
    notification.title = nil
    notification.body = nil
    notification.expandedBody = nil
    notification.images = []
    let given = message.cancelImage.flatMap { $0.isEmpty ? nil : $0 } ?? Adobe.cancelImageDefault
    let cancel = Adobe.isPicture(given, .httpsOrName) ? given : nil
    notification.layout = .icons(items: drawn.compactMap(Self.layoutItem), cancelIcon: cancel)
    let uri = message.uri.flatMap { $0.isEmpty ? nil : $0 }
    for (index, item) in drawn.enumerated() {
      // An icon without a uri of its own opens adb_uri, whatever its kind is.
      let effect = item.uri == nil ? uri.map(Self.effect(ofURI:)) : nil
      notification.targets.append(
        ShownButton(
          id: "item-\(index + 1)", label: item.image ?? "", effect: effect ?? Self.effect(of: item.type),
          link: item.uri ?? uri))
    }
    if let cancel { notification.targets.append(ShownButton(id: "cancel", label: cancel, effect: .dismiss)) }
  }

  private static func items(_ message: Adobe.Message) -> [LayoutItem] {
    (message.items ?? []).compactMap(layoutItem)
  }

  private static func layoutItem(_ item: Adobe.Item) -> LayoutItem? {
    item.image.map {
      LayoutItem(image: $0, title: item.title ?? item.text, body: item.body, price: item.price, link: item.uri)
    }
  }

  /// Each item opens its own link, and without one what the notification opens, or the app.
  private mutating func addTargets(_ items: [LayoutItem], opensApp: Bool = false) {
    let other = opensApp ? (.openApp, nil) : (notification.tapEffect, notification.link)
    for (index, item) in items.enumerated() {
      let link = item.link.flatMap { $0.isEmpty ? nil : $0 }
      notification.targets.append(
        ShownButton(
          id: "item-\(index + 1)", label: item.title ?? "\(index + 1)",
          effect: link.map(Self.effect(ofURI:)) ?? other.0, link: link ?? other.1))
    }
  }
}

extension Double {
  /// The whole seconds, small enough to be added to.
  fileprivate var whole: WholeNumber { WholeNumber(Swift.min(Swift.max(self, -1e15), 1e15)) }
}

extension Adobe.Template {
  /// Whether it draws the pictures of `adb_items`.
  var hasItems: Bool { [.carousel, .catalog, .icons].contains(self) }
}
