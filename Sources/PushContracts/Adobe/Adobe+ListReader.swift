import PushPayload
import WireJSON

extension Adobe {
  /// Reports a text that only Android's own reader takes for JSON.
  static func addNonstandard(_ severity: Severity, _ path: FieldPath, _ report: inout Report) {
    report.add(
      rule: "adobe-list-nonstandard", severity: severity, field: path,
      message: "the text is not JSON by the standard, which Android's reader accepts all the same; write JSON")
  }

  /// Reads a list as the library on the device does: what it keeps, and what a bad element does to the rest.
  struct ListReader {
    /// What a bad element does.
    enum Effect {
      /// The element is left out.
      case skips
      /// The element and all after it are left out.
      case stops
      /// The list is not read.
      case voids
    }

    /// Where the list is in the payload.
    let path: FieldPath
    /// What a list that cannot be read does to the notification, as the end of a sentence.
    let consequence: String
    /// `error` when nothing is shown without the list.
    let severity: Severity
    var report = Report()
    /// For each element that was read, its path.
    var paths: [FieldPath] = []

    /// A list without which nothing is shown has the severity `error`.
    init(at path: FieldPath, consequence: String, severity: Severity = .warning) {
      self.path = path
      self.consequence = consequence
      self.severity = severity
    }

    /// The elements behind the text of a data value; nil when there is no text or no array in it.
    mutating func elements(of value: JSONValue?) -> [JSONValue]? {
      guard let text = value?.string else { return Optional.none }
      do throws(AndroidJSON.Fault) {
        let array = try AndroidJSON.array(text)
        if !array.isStandard { addNonstandard(.warning, path, &report) }
        return array.elements
      } catch {
        report.add(
          rule: "adobe-list-unreadable", severity: severity, field: path,
          message: "the text is not a JSON array: \(error.description); \(consequence)")
        return Optional.none
      }
    }

    /// The elements that the library keeps; nil when the list is void.
    ///
    /// - Parameters:
    ///   - other: what an element does that is not an object.
    ///   - bad: what an object does from which `element` makes nothing.
    ///   - element: the element of an object; throws what is wrong with it.
    mutating func read<Element>(
      _ values: [JSONValue], members: [String], other: Effect, bad: Effect,
      element: (JSONObject) throws(BadElement) -> Element
    ) -> [Element]? {
      var elements: [Element] = []
      for (index, value) in values.enumerated() {
        let elementPath = path.element(index)
        let effect: Effect
        if let object = value.object {
          reportUnknown(object, members, elementPath)
          do throws(BadElement) {
            elements.append(try element(object))
            paths.append(elementPath)
            continue
          } catch {
            effect = bad
            add("adobe-list-skipped", elementPath.member(error.member), error.reason, effect)
          }
        } else {
          effect = other
          add("adobe-list-element", elementPath, "expected an object, found \(value.named)", effect)
        }
        switch effect {
        case .skips: continue
        case .stops: return elements
        case .voids: return Optional.none
        }
      }
      return elements
    }

    private mutating func reportUnknown(_ object: JSONObject, _ known: [String], _ elementPath: FieldPath) {
      for (name, _) in object where !known.contains(name) {
        report.add(
          rule: "key-unknown", severity: .note, field: elementPath.member(name),
          message: "adobe does not name this member, so it is in no typed property")
      }
    }

    private mutating func add(_ rule: String, _ elementPath: FieldPath, _ reason: String, _ effect: Effect) {
      let end =
        switch effect {
        case .skips: "the element is left out"
        case .stops: "this element and those after it are left out"
        case .voids: consequence
        }
      report.add(
        rule: rule, severity: effect == .voids ? severity : .warning, field: elementPath, message: "\(reason); \(end)")
    }
  }

  /// Why an element of a list is not kept.
  struct BadElement: Error {
    let member: String
    let reason: String

    init(_ member: String, _ reason: String) {
      self.member = member
      self.reason = reason
    }
  }

  /// A text that an element must have; any JSON value has one on Android.
  static func needed(_ name: String, of object: JSONObject) throws(BadElement) -> String {
    guard let text = object.androidText(name) else { throw BadElement(name, "\(name) is missing") }
    return text
  }

  /// A text that an element must have and that must not be empty.
  static func neededText(_ name: String, of object: JSONObject) throws(BadElement) -> String {
    let text = try needed(name, of: object)
    guard !text.isEmpty else { throw BadElement(name, "\(name) is empty") }
    return text
  }

  /// The address of a picture that Android's library can download.
  static func neededPicture(of object: JSONObject) throws(BadElement) -> String {
    let image = try needed("img", of: object)
    guard isLoadable(image, on: .android) else { throw BadElement("img", pictureFault(image, on: .android)) }
    return image
  }

  /// The kind of link of an element, one that Android's library knows.
  static func neededType(of object: JSONObject) throws(BadElement) -> LinkType {
    let type = LinkType(rawValue: try needed("type", of: object))
    guard type.isReadable else { throw BadElement("type", "there is no kind of link \(quoted(type.rawValue))") }
    return type
  }
}

// MARK: Android's elements

extension Adobe.Button {
  /// A button of `adb_act`: only a label and a type are needed.
  static func android(_ object: JSONObject) throws(Adobe.BadElement) -> Adobe.Button {
    let label = try Adobe.neededText("label", of: object)
    let type = Adobe.LinkType(rawValue: try Adobe.needed("type", of: object))
    return Adobe.Button(label: label, uri: object.androidText("uri"), type: type)
  }
}

extension Adobe.Rating {
  /// A rating of `adb_rate_act`: a known type, and a uri for the two kinds that open one.
  static func android(_ object: JSONObject) throws(Adobe.BadElement) -> Adobe.Rating {
    let type = try Adobe.neededType(of: object)
    return Adobe.Rating(
      uri: type.needsURI ? try Adobe.needed("uri", of: object) : object.androidText("uri"), type: type)
  }
}

extension Adobe.Item {
  /// A picture of a carousel: `img` is needed, and may be empty or no address, of which no picture is drawn.
  static func carousel(_ object: JSONObject) throws(Adobe.BadElement) -> Adobe.Item {
    Adobe.Item(
      image: try Adobe.needed("img", of: object), text: object.androidText("txt"), uri: object.androidText("uri"))
  }

  /// A product of a catalog: all five texts, and a picture that can be downloaded.
  static func product(_ object: JSONObject) throws(Adobe.BadElement) -> Adobe.Item {
    let title = try Adobe.needed("title", of: object)
    let body = try Adobe.needed("body", of: object)
    let image = try Adobe.neededPicture(of: object)
    let price = try Adobe.needed("price", of: object)
    return Adobe.Item(image: image, title: title, body: body, price: price, uri: try Adobe.needed("uri", of: object))
  }

  /// An icon: a picture and a known type, of which an empty one is none; a uri with text for the kinds that open one.
  static func icon(_ object: JSONObject) throws(Adobe.BadElement) -> Adobe.Item {
    let image = try Adobe.neededText("img", of: object)
    let isNothing = try Adobe.needed("type", of: object).isEmpty
    let type = isNothing ? .nothing : try Adobe.neededType(of: object)
    return Adobe.Item(
      image: image, uri: type.needsURI ? try Adobe.neededText("uri", of: object) : Optional.none, type: type)
  }

  /// An element of a template that has no list: all its texts.
  static func any(_ object: JSONObject) throws(Adobe.BadElement) -> Adobe.Item {
    let members = Adobe.ListMembers(object)
    return Adobe.Item(
      image: members.text("img"), text: members.text("txt"), title: members.text("title"), body: members.text("body"),
      price: members.text("price"), uri: members.text("uri"), type: members.type)
  }

  /// A picture of a carousel on iOS: `img`, an address that can be downloaded.
  static func apple(_ object: JSONObject) throws(Adobe.BadElement) -> Adobe.Item {
    guard let image = object["img"]?.string, !image.isEmpty else {
      throw Adobe.BadElement("img", "img is missing, empty or not a string")
    }
    guard Adobe.isLoadable(image, on: .ios) else {
      throw Adobe.BadElement("img", Adobe.pictureFault(image, on: .ios))
    }
    return Adobe.Item(image: image, text: object["txt"]?.string, uri: object["uri"]?.string)
  }
}
