package import PushContracts
internal import PushPayload
internal import PushRules
package import WireJSON

/// Checks one file after the other and reuses its memory.
package struct FileChecker {
  /// How files are checked.
  package let options: CheckOptions
  private var checker: PushChecker
  private var message = JSONDocument()
  private let fields: MessageFields?

  /// Makes a checker.
  package init(_ options: CheckOptions) {
    self.options = options
    checker = PushChecker(settings: options.settings)
    fields = options.contract.flatMap { Contracts.mappingTable($0) }.map { MessageFields($0) }
  }

  /// Checks the content of a file.
  package mutating func check(_ bytes: [UInt8], name: String) -> CheckedFile {
    if let contract = options.contract { return check(message: bytes, contract, name: name) }
    return check(document: bytes, name: name)
  }

  /// Checks a raw document.
  package mutating func check(document bytes: [UInt8], name: String) -> CheckedFile {
    let report = checker.checkOnDevice(
      document: bytes, kind: targetKind(bytes), platform: options.platform, pushType: options.pushType,
      topic: options.topic)
    let locations = checker.locations(of: report.findings, in: bytes)
    let findings = zip(report.findings, locations).map { LocatedFinding(finding: $0, location: $1) }
    if let failure = checker.failure { return notJSON(failure, findings, bytes, name) }
    return CheckedFile(name: name, findings: findings)
  }

  /// What a document is that the caller calls one for something else than a platform; nil where nothing is said of that.
  private func targetKind(_ bytes: [UInt8]) -> PushDocumentKind? {
    #if _pointerBitWidth(_32)
      return nil
    #else
      guard options.target != nil else { return nil }
      var document = JSONDocument()
      do throws(JSONError) { try document.parse(bytes) } catch { return nil }
      return options.kind(of: document)
    #endif
  }

  private mutating func check(message bytes: [UInt8], _ contract: ContractName, name: String) -> CheckedFile {
    do throws(JSONError) { try message.parse(bytes) } catch { return notJSON(error, [], bytes, name) }
    var report = Report()
    for duplicate in message.duplicates() {
      report.add(
        rule: "json-duplicate-key", severity: .warning, field: FieldPath(pointer: duplicate.pointer, in: message),
        message: "the key occurs more than once in its object; the last value is taken")
    }
    let rendering = render(message.value(message.root), contract)
    report.append(rendering.report)
    report = options.settings.applied(to: report)
    report.append(check(rendering))
    var locations = SourceLocations(message, text: bytes)
    let findings = report.findings.map { LocatedFinding(finding: $0, location: locations.location(of: $0.field)) }
    return CheckedFile(name: name, findings: findings)
  }

  /// Writes a message as it would be sent; what only a send knows is filled in with something legal.
  package func render(_ message: JSONValue, _ contract: ContractName) -> Rendering {
    var context = WriteContext(topic: options.topic ?? ProviderRules.topicExample)
    context.now = options.now
    context.options = options.contractOptions
    #if !_pointerBitWidth(_32)
      if let target = options.target { return target.rendering(contract, message, context) }
    #endif
    return Contracts.render(
      contract, message: message, context: context, platforms: options.platform.map { [$0] } ?? Platform.allCases)
  }

  /// What the providers have to say about both requests, in terms of the message.
  private mutating func check(_ rendering: Rendering) -> Report {
    var report = Report()
    var known: Set<Finding> = []
    func add(_ findings: [Finding], _ platform: Platform) {
      for var finding in findings {
        finding.field = fields?.field(of: FieldPath(parsing: finding.field), platform).text ?? finding.field
        if known.insert(finding).inserted { report.findings.append(finding) }
      }
    }
    if let request = rendering.apns { add(checker.check(request).findings, .ios) }
    if let request = rendering.fcm { add(checker.check(request).findings, .android) }
    #if !_pointerBitWidth(_32)
      for other in rendering.others {
        // No table says where a contract's fields are in such a request.
        for var finding in other.check(&checker).findings {
          finding.field = FieldPath.text(other.name, followedBy: finding.field)
          report.findings.append(finding)
        }
      }
    #endif
    return rendering.tolerating(report)
  }

  /// A text that is no JSON is said to be so whatever the settings are: nothing else can be said about it.
  private func notJSON(
    _ failure: JSONError, _ findings: [LocatedFinding], _ bytes: [UInt8], _ name: String
  ) -> CheckedFile {
    let path = FieldPath(pointer: failure.pointer)
    let finding = Finding(rule: "json-invalid", severity: .error, field: path.text, message: failure.description)
    let location = SourceLocation(of: failure, in: bytes)
    let said = findings.isEmpty ? [LocatedFinding(finding: finding, location: location)] : findings
    return CheckedFile(name: name, findings: said, isJSON: false)
  }
}
