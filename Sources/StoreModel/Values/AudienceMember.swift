/// A device of an audience, with what is known of it.
public struct AudienceMember: Sendable, Hashable {
  /// Who is behind it; the delivery is 0, since nothing is sent.
  public package(set) var recipient: DeliveryRecipient
  /// What kind of address it is.
  public let kind: DeviceKind
  /// Its token.
  public let token: String

  /// Creates a value from its parts.
  package init(recipient: DeliveryRecipient, kind: DeviceKind, token: String) {
    self.recipient = recipient
    self.kind = kind
    self.token = token
  }
}
