internal import Basics

extension Adobe {
  /// `adb_template_type`: which keys a notification may have and how it is drawn.
  public struct Template: RawRepresentable, Sendable, Hashable {
    /// The value on the wire; matched exactly, in lower case.
    public let rawValue: String

    /// A template by its value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Title, text, image and buttons.
    public static let basic = Template(rawValue: "basic")
    /// Three to five pictures to leaf through.
    public static let carousel = Template(rawValue: "car")
    /// A countdown.
    public static let timer = Template(rawValue: "timer")
    /// A text field (Android).
    public static let input = Template(rawValue: "input")
    /// A picture from edge to edge (Android).
    public static let zeroBezel = Template(rawValue: "zb")
    /// Three to five ratings (Android).
    public static let rating = Template(rawValue: "rate")
    /// Three products (Android).
    public static let catalog = Template(rawValue: "cat")
    /// A row of three to five icons (Android).
    public static let icons = Template(rawValue: "icon")

    /// The templates that can be written.
    public static let known: [Template] = [.basic, .carousel, .timer, .input, .zeroBezel, .rating, .catalog, .icons]
    /// The templates that iOS draws too.
    public static let ios: [Template] = [.basic, .carousel, .timer]

    /// True for Journey Optimizer's own templates, which are read only and need no key.
    var isJourneyOptimizer: Bool { rawValue.utf8.starts(with: "ajo_".utf8) }
  }

  /// What kind of link a uri is.
  public struct LinkType: RawRepresentable, Sendable, Hashable {
    /// The value on the wire; matched exactly.
    public let rawValue: String

    /// A kind by its value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Whether both have the same bytes, as Android's library compares them.
    public static func == (left: LinkType, right: LinkType) -> Bool { left.rawValue.hasSameBytes(as: right.rawValue) }

    /// A page on the web.
    public static let webURL = LinkType(rawValue: "WEBURL")
    /// A screen of the app.
    public static let deepLink = LinkType(rawValue: "DEEPLINK")
    /// The notification is dismissed.
    public static let dismiss = LinkType(rawValue: "DISMISS")
    /// The app is opened.
    public static let openApp = LinkType(rawValue: "OPENAPP")
    /// What Adobe's library takes for a missing kind, and for an unknown one of a button.
    public static let nothing = LinkType(rawValue: "NONE")

    /// The kinds of Adobe's documents.
    public static let known: [LinkType] = [.webURL, .deepLink, .dismiss, .openApp]
    /// The kinds that Android's library reads without refusing the notification.
    static let readable: [LinkType] = known + [.nothing]

    /// True for what Android's library reads without refusing it.
    var isReadable: Bool { LinkType.readable.contains(self) }
    /// True when the kind opens a uri.
    public var needsURI: Bool { self == .webURL || self == .deepLink }
  }

  /// `adb_n_priority`: importance from Android 8.0, priority before.
  public struct Priority: RawRepresentable, Sendable, Hashable {
    /// The value on the wire; matched exactly.
    public let rawValue: String

    /// A priority by its value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Shown without a sound, out of the way.
    public static let min = Priority(rawValue: "PRIORITY_MIN")
    /// Shown without a sound.
    public static let low = Priority(rawValue: "PRIORITY_LOW")
    /// Ordinary; what an unknown value is read as.
    public static let `default` = Priority(rawValue: "PRIORITY_DEFAULT")
    /// Shown at once.
    public static let high = Priority(rawValue: "PRIORITY_HIGH")
    /// The most urgent.
    public static let max = Priority(rawValue: "PRIORITY_MAX")

    /// The priorities that can be written.
    public static let known: [Priority] = [.min, .low, .default, .high, .max]
  }

  /// `adb_n_visibility`: what the lock screen shows.
  public struct Visibility: RawRepresentable, Sendable, Hashable {
    /// The value on the wire; matched exactly.
    public let rawValue: String

    /// A visibility by its value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// That there is a notification; what an unknown value is read as.
    public static let `private` = Visibility(rawValue: "PRIVATE")
    /// Everything.
    public static let `public` = Visibility(rawValue: "PUBLIC")
    /// Nothing.
    public static let secret = Visibility(rawValue: "SECRET")

    /// The visibilities that can be written.
    public static let known: [Visibility] = [.private, .public, .secret]
  }

  /// One button of `adb_act`.
  public struct Button: Sendable, Hashable {
    /// The text on the button.
    public var label: String
    /// What it opens; nil for kinds that open nothing.
    public var uri: String?
    /// What kind of link `uri` is.
    public var type: LinkType
    /// Members of a message that no library reads; they are not written.
    var unknownMembers: [String] = []

    /// Makes a button.
    public init(label: String, uri: String? = nil, type: LinkType) {
      self.label = label
      self.uri = uri
      self.type = type
    }
  }

  /// One element of `adb_items`: which members matter depends on the template.
  public struct Item: Sendable, Hashable {
    /// The address of the picture; an icon may also name a drawable.
    public var image: String?
    /// `txt`: the caption (carousel).
    public var text: String?
    /// The title (catalog).
    public var title: String?
    /// The body (catalog).
    public var body: String?
    /// The price (catalog).
    public var price: String?
    /// What a tap opens.
    public var uri: String?
    /// What kind of link `uri` is (icons).
    public var type: LinkType?
    /// Members of a message that no library reads; they are not written.
    var unknownMembers: [String] = []

    /// Makes an element.
    public init(
      image: String? = nil, text: String? = nil, title: String? = nil, body: String? = nil, price: String? = nil,
      uri: String? = nil, type: LinkType? = nil
    ) {
      self.image = image
      self.text = text
      self.title = title
      self.body = body
      self.price = price
      self.uri = uri
      self.type = type
    }
  }

  /// One element of `adb_rate_act`: what a rating opens.
  public struct Rating: Sendable, Hashable {
    /// What it opens; nil for kinds that open nothing.
    public var uri: String?
    /// What kind of link `uri` is.
    public var type: LinkType
    /// Members of a message that no library reads; they are not written.
    var unknownMembers: [String] = []

    /// Makes a rating.
    public init(uri: String? = nil, type: LinkType) {
      self.uri = uri
      self.type = type
    }
  }
}
