import WireJSON

extension IMKit {
  /// The languages the built-in texts exist in.
  public enum TextLanguage: String, Sendable, Hashable, CaseIterable {
    /// English.
    case english = "en"
    /// Traditional Chinese, as on IMKit's page.
    case traditionalChinese = "zh-Hant"
  }

  /// The built-in texts by language and localization key, with `%1$@` for the sender and `%2$@` for the content: enough
  /// for a reader to show a push without the app's string tables.
  ///
  /// Source: IMKit, “Localization Key Reference”.
  public static let texts: [TextLanguage: [String: String]] = [
    .traditionalChinese: [
      "im_loc_text": "%1$@: %2$@",
      "im_loc_image": "%1$@ 傳送了一張圖片",
      "im_loc_video": "%1$@ 傳送了一段影片",
      "im_loc_audio": "%1$@ 傳送了一段語音",
      "im_loc_sticker": "%1$@ 傳送了一張貼圖",
      "im_loc_location": "%1$@ 分享了位置",
      "im_loc_file": "%1$@ 傳送了一個檔案",
      "im_loc_joinRoom": "%1$@ 加入了聊天室",
      "im_loc_leaveRoom": "%1$@ 離開了聊天室",
      "im_loc_addMember": "%1$@ 邀請了 %2$@",
      "im_loc_addMembers": "%1$@ 邀請了多人",
      "im_loc_deleteMember": "%1$@ 將 %2$@ 移出聊天室",
      "im_loc_encrypted": "您收到一則加密訊息",
    ],
    .english: [
      "im_loc_text": "%1$@: %2$@",
      "im_loc_image": "%1$@ sent a picture",
      "im_loc_video": "%1$@ sent a video",
      "im_loc_audio": "%1$@ sent a voice message",
      "im_loc_sticker": "%1$@ sent a sticker",
      "im_loc_location": "%1$@ shared a location",
      "im_loc_file": "%1$@ sent a file",
      "im_loc_joinRoom": "%1$@ joined the chat room",
      "im_loc_leaveRoom": "%1$@ left the chat room",
      "im_loc_addMember": "%1$@ invited %2$@",
      "im_loc_addMembers": "%1$@ invited several people",
      "im_loc_deleteMember": "%1$@ removed %2$@ from the chat room",
      "im_loc_encrypted": "You received an encrypted message",
    ],
  ]

  /// What a person reads for a key and its arguments: the built-in text; for a key without one the body, and without
  /// a body the key itself.
  public static func text(
    key: String, arguments: [String], body: String? = nil, language: TextLanguage = .english
  ) -> String {
    guard let format = texts[language]?[key] else { return body ?? key }
    var text = ""
    var rest = Array(format.utf8)[...]
    while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
      text += String(decoding: rest[..<percent], as: UTF8.self)
      // The table above holds %1$@ and %2$@ only; of a missing argument the specifier remains visible.
      let position = Int(rest[percent + 1] - UInt8(ascii: "1"))
      text += position < arguments.count ? arguments[position] : "%\(position + 1)$@"
      rest = rest[(percent + 4)...]
    }
    return text + String(decoding: rest, as: UTF8.self)
  }

  /// What Firebase's client for Android makes of the built-in text of a key: Java formats it, and nothing is left when an
  /// argument is missing; without a list of arguments the text is shown with its `%` signs.
  ///
  /// - Returns: the text; nil when there is none to show, or when the key has no built-in text.
  public static func androidText(
    key: String, arguments: [String]?, language: TextLanguage = .english
  ) -> String? {
    guard let wanted = argumentCount(of: key) else { return nil }
    guard let arguments else {
      let placeholders = (1...2).map { "%\($0)$s" }
      return text(key: key, arguments: placeholders, language: language)
    }
    return arguments.count < wanted ? nil : text(key: key, arguments: arguments, language: language)
  }

  /// How many arguments the built-in text of a key uses; nil for a key without one.
  static func argumentCount(of key: String) -> Int? {
    argumentCounts.keys.index(of: key).map { argumentCounts.counts[$0] }
  }

  /// The keys that have a built-in text, and how many arguments each uses.
  private static let argumentCounts: (keys: JSONKeyTable, counts: [Int]) = {
    let known = (texts[.english] ?? [:]).compactMap { key, format in
      JSONKey(keeping: key).map { ($0, format.utf8.count { $0 == UInt8(ascii: "%") }) }
    }
    return (JSONKeyTable(known.map { $0.0 }), known.map { $0.1 })
  }()
}
