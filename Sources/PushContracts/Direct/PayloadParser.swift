public import PushPayload
public import WireJSON

/// Reads raw payloads one after the other and writes the answers as bytes: what ``Contracts/parse(document:platform:contract:headers:state:)``
/// gives, as ``Parsed/json`` has it.
///
/// A payload of which nothing needs to be said goes from its tape straight to the answer, without a value or a message in
/// between; any other is read into its contract's message. The answer is the same either way. In steady state only the
/// answer itself is allocated.
///
/// ```swift
/// var parser = PayloadParser()
/// let answer = try parser.parse(bytes, platform: .ios)
/// ```
public struct PayloadParser: ~Copyable {
  /// An answer.
  public struct Answer: Sendable, Hashable {
    /// The JSON text of ``Parsed/json``.
    public let bytes: [UInt8]
    /// True when the report has an error in it.
    public let hasErrors: Bool
  }

  private var document = JSONDocument()
  private var writer = JSONWriter()
  private let memory = DirectTextMemory()
  /// The contract that was asked for last.
  private var asked: ContractEntry?

  /// True when the last payload was answered without a value in between.
  package private(set) var isLastDirect = false

  /// Makes a parser.
  public init() {}

  /// Reads a payload.
  ///
  /// - Parameters:
  ///   - raw: the JSON text: for iOS the APNs payload; for Android the FCM message, a RemoteMessage or the flat map of the
  ///     client.
  ///   - platform: where it was received; nil infers it.
  ///   - contract: the contract to read it by; nil recognizes it.
  ///   - headers: the headers that an APNs payload came with, when they are known.
  ///   - state: what the device shows already.
  /// - Returns: nil when the document may belong to either platform.
  /// - Throws: `JSONError` when the bytes are not JSON.
  public mutating func parse(
    _ raw: [UInt8], platform: Platform?, contract: ContractName? = nil, headers: APNsHeaders? = nil,
    state: DeviceState? = nil
  ) throws(JSONError) -> Answer? {
    try document.parse(raw)
    isLastDirect = state == nil && answer(document.root, platform, contract, headers)
    if isLastDirect {
      return Answer(bytes: writer.bytes, hasErrors: false)
    }
    let parsed = Contracts.parse(
      document: document.value(document.root), platform: platform, contract: contract, headers: headers, state: state)
    guard var parsed else { return nil }
    for duplicate in document.duplicates() { parsed.report.add(duplicate) }
    return Answer(bytes: JSON.minified(parsed.json), hasErrors: parsed.report.hasErrors)
  }

  /// The answer to a request to read a payload, where nothing needs to be said of it; nil for any other, which is to be read
  /// into values.
  ///
  /// - Parameters:
  ///   - body: an object with the member `payload` and at most `platform`, `contract` and `push_type` beside it.
  ///   - limits: what is read of it.
  package mutating func answer(request body: [UInt8], limits: JSONLimits) -> [UInt8]? {
    #if _pointerBitWidth(_32)
      return nil
    #else
      do throws(JSONError) { try document.parse(body, limits: limits) } catch { return nil }
      guard let request = DirectRequest(document),
        writeAnswer(request.payload, request.platform, request.contract, request.headers)
      else { return nil }
      return writer.bytes
    #endif
  }

  /// Writes the answer; false for a payload of which there is something to say.
  private mutating func answer(
    _ root: JSONNode, _ platform: Platform?, _ contract: ContractName?, _ headers: APNsHeaders?
  ) -> Bool {
    #if _pointerBitWidth(_32)
      return false
    #else
      return writeAnswer(root, platform, contract, headers)
    #endif
  }

  #if !_pointerBitWidth(_32)
    private mutating func writeAnswer(
      _ root: JSONNode, _ platform: Platform?, _ contract: ContractName?, _ headers: APNsHeaders?
    ) -> Bool {
      // The document stays here while it is read.
      let document = document.lent
      let texts = memory.texts
      guard document.kind(root) == .object, headers?.isOrdinary ?? true else { return false }
      let known = platform ?? (headers == nil ? nil : .ios)
      guard let taken = known ?? inferred(document, root) else { return false }
      texts.removeAll()
      writer.removeAll()
      writer.beginObject()
      if known == nil {
        writer.key("platform")
        writer.string(taken.rawValue)
      }
      guard let entry = writeContract(contract, taken, document, root, texts) else { return false }
      let payload = DirectPayload(document: document, root: root, platform: taken, texts: texts)
      guard entry.answer(payload, &writer) else { return false }
      writer.endObject()
      return true
    }

    /// Whose payload it is, where that is plain.
    private func inferred(_ document: JSONDocument, _ root: JSONNode) -> Platform? {
      if document.member(of: root, "aps") != nil { return .ios }
      return DirectReading.message(document, root) == nil ? nil : .android
    }

    /// Writes the contract and what tells it; nil where that is not plain.
    private mutating func writeContract(
      _ contract: ContractName?, _ platform: Platform, _ document: JSONDocument, _ root: JSONNode,
      _ texts: DirectTexts
    ) -> ContractEntry? {
      if let contract {
        if asked?.name != contract { asked = Contracts.entry(contract) }
        guard let asked else { return nil }
        writer.fragment(asked.head)
        writer.fragment(DirectAnswer.askedFor)
        return asked
      }
      guard let payload = DirectPlatform.all[platform].message(document, root) else { return nil }
      let recognition = DirectRecognition(document: document, payload: payload, platform: platform)
      guard let mark = recognition.mark(texts) else { return nil }
      let entry = mark.entry
      writer.fragment(entry.head)
      recognition.writeReason(mark, into: &writer)
      return entry
    }
  #endif
}

extension APNsHeaders {
  /// True for headers that say nothing but that the push is shown, as one without headers is.
  fileprivate var isOrdinary: Bool { self == APNsHeaders(pushType: .alert) }
}
