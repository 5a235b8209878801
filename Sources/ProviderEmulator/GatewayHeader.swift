/// A header field that a gateway looks at, found by bytes so that reading a request makes no strings.
enum GatewayHeader: Int, CaseIterable {
  case method
  case path
  case authorization
  case topic
  case pushType
  case id
  case expiration
  case priority
  case collapseID
  case channelID
  case requestID
  case contentType

  static let count = 12

  /// The lower-case name on the wire.
  var name: StaticString {
    switch self {
    case .method: ":method"
    case .path: ":path"
    case .authorization: "authorization"
    case .topic: "apns-topic"
    case .pushType: "apns-push-type"
    case .id: "apns-id"
    case .expiration: "apns-expiration"
    case .priority: "apns-priority"
    case .collapseID: "apns-collapse-id"
    case .channelID: "apns-channel-id"
    case .requestID: "apns-request-id"
    case .contentType: "content-type"
    }
  }

  /// Finds a field by its lower-case name.
  ///
  /// The length alone identifies all names but two, so at most two comparisons are made.
  static func named(_ name: UnsafeBufferPointer<UInt8>) -> GatewayHeader? {
    switch name.count {
    case 5: unsafe GatewayHeader.path.ifNamed(name)
    case 7: unsafe GatewayHeader.method.ifNamed(name) ?? GatewayHeader.id.ifNamed(name)
    case 10: unsafe GatewayHeader.topic.ifNamed(name)
    case 12: unsafe GatewayHeader.contentType.ifNamed(name)
    case 13: unsafe GatewayHeader.authorization.ifNamed(name) ?? GatewayHeader.priority.ifNamed(name)
    case 14: unsafe GatewayHeader.pushType.ifNamed(name)
    case 15:
      unsafe GatewayHeader.expiration.ifNamed(name) ?? GatewayHeader.channelID.ifNamed(name)
        ?? GatewayHeader.requestID.ifNamed(name)
    case 16: unsafe GatewayHeader.collapseID.ifNamed(name)
    default: nil
    }
  }

  private func ifNamed(_ other: UnsafeBufferPointer<UInt8>) -> GatewayHeader? {
    let own = name
    for index in 0..<own.utf8CodeUnitCount where unsafe own.utf8Start[index] != other[index] { return nil }
    return self
  }
}
