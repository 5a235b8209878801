import PushPayload
import TestSupport
import Testing
import WireJSON

/// Google's discovery document against our field tables.
struct FCMSchemaTests {
  static let schemas: [(google: String, ours: PayloadSchema)] = [
    ("Message", FCMMessage.schema), ("Notification", FCMNotification.schema),
    ("AndroidConfig", FCMAndroidConfig.schema), ("AndroidConfigV2", FCMAndroidConfigV2.schema),
    ("AndroidBackgroundSyncMessage", FCMAndroidBackgroundSync.schema),
    ("AndroidRemoteNotification", FCMAndroidRemoteNotification.schema),
    ("AndroidNotification", FCMAndroidNotification.schema),
    ("AndroidNotificationV2", FCMAndroidNotificationV2.schema), ("LightSettings", FCMLightSettings.schema),
    ("GoogleFirebaseFcmV1AndroidNotificationV2LightSettings", FCMLightSettings.schema),
    ("Color", FCMColor.schema), ("ApnsConfig", FCMApnsConfig.schema), ("WebpushConfig", FCMWebpushConfig.schema),
    ("FcmOptions", FCMOptions.schema), ("AndroidFcmOptions", FCMAndroidOptions.schema),
    ("ApnsFcmOptions", FCMApnsOptions.schema), ("WebpushFcmOptions", FCMWebpushOptions.schema),
    ("SendMessageRequest", FCMSendRequest.schema),
  ]

  static func discovery() throws -> JSONObject {
    let path = "\(Files.packageRoot)/Vectors/fcm-v1/fields.json"
    return try #require(try JSON.parse(try Files.read(path))["schemas"]?.object)
  }

  @Test func everySchemaOfTheDiscoveryDocumentIsModelled() throws {
    #expect(Set(try Self.discovery().keys) == Set(Self.schemas.map(\.google)))
  }

  @Test(arguments: schemas.map(\.google))
  func everyFieldHasItsNameAndType(google: String) throws {
    let fields = try #require(try Self.discovery()[google]?.object)
    let schema = try #require(Self.schemas.first { $0.google == google }).ours
    #expect(Set(fields.keys) == Set(schema.fields.map { $0.camelName ?? $0.name }))
    for (name, description) in fields {
      let field = try #require(schema.field(name), "\(google).\(name)")
      #expect(Self.agrees(field, description), "\(google).\(name): \(description) is modelled as \(field.type)")
    }
  }

  /// Whether the discovery document's description of a field means our type.
  static func agrees(_ field: PayloadField, _ description: JSONValue) -> Bool {
    switch field.type {
    case .enumeration(let values, _): description["enum"]?.array?.compactMap(\.string) == values
    case .model(let schema): agrees(schema, description)
    case .strings: description["array"] == "string"
    case .durations: description["array"] == "google-duration"
    case .stringMap: description["map"] == "string"
    case .boolean: description["type"] == "boolean"
    case .integer: description["type"] == "int32"
    case .number: description["type"] == "float"
    case .duration: description["type"] == "google-duration"
    case .timestamp: description["type"] == "google-datetime"
    case .string: description["type"] == "string"
    default: false
    }
  }

  /// The APNs payload and the Web Notification are free objects to Google, and have a documentation of their own.
  private static func agrees(_ schema: PayloadSchema, _ description: JSONValue) -> Bool {
    if schema == APNsPayload.schema || schema == FCMWebNotification.schema { return description["map"] == "any" }
    guard let reference = description["ref"]?.string else { return false }
    return schemas.contains { $0.google == reference && $0.ours == schema }
  }
}
