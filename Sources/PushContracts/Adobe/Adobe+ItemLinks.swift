import PushPayload

extension Adobe {
  /// Reports each element of which a tap on Android opens something else than the element, or the notification, says.
  ///
  /// The builder of icons takes `adb_uri` for what has no uri, whatever its kind of link; that of a carousel which moves by
  /// itself takes an absent uri for an empty one, which opens the app. Source: Adobe, `MultiIconNotificationBuilder` and
  /// `AutoCarouselNotificationBuilder`.
  ///
  /// - Parameter paths: where the elements are; nil for those of a message.
  static func reportItemLinks(
    _ message: Message, _ builder: AndroidBuilder, at paths: [FieldPath]? = nil, _ report: inout Report
  ) {
    guard has(message.uri), let items = message.items else { return }
    for (index, item) in items.enumerated() {
      let path = paths?[index] ?? FieldPath(members: "adb_items").element(index)
      switch builder {
      case .template(.icons): reportIconLink(item, path, &report)
      case .template(.carousel):
        // What comes after an element without a picture is not read.
        guard item.image != nil, movesByItself(message), message.linkType?.needsURI == true else { return }
        guard !has(item.uri), isLoadable(item.image, on: .android) else { continue }
        add(
          "adobe-item-link", .warning, path.member("uri"),
          "there is no uri, and in a carousel that moves by itself Android opens the app and not adb_uri; add it",
          &report)
      default: return
      }
    }
  }

  /// Reports what the carousel of the content extension on iOS does not read.
  ///
  /// Source: Adobe, `CarouselItem.init` and `CarouselTemplateController.clickURL`.
  ///
  /// - Parameter paths: where the elements are; nil for those of a message.
  static func reportAppleCarousel(_ message: Message, at paths: [FieldPath]? = nil, _ report: inout Report) {
    guard message.template == .carousel else { return }
    if has(message.expandedBody) {
      add(
        "adobe-template-field", .warning, FieldPath(members: "adb_body_ex"),
        "the template car does not draw adb_body_ex on iOS: each picture has its txt, and without one the body of the alert",
        &report)
    }
    if has(message.image) {
      add(
        "adobe-template-field", .warning, FieldPath(members: paths == nil ? "adb_image" : "adb_media"),
        "the template car draws the pictures of adb_items alone on iOS", &report)
    }
    guard has(message.uri) else { return }
    for (index, item) in (message.items ?? []).enumerated() where !has(item.uri) && isLoadable(item.image, on: .ios) {
      let path = paths?[index] ?? FieldPath(members: "adb_items").element(index)
      add(
        "adobe-item-link", .warning, path.member("uri"),
        "there is no uri, and a tap on the picture opens the app and not adb_uri on iOS; add it", &report)
    }
  }

  private static func reportIconLink(_ icon: Item, _ path: FieldPath, _ report: inout Report) {
    guard let type = icon.type, !type.needsURI, isPicture(icon.image, .httpsOrName) else { return }
    let isNothing = type.rawValue.isEmpty
    guard isNothing || type.isReadable else { return }
    add(
      "adobe-item-link", .warning, path.member("type"),
      "\((isNothing ? LinkType.nothing : type).rawValue) is the kind of link, and the icon opens adb_uri all the same",
      &report)
  }
}
