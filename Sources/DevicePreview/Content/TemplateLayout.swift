public import Basics
public import WireJSON

/// What one of Adobe's templates draws besides title, text, picture and buttons.
public enum TemplateLayout: Sendable, Hashable {
  /// `timer`: a countdown, with other texts after its end.
  case timer(TimerLayout)
  /// `car`: pictures to leaf through.
  case carousel(items: [LayoutItem], isFilmstrip: Bool, movesByItself: Bool)
  /// `input`: a field to type an answer into (Android).
  case input(hint: String, feedbackText: String?, feedbackImage: String?)
  /// `zb`: a picture from edge to edge; when collapsed too, unless only texts are asked for (Android).
  case zeroBezel(hasCollapsedPicture: Bool)
  /// `rate`: a row of ratings to choose from, from the lowest (Android).
  case rating(RatingLayout)
  /// `cat`: products, one of them chosen, and a button (Android).
  case catalog(CatalogLayout)
  /// `icon`: a row of icons instead of texts, and one that closes it unless it cannot be drawn (Android).
  case icons(items: [LayoutItem], cancelIcon: String?)
}

/// A picture of a carousel, a product of a catalog, or an icon.
public struct LayoutItem: Sendable, Hashable {
  /// The address of the picture, or a drawable's name.
  public var image: String
  /// The caption (carousel) or the title (catalog).
  public var title: String?
  /// The text (catalog).
  public var body: String?
  /// The price (catalog).
  public var price: String?
  /// What a tap opens; nil for what a tap on the notification opens.
  public var link: String?

  /// Makes an item.
  public init(
    image: String, title: String? = nil, body: String? = nil, price: String? = nil, link: String? = nil
  ) {
    self.image = image
    self.title = title
    self.body = body
    self.price = price
    self.link = link
  }
}

/// A row of ratings.
public struct RatingLayout: Sendable, Hashable {
  /// The address of the icon of a rating that is not chosen, or a drawable's name.
  public var icon: String
  /// The same of one that is chosen.
  public var selectedIcon: String
  /// How many there are.
  public var count: Int
  /// How many of them, from the lowest, are drawn as chosen, with a button that confirms.
  public var chosen: Int

  /// Makes a row of ratings.
  public init(icon: String, selectedIcon: String, count: Int, chosen: Int = 0) {
    self.icon = icon
    self.selectedIcon = selectedIcon
    self.count = count
    self.chosen = chosen
  }
}

/// The products of a catalog.
public struct CatalogLayout: Sendable, Hashable {
  /// The products; a horizontal catalog draws pictures and titles alone.
  public var items: [LayoutItem]
  /// The index of the product whose texts are drawn.
  public var chosen: Int
  /// True when the products are below each other.
  public var isVertical: Bool
  /// The button.
  public var button: CatalogButton?

  /// Makes a catalog.
  public init(items: [LayoutItem], chosen: Int = 0, isVertical: Bool = false, button: CatalogButton? = nil) {
    self.items = items
    self.chosen = chosen
    self.isVertical = isVertical
    self.button = button
  }
}

/// The button of a catalog.
public struct CatalogButton: Sendable, Hashable {
  /// The label.
  public var label: String
  /// The color behind it.
  public var color: ShownColor?
  /// The color of the label.
  public var labelColor: ShownColor?

  /// Makes a button.
  public init(label: String, color: ShownColor? = nil, labelColor: ShownColor? = nil) {
    self.label = label
    self.color = color
    self.labelColor = labelColor
  }
}

/// A countdown.
public struct TimerLayout: Sendable, Hashable {
  /// How many seconds are left at the time of the preview; nil when that is not known.
  public var secondsLeft: WholeNumber?
  /// True when it has ended, and the texts are those for afterwards.
  public var hasEnded: Bool
  /// The color of the numbers.
  public var color: ShownColor?

  /// Makes a countdown.
  public init(secondsLeft: WholeNumber?, hasEnded: Bool, color: ShownColor? = nil) {
    self.secondsLeft = secondsLeft
    self.hasEnded = hasEnded
    self.color = color
  }

  /// `01:02:03`, hours first; dashes when the time left is not known.
  public var clock: String {
    guard let secondsLeft else { return "--:--:--" }
    let seconds = max(0, secondsLeft)
    return [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }
}

extension TemplateLayout {
  /// The layout as JSON: `{timer: {…}}`, `{carousel: {…}}` and so on.
  public var json: JSONObject {
    switch self {
    case .timer(let timer):
      var object: JSONObject = ["ended": .bool(timer.hasEnded)]
      if let left = timer.secondsLeft { object.append("seconds_left", .number(JSONNumber(left))) }
      object.add("color", timer.color?.hex)
      return ["timer": .object(object)]
    case .carousel(let items, let isFilmstrip, let movesByItself):
      return [
        "carousel": [
          "filmstrip": .bool(isFilmstrip), "moves_by_itself": .bool(movesByItself),
          "items": .array(items.map { .object($0.json) }),
        ]
      ]
    case .input(let hint, let text, let image):
      var object: JSONObject = ["hint": .string(hint)]
      object.add("feedback_text", text)
      object.add("feedback_image", image)
      return ["input": .object(object)]
    case .zeroBezel(let hasPicture): return ["zero_bezel": ["collapsed_picture": .bool(hasPicture)]]
    case .rating(let rating):
      var object: JSONObject = [
        "icon": .string(rating.icon), "selected_icon": .string(rating.selectedIcon),
        "count": .number(JSONNumber(rating.count)),
      ]
      if rating.chosen > 0 { object.append("chosen", .number(JSONNumber(rating.chosen))) }
      return ["rating": .object(object)]
    case .catalog(let catalog):
      var object: JSONObject = [
        "vertical": .bool(catalog.isVertical), "items": .array(catalog.items.map { .object($0.json) }),
      ]
      object.add("button", catalog.button?.label)
      if catalog.chosen > 0 { object.append("chosen", .number(JSONNumber(catalog.chosen))) }
      return ["catalog": .object(object)]
    case .icons(let items, let cancel):
      var object: JSONObject = ["items": .array(items.map { .object($0.json) })]
      object.add("cancel", cancel)
      return ["icons": .object(object)]
    }
  }
}

extension LayoutItem {
  /// `{image, title, body, price, link}`.
  public var json: JSONObject {
    var object: JSONObject = ["image": .string(image)]
    object.add("title", title)
    object.add("body", body)
    object.add("price", price)
    object.add("link", link)
    return object
  }

  /// The item in one line.
  var line: String {
    [title, body, price, image].compactMap { $0.flatMap { $0.isEmpty ? nil : $0 } }.joined(separator: ", ")
  }
}

extension TemplateLayout {
  /// What there is to say of it in a terminal, as a name and a value each.
  var details: [(String, String)] {
    switch self {
    case .timer(let timer): return [("timer", timer.hasEnded ? "has ended" : timer.clock)]
    case .carousel(let items, _, _): return items.map { ("picture", $0.line) }
    case .input(let hint, let text, _):
      return [("field", hint)] + (text.map { [("after an answer", $0)] } ?? [])
    case .zeroBezel: return []
    case .rating(let rating):
      return [("ratings", rating.count.description)]
        + (rating.chosen > 0 ? [("chosen", rating.chosen.description)] : [])
    case .catalog(let catalog):
      return catalog.items.map { ("product", $0.line) } + (catalog.button.map { [("button", $0.label)] } ?? [])
    case .icons(let items, _): return items.map { ("icon", $0.line) }
    }
  }
}
