public import WireJSON

extension Contracts {
  /// The members of the FCM v1 `Message` behind an Android payload, whatever shape it was handed over in: an FCM
  /// request, a bare message, a RemoteMessage or the flat map of the client.
  ///
  /// - Returns: nil when the payload is not an object.
  public static func androidMessage(of payload: JSONValue) -> JSONObject? {
    guard case .object(let members) = payload else { return nil }
    return AndroidEnvelope(members, style: .androidNotification).message
  }
}
