#if !_pointerBitWidth(_32)
  internal import PushContracts
  internal import PushPayload
  package import WireJSON

  extension RenderRequest {
    /// The answer to a request to `/v1/render`, where nothing is to be said of the request and no error of the message; nil
    /// for any other, which is to be read into values.
    ///
    /// - Parameters:
    ///   - body: the request's body.
    ///   - limits: what is read of it.
    ///   - now: the time, in seconds since 1970.
    ///   - desk: memory that is used again.
    package static func answer(
      body: [UInt8], limits: JSONLimits, now: Int64, at desk: inout Desk
    ) -> [UInt8]? {
      do throws(JSONError) { try desk.document.parse(body, limits: limits) } catch { return nil }
      guard !desk.document.hasDuplicates, !mayHavePlaceholders(body), let read = RenderBody(desk.document) else {
        return nil
      }
      var context = read.context
      context.now = now
      let request = RenderRequest(read.entry, context, read.platform)
      let answer = request.answer(to: read.message, hasDuplicates: false, at: &desk)
      return answer.hasErrors ? nil : answer.bytes
    }

    /// Whether a text of a document may have a placeholder or be in Liquid.
    package static func mayHavePlaceholders(_ document: [UInt8]) -> Bool {
      // Outside of texts a brace is followed by none, and by no percent sign.
      var last: UInt8 = 0
      for byte in document {
        if last == UInt8(ascii: "{"), byte == UInt8(ascii: "{") || byte == UInt8(ascii: "%") { return true }
        // A brace can be written as an escape.
        if last == UInt8(ascii: "\\"), byte == UInt8(ascii: "u") { return true }
        last = byte
      }
      return false
    }
  }

  /// A request to render a message, on the tape.
  private struct RenderBody {
    let entry: ContractEntry
    let message: JSONNode
    let context: WriteContext
    let platform: Platform?

    /// Reads the members of a request without a name twice; nil where there is one of which something needs to be said.
    init?(_ document: JSONDocument) {
      guard document.kind(document.root) == .object else { return nil }
      var (contract, message) = (ContractEntry?.none, JSONNode?.none)
      var (context, platform) = (WriteContext(), Platform?.none)
      for (name, value) in document.members(of: document.root) {
        switch document.index(of: name, in: RenderBody.keys) {
        case 0:
          guard let index = document.index(of: value, in: RenderBody.contracts) else { return nil }
          contract = RenderBody.entries[index]
        case 1: message = value
        case 2:
          guard RenderBody.isPlatforms(document, value) else { return nil }
          platform = RenderBody.platform(document, value)
        case 3:
          guard let options = RenderBody.texts(document, value) else { return nil }
          context.options = options
        case let index?:
          guard let text = document.string(value), !text.isEmpty,
            RenderBody.take(text, index, &context)
          else { return nil }
        case nil: return nil
        }
      }
      guard let contract, let message, document.kind(message) == .object else { return nil }
      (entry, self.message, self.context, self.platform) = (contract, message, context, platform)
    }

    private static let keys = JSONKeyTable([
      "contract", "message", "platforms", "options", "topic", "token", "campaign", "apns_id", "language",
    ])
    private static let contracts = JSONKeyTable(Contracts.names.compactMap { JSONKey(keeping: $0.rawValue) })
    private static let entries = Contracts.names.compactMap { Contracts.entry($0) }
    private static let platforms = JSONKeyTable(Platform.allCases.compactMap { JSONKey(keeping: $0.rawValue) })

    /// Takes the text of a member.
    private static func take(_ text: String, _ index: Int, _ context: inout WriteContext) -> Bool {
      guard text.utf8.count <= (index == 5 ? DeviceToken.bytesMax : 64) else { return false }
      switch index {
      case 4: context.topic = text
      case 5: context.target = .token(text)
      case 6: context.campaign = text
      case 7:
        context.apnsID = APNsID(text)
        return context.apnsID != nil
      default:
        guard text.utf8.count <= 35 else { return false }
        context.language = text
      }
      return true
    }

    private static func isPlatforms(_ document: JSONDocument, _ list: JSONNode) -> Bool {
      guard document.kind(list) == .array, (1...2).contains(document.count(list)) else { return false }
      return document.elements(of: list).allSatisfy { document.index(of: $0, in: platforms) != nil }
    }

    /// The platform of a list that names one; nil for both.
    private static func platform(_ document: JSONDocument, _ list: JSONNode) -> Platform? {
      var named: Int?
      for element in document.elements(of: list) {
        let index = document.index(of: element, in: platforms)
        if named ?? index != index { return nil }
        named = index
      }
      return named.map { Platform.allCases[$0] }
    }

    private static func texts(_ document: JSONDocument, _ list: JSONNode) -> [String]? {
      guard document.kind(list) == .array, (1...16).contains(document.count(list)) else { return nil }
      var texts: [String] = []
      for element in document.elements(of: list) {
        guard let text = document.string(element), (1...64).contains(text.utf8.count) else { return nil }
        texts.append(text)
      }
      return texts
    }
  }
#endif
