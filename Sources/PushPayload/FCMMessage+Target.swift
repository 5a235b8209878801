internal import WireJSON

extension FCMMessage {
  /// The one target; nil when the message names none or more than one.
  ///
  /// Setting it removes every other target member, so a message built in Swift has exactly one. A target of the same
  /// kind keeps its position; a new one becomes the first member, as in the guides.
  public var target: FCMTarget? {
    get { FCMRequest.target(of: object) }
    set {
      for key in FCMTarget.keys where key != newValue?.key { _ = object.removeValue(forKey: key) }
      guard let newValue else { return }
      if object[newValue.key] != nil { return object[newValue.key] = .string(newValue.value) }
      var members = JSONObject()
      members.append(newValue.key, .string(newValue.value))
      for (key, value) in object { members.append(key, value) }
      object = members
    }
  }

  /// Makes a message to one target.
  public init(target: FCMTarget, notification: FCMNotification? = nil, data: FCMStringMap? = nil) {
    self.init(object: JSONObject())
    self.target = target
    self.notification = notification
    self.data = data
  }

  /// The request body for this message.
  public func request(validateOnly: Bool = false) -> FCMRequest {
    FCMRequest(message: object, validateOnly: validateOnly)
  }
}

extension FCMNotification {
  /// Makes a notification of plain texts.
  public init(title: String? = nil, body: String? = nil, image: String? = nil) {
    self.init(object: JSONObject())
    self.title = title
    self.body = body
    self.image = image
  }
}

extension FCMLightSettings {
  /// Makes the settings; all three are required.
  public init(color: FCMColor, on: FCMDuration, off: FCMDuration) {
    self.init(object: JSONObject())
    self.color = color
    lightOnDuration = on
    lightOffDuration = off
  }
}

extension FCMColor {
  /// Makes a color from eight-bit parts, as the Admin SDKs do from `#rrggbb`.
  public init(_ color: FCMHexColor, alpha: UInt8 = 255) {
    self.init(object: JSONObject())
    red = Double(color.red) / 255
    green = Double(color.green) / 255
    blue = Double(color.blue) / 255
    self.alpha = Double(alpha) / 255
  }
}
