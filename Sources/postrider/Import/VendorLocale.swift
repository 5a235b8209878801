internal import DeviceText

/// Languages of vendors' files.
enum VendorLocale {
  /// The BCP 47 tag of a language, also when it is written as Java and POSIX do (`pt_BR`); nil when it is none.
  static func tag(_ text: String) -> String? {
    let text = String(text.map { $0 == "_" ? "-" : $0 })
    guard text.utf8.count <= DeviceMapper.textMax, let tag = LocaleTag(text), tag.hasLanguageCode else { return nil }
    return text
  }
}
