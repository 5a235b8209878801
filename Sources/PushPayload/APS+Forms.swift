public import WireJSON

/// The two forms of `aps.alert`.
public enum APNsAlertForm: PayloadValue {
  /// A string: the body alone.
  case text(String)
  /// An object of texts and keys.
  case object(APNsAlert)

  /// Reads a string or an object.
  public init?(json: JSONValue) {
    switch json {
    case .string(let text): self = .text(text)
    case .object(let object): self = .object(APNsAlert(object: object))
    default: return nil
    }
  }

  /// The form as JSON.
  public var json: JSONValue {
    switch self {
    case .text(let text): .string(text)
    case .object(let alert): .object(alert.object)
    }
  }

  /// The title, when it is plain text.
  public var title: String? {
    if case .object(let alert) = self { alert.title } else { nil }
  }

  /// The body, when it is plain text: the string form, or the object's `body`.
  public var body: String? {
    switch self {
    case .text(let text): text
    case .object(let alert): alert.body
    }
  }
}

/// The two forms of `aps.sound`.
public enum APNsSoundForm: PayloadValue {
  /// `default`, or a file in the app.
  case name(String)
  /// The critical form.
  case object(APNsSound)

  /// Reads a string or an object.
  public init?(json: JSONValue) {
    switch json {
    case .string(let text): self = .name(text)
    case .object(let object): self = .object(APNsSound(object: object))
    default: return nil
    }
  }

  /// The form as JSON.
  public var json: JSONValue {
    switch self {
    case .name(let name): .string(name)
    case .object(let sound): .object(sound.object)
    }
  }
}

extension APS {
  /// `alert`: what is shown.
  public var alert: APNsAlertForm? {
    get { self[name: "alert"] }
    set { self[name: "alert"] = newValue }
  }

  /// `sound`: what is played.
  public var sound: APNsSoundForm? {
    get { self[name: "sound"] }
    set { self[name: "sound"] = newValue }
  }
}

extension APNsAlert {
  /// `title`: the first line, when it is plain text.
  public var title: String? {
    get { self[name: "title"] }
    set { self[name: "title"] = newValue }
  }

  /// `title`: the first line, when a Live Activity has the device look it up.
  public var localizedTitle: APNsLocalizedText? {
    get { self[name: "title"] }
    set { self[name: "title"] = newValue }
  }

  /// `body`: the text, when it is plain.
  public var body: String? {
    get { self[name: "body"] }
    set { self[name: "body"] = newValue }
  }

  /// `body`: the text, when a Live Activity has the device look it up.
  public var localizedBody: APNsLocalizedText? {
    get { self[name: "body"] }
    set { self[name: "body"] = newValue }
  }

  /// Makes an alert of plain texts.
  public init(title: String? = nil, subtitle: String? = nil, body: String? = nil) {
    self.init(object: JSONObject())
    self.title = title
    self.subtitle = subtitle
    self.body = body
  }
}

extension APNsLocalizedText {
  /// Makes a text that the device looks up.
  public init(locKey: String, locArgs: [String]? = nil) {
    self.init(object: JSONObject())
    self.locKey = locKey
    self.locArgs = locArgs
  }
}

extension APNsSound {
  /// Makes a critical sound.
  ///
  /// - Parameters:
  ///   - name: a file in the app, or `default`.
  ///   - volume: 0, silent, to 1, full; values outside are brought to the nearer end.
  public init(criticalName name: String, volume: Double) {
    self.init(object: JSONObject())
    critical = true
    self.name = name
    self.volume = min(max(volume, 0), 1)
  }
}
