internal import Signing
internal import Synchronization

/// An emulator without ports and threads, at one fixed time: what its ports do with bytes, request by request.
///
/// Its gateways take provider tokens of unknown keys, so that everything behind the signature is reached.
package final class DetachedEmulator {
  /// What all detached emulators of a process begin with: keys cost too much to be made for each.
  package struct Beginning: Sendable {
    let credentials: EmulatorCredentials
    let state: EmulatorCore.State

    /// Makes keys.
    package init() throws {
      var configuration = EmulatorConfiguration()
      configuration.scenario.acceptsUnknownKeys = true
      credentials = try .generate()
      state = try ProviderEmulator.makeState(configuration, credentials, nowMs: 0)
    }
  }

  /// What is answered.
  package struct Answer: Sendable, Hashable {
    /// The status.
    package var status: Int
    /// The `content-type`; empty for none.
    package var contentType: String
    /// The body.
    package var body: [UInt8]
    /// What happens besides, or instead.
    package var action = GatewayAction()
  }

  private let core: EmulatorCore
  private let api: ControlAPI
  private var connection = GatewayConnection()

  /// An emulator at a time, in milliseconds since 1970.
  ///
  /// - Parameter hasCertificate: whether the APNs connection has a TLS client certificate.
  package init(_ beginning: Beginning, nowMs: Int64, hasCertificate: Bool = false) {
    core = EmulatorCore(beginning.state, clock: { nowMs })
    api = ControlAPI(
      core: core, credentials: beginning.credentials, authorityPEM: "",
      ports: EmulatorPorts(host: "127.0.0.1", services: [:], plain: 1))
    connection.apns = APNsConnection(certificate: hasCertificate ? APNsClientCertificate(topics: []) : nil)
  }

  /// A request to the control API.
  package func control(_ method: String, _ segments: [String], _ body: [UInt8]) -> Answer {
    let answer = api.handle(method: method, segments: segments, body: body)
    return Answer(status: answer.status, contentType: answer.contentType, body: answer.body)
  }

  /// A request to a service's port, always on one connection.
  package func request(_ provider: EmulatedProvider, _ request: GatewayRequest) -> Answer {
    var response = GatewayResponse()
    let action = core.handle(provider.row.handle, request, &connection, &response)
    return Answer(response, action)
  }
}

extension DetachedEmulator.Answer {
  fileprivate init(_ response: GatewayResponse, _ action: GatewayAction) {
    self.init(
      status: response.status, contentType: response.header("content-type") ?? "", body: response.body, action: action)
  }
}
