import PushPayload
import WireJSON

extension FuzzTarget {
  static let payloads = FuzzTarget(
    name: "payloads", about: "the APNs and FCM models: read → write gives the same bytes for minified input"
  ) { (bytes) throws(FuzzFailure) in
    let isMinified = read(bytes).map { JSON.minified($0) } == bytes
    try roundTrip(APNsPayload.self, bytes, isMinified) { if $0.object["aps"]?.object != nil { $0.aps = $0.aps } }
    try roundTrip(FCMSendRequest.self, bytes, isMinified) { request in
      guard var message = request.message else { return }
      request.message = message
      touch(&message)
      request.message = message
    }
    try roundTrip(APNsChannel.self, bytes, isMinified) { _ in }
  }

  /// Gets and sets again what holds an object; nothing may change.
  ///
  /// What is no object reads as nil, and setting nil removes it.
  private static func touch(_ message: inout FCMMessage) {
    if let part = message.android { message.android = part }
    if let part = message.androidV2 { message.androidV2 = part }
    if let part = message.notification { message.notification = part }
    if let part = message.webpush { message.webpush = part }
    if let part = message.apns { message.apns = part }
    if let part = message.fcmOptions { message.fcmOptions = part }
    _ = (message.target, message.data, message.android?.ttl, message.android?.notification?.vibrateTimings)
    _ = (message.android?.notification?.lightSettings, message.android?.notification?.eventTime)
  }

  private static func roundTrip<Model: PayloadModel>(
    _: Model.Type, _ bytes: [UInt8], _ isMinified: Bool, _ touch: (inout Model) -> Void
  ) throws(FuzzFailure) {
    guard let reading = try? Model.read(bytes) else { return }
    for finding in reading.report.findings {
      try expect(
        FieldPath(parsing: finding.field).text == finding.field, "\(finding.field) is no path that reads back")
    }
    guard isMinified, case .object? = read(bytes) else { return }
    try expect(reading.model.bytes == bytes, "\(Model.schema.name), read and written, is not what it was")
    var model = reading.model
    touch(&model)
    try expect(model.bytes == bytes, "\(Model.schema.name) changed when its objects were set to themselves")
  }
}
