#if !_pointerBitWidth(_32)
  package import PushContracts
  internal import PushPayload
  package import WireJSON

  /// A message for several kinds of device at once: for platforms, and for what is written instead of them.
  package struct RenderSet: Sendable {
    /// The name of all of them together.
    package static let all = "all"
    /// Every kind of device, by its name.
    package static let names = Platform.allCases.map { $0.rawValue } + RenderRequest.Target.names

    /// The contract that messages are in.
    package var contract: ContractName { requests[0].contract }
    /// One for the platforms, if any is asked for, and one for each target; never empty.
    private let requests: [RenderRequest]

    /// Reads the options.
    ///
    /// - Parameters:
    ///   - names: the kinds of device; none for both platforms.
    ///   - topic: makes a topic of web push of a collapse id that is none.
    package init(
      _ options: some OptionSource, for names: [String], topic: @escaping @Sendable (String) -> String?
    ) throws(CoreError) {
      let platforms = Platform.allCases.filter { names.contains($0.rawValue) }
      var requests: [RenderRequest] = []
      let targets = RenderRequest.Target.names.filter { names.contains($0) }
      if !platforms.isEmpty || targets.isEmpty {
        requests.append(try RenderRequest(options, platforms: platforms.isEmpty ? Platform.allCases : platforms))
      }
      for name in targets {
        requests.append(try RenderRequest(options, for: RenderRequest.Target(name, topic: topic)))
      }
      self.requests = requests
    }

    /// Writes a message: one rendering with all requests, and with each finding once.
    ///
    /// What FCM hands on is under the name of its kind, unless it is all that is asked for.
    package func rendering(_ message: JSONValue, _ duplicates: [JSONDuplicate] = []) -> Rendering {
      let isAlone = requests.count == 1
      var whole = requests[0].rendering(message, duplicates, isAlone: isAlone)
      if isAlone { return whole }
      Self.setAside(&whole, of: requests[0])
      for request in requests.dropFirst() {
        var part = request.rendering(message, duplicates, isAlone: false)
        Self.setAside(&part, of: request)
        // One after the other: `merge` and `+=` cast at run time, which Embedded Swift does not.
        for (carrier, request) in part.carried where whole.carried[carrier] == nil { whole.carried[carrier] = request }
        for other in part.others { whole.others.append(other) }
        whole.web = whole.web ?? part.web
        whole.report.appendNew(part.report)
      }
      return whole
    }

    private static func setAside(_ rendering: inout Rendering, of request: RenderRequest) {
      guard case .carried(let carrier, _)? = request.target, let fcm = rendering.fcm else { return }
      rendering.carried[carrier] = fcm
      rendering.fcm = nil
    }
  }
#endif
