internal import PushContracts
internal import WireJSON

/// Messages that hold their texts in several languages.
enum MessageLanguages {
  /// A request whose message is in several languages, with each further one among its `locales`; another as it is.
  ///
  /// A payload has one language, and a device is to get its own.
  static func spread(_ body: JSONValue, of app: AppEntry) -> JSONValue {
    guard (body["contract"]?.string ?? app.settings.contract) == ContractName.onesignal.rawValue,
      body["locales"] == nil, let message = body["message"]?.object, var request = body.object
    else { return body }
    let locales = ofOneSignal(message)
    if locales.isEmpty { return body }
    request["locales"] = .object(locales)
    return .object(request)
  }

  /// A message of OneSignal's in each further language; a text that it lacks is the English one.
  static func ofOneSignal(_ message: JSONObject) -> JSONObject {
    var languages: [String] = []
    var known: Set<String> = ["en"]
    for name in OneSignalFields.texts {
      for (language, _) in message[name]?.object ?? [:] where known.insert(language).inserted {
        languages.append(language)
      }
    }
    var locales = JSONObject()
    // One more than there may be is refused, with what to do.
    for language in languages.prefix(MessageFields.versionsMax + 1) {
      var version = message
      for name in OneSignalFields.texts {
        guard let texts = message[name]?.object, let text = texts[language] ?? texts["en"] else { continue }
        version[name] = ["en": text]
      }
      locales[language] = .object(version)
    }
    return locales
  }
}
