public import PushContracts
import PushPayload
import WireJSON

extension PreviewPush {
  /// The pushes that a rendered message becomes: one for each platform it is legal on.
  public static func pushes(of rendering: Rendering) -> [PreviewPush] {
    var pushes: [PreviewPush] = []
    if let apns = rendering.apns, let payload = try? JSON.parse(apns.payload) {
      pushes.append(
        PreviewPush(
          platform: .ios, payload: payload, contract: rendering.contract, collapseID: apns.headers.collapseID,
          pushType: apns.headers.pushType))
    }
    if let fcm = rendering.fcm, let body = try? JSON.parse(fcm.body) {
      pushes.append(PreviewPush(platform: .android, payload: body, contract: rendering.contract))
    }
    return pushes
  }
}
