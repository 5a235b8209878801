internal import Basics
package import PushPayload

extension Adobe {
  /// True for an address that the library on a platform can download a picture from.
  ///
  /// Whether there is a picture at the address is not known here. Android's library takes what `java.net.URL` accepts, white
  /// space around it and `url:` before it included, and its network service downloads `https` alone, from an address that has
  /// this word in lower case anywhere; iOS downloads nothing from an address without a scheme and a host.
  /// Source: Adobe, `PushTemplateImageUtils.cacheImages`, `UrlUtils.isValidUrl` and `NetworkService` for Android,
  /// `ImageDownloader` of the content extension for iOS.
  package static func isLoadable(_ address: String?, on platform: Platform) -> Bool {
    guard var address, !address.isEmpty else { return false }
    return address.withUTF8 { text in
      switch platform {
      case .android:
        var start = unsafe text.firstIndex { $0 > 0x20 } ?? text.count
        if unsafe begins(text, from: start, with: "url:") { start += 4 }
        return unsafe hasHost(text, from: start, after: "https://")
          && text.indices.contains {
            unsafe text[$0] == 0x68 && begins(text, from: $0, with: "https", ignoringCase: false)
          }
      case .ios:
        return unsafe hasHost(text, from: 0, after: "https://") || hasHost(text, from: 0, after: "http://")
      }
    }
  }

  /// Where a picture on Android comes from.
  package enum PictureSource: Sendable {
    /// An address that Adobe's network service downloads.
    case https
    /// The same, or a drawable of the app; a text without `://` is taken for its name, which has no extension.
    case httpsOrName
    /// An address that Java's own client downloads; `java.net.URL` takes `url:` before it.
    case web
    /// A drawable of the app, by its name.
    case name
  }

  /// True for a text that represents a picture from a source, as far as that is known without it.
  package static func isPicture(_ text: String?, _ source: PictureSource) -> Bool {
    guard let text, !text.isEmpty else { return false }
    switch source {
    case .https: return isLoadable(text, on: .android)
    case .httpsOrName: return isLoadable(text, on: .android) || isPicture(text, .name)
    case .web:
      let isMarked = text.utf8.prefix(4).elementsEqual("url:".utf8) { $0 | 0x20 == $1 }
      return isLoadable(isMarked ? String(text.dropFirst(4)) : text, on: .ios)
    case .name: return !isAddress(text) && FCMAndroidNotification.isResourceName(text)
    }
  }

  /// True for a text with `://` in it.
  private static func isAddress(_ text: String) -> Bool {
    var rest = text.utf8[...]
    while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
      if rest[colon...].starts(with: "://".utf8) { return true }
      rest = rest[rest.index(after: colon)...]
    }
    return false
  }

  /// A field with a picture, and what a picture that cannot be drawn does.
  private struct PictureField {
    let name: String
    let text: String?
    let source: PictureSource?
    var severity = Severity.warning
    var effect = "Android draws no picture of it"
  }

  /// Reports the pictures that Android's library cannot draw, by the builder that draws the notification.
  ///
  /// - Parameter chosen: the index of the rating that counts as chosen.
  static func reportPictures(
    _ message: Message, _ builder: AndroidBuilder, _ path: FieldPath, chosen: WholeNumber? = Optional.none,
    _ report: inout Report
  ) {
    reportHiddenIcon(message, path, &report)
    androidPictures(message, builder) { reportPicture($0, path, &report) }
    for field in ratingIcons(message, builder, chosen) { reportPicture(field, path, &report) }
  }

  private static func reportPicture(_ field: PictureField, _ path: FieldPath, _ report: inout Report) {
    guard let source = field.source, has(field.text), !isPicture(field.text, source) else { return }
    let kind =
      switch source {
      case .web: "web address"
      case .name: "name of a drawable"
      case .https: "https address"
      case .httpsOrName: "https address and no name of a drawable"
      }
    add(
      "adobe-picture-address", field.severity, path.member(field.name),
      "\(field.name) is no \(kind): \(quoted(field.text ?? "")); \(field.effect)", &report)
  }

  /// Reports a small icon that is not drawn, as an empty one wins over it.
  ///
  /// Source: Adobe, `AEPPushTemplate`, which takes `adb_icon` where `adb_small_icon` is absent.
  private static func reportHiddenIcon(_ message: Message, _ path: FieldPath, _ report: inout Report) {
    guard message.smallIcon == "", has(message.legacyIcon) else { return }
    add(
      "adobe-picture-address", .warning, path.member("adb_icon"),
      "adb_small_icon is empty and wins over adb_icon: Android draws the app's icon; leave adb_small_icon out", &report)
  }

  /// Hands on each field with a picture that is given.
  private static func androidPictures(
    _ message: Message, _ builder: AndroidBuilder, _ take: (PictureField) -> Void
  ) {
    func name(of template: Template) -> PictureSource? { builder == .template(template) ? .httpsOrName : Optional.none }
    if has(message.image) {
      take(PictureField(name: "adb_image", text: message.image, source: builder.imageSource))
    }
    if has(message.largeIcon), builder.drawsLargeIcon(of: message) != .nowhere {
      take(PictureField(name: "adb_large_icon", text: message.largeIcon, source: .httpsOrName))
    }
    if has(message.alternateImage) {
      take(PictureField(name: "adb_image_alt", text: message.alternateImage, source: name(of: .timer)))
    }
    if has(message.feedbackImage), builder == .template(.input) {
      take(PictureField(name: "adb_feedback_img", text: message.feedbackImage, source: .https))
    }
    if has(message.cancelImage) {
      take(
        PictureField(
          name: "adb_cancel_image", text: message.cancelImage, source: name(of: .icons),
          effect: "Android draws no closing icon"))
    }
    if message.smallIcon != nil || message.legacyIcon != nil {
      take(
        PictureField(
          name: message.smallIcon == nil ? "adb_icon" : "adb_small_icon", text: message.shownIcon, source: .name,
          effect: "Android draws the app's icon"))
    }
  }

  /// The icons of ratings: each rating up to the chosen one has the one icon, those after it have the other.
  private static func ratingIcons(
    _ message: Message, _ builder: AndroidBuilder, _ chosen: WholeNumber?
  ) -> [PictureField] {
    guard builder == .template(.rating) else { return [] }
    let count = message.ratings.map { WholeNumber($0.count) } ?? 0
    let isAnyOther = chosen.map { $0 + 1 < count || $0 >= count } ?? true
    return [
      PictureField(
        name: "adb_rate_unselected_icon", text: message.ratingIcon, source: .httpsOrName,
        severity: isAnyOther ? .error : .warning,
        effect: isAnyOther ? notShown : "Android does not draw a rating that is not chosen"),
      PictureField(
        name: "adb_rate_selected_icon", text: message.ratingSelectedIcon, source: .httpsOrName,
        severity: chosen == nil ? .warning : .error,
        effect: chosen == nil ? "Android does not draw a rating that is chosen" : notShown),
    ]
  }

  /// Reports the pictures that the content extension on iOS cannot download.
  static func reportApplePictures(_ message: Message, _ isDrawn: Bool, _ report: inout Report) {
    guard isDrawn, message.template != .carousel else { return }
    reportApplePicture("adb_media", message.image, &report)
    if message.template == .timer { reportApplePicture("adb_media_alt", message.alternateImage, &report) }
  }

  static func reportApplePicture(_ name: String, _ text: String?, _ report: inout Report) {
    guard let text, !text.isEmpty, !isLoadable(text, on: .ios) else { return }
    add(
      "adobe-picture-address", .warning, FieldPath(members: name),
      "\(name) is no web address: \(quoted(text)); iOS draws no picture of it", &report)
  }

  /// Why an address is no picture, as the beginning of a sentence.
  static func pictureFault(_ address: String?, on platform: Platform) -> String {
    guard let address, !address.isEmpty else { return "img is empty" }
    return "img is no \(platform == .android ? "https" : "web") address: \(quoted(address))"
  }

  /// True for a text behind an index of an address.
  static func begins(
    _ text: UnsafeBufferPointer<UInt8>, from start: Int, with word: StaticString, ignoringCase: Bool = true
  ) -> Bool {
    guard start + word.utf8CodeUnitCount <= text.count else { return false }
    for index in 0..<word.utf8CodeUnitCount {
      let byte = unsafe text[start + index]
      let isUpper = ignoringCase && (0x41...0x5A).contains(byte)
      guard unsafe (isUpper ? byte | 0x20 : byte) == word.utf8Start[index] else { return false }
    }
    return true
  }

  /// True for a host behind the scheme, in any case, and for a port that there is.
  ///
  /// One in brackets is an IPv6 address.
  /// Source: `java.net.URL` and Android's `HttpUrl`; RFC 3986, sections 3.2.2 and 3.2.3.
  private static func hasHost(
    _ text: UnsafeBufferPointer<UInt8>, from start: Int, after scheme: StaticString
  ) -> Bool {
    guard unsafe begins(text, from: start, with: scheme) else { return false }
    var host = start + scheme.utf8CodeUnitCount
    var (end, users) = (host, 0)
    while end < text.count, unsafe text[end] != UInt8(ascii: "/"), unsafe text[end] != UInt8(ascii: "?"),
      unsafe text[end] != UInt8(ascii: "#")
    {
      if unsafe text[end] == UInt8(ascii: "@") { (users, host) = (users + 1, end + 1) }
      end += 1
    }
    // Two user names are no authority.
    guard users < 2, host < end else { return false }
    guard unsafe text[host] == UInt8(ascii: "[") else {
      let colon = unsafe text[host..<end].firstIndex(of: UInt8(ascii: ":")) ?? end
      return unsafe colon > host && text[host..<colon].allSatisfy(isHostByte) && isPort(text[colon..<end])
    }
    guard let bracket = unsafe text[host..<end].firstIndex(of: UInt8(ascii: "]")), bracket > host + 1 else {
      return false
    }
    let address = unsafe text[(host + 1)..<bracket]
    return unsafe isPort(text[(bracket + 1)..<end]) && address.contains(UInt8(ascii: ":"))
      && address.allSatisfy(isAddressByte)
  }

  /// False for white space, a bracket, a backslash and control characters, which are in no host.
  private static func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, 0x5B...0x5D, 0x7F: false
    default: true
    }
  }

  /// True for what is in an IPv6 address.
  private static func isAddressByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x3A, 0x2E, 0x41...0x46, 0x61...0x66: true
    default: false
    }
  }

  /// True for nothing, a colon alone, and a colon before a number that a port can have.
  private static func isPort(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    guard let colon = unsafe text.first else { return true }
    var port = 0
    for index in unsafe text.indices.dropFirst() {
      let byte = unsafe text[index]
      guard (0x30...0x39).contains(byte) else { return false }
      port = port * 10 + Int(byte - 0x30)
      guard port <= 0xFFFF else { return false }
    }
    return colon == UInt8(ascii: ":")
  }
}
