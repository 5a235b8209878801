import Foundation
import PushPayload

/// The fields of the payloads that `parse` reads, in every contract, as structs for Foundation's `JSONDecoder`.
enum FoundationPayloads {
  private struct IOS: Decodable {
    struct Alert: Decodable {
      enum CodingKeys: String, CodingKey {
        case title, subtitle, body
        case locKey = "loc-key"
        case locArgs = "loc-args"
      }

      var title, subtitle, body, locKey: String?
      var locArgs: [String]?
    }

    struct APS: Decodable {
      enum CodingKeys: String, CodingKey {
        case alert, badge, sound, category
        case threadID = "thread-id"
        case mutableContent = "mutable-content"
      }

      var alert: Alert?
      var badge, mutableContent: Int?
      var sound, category, threadID: String?
    }

    struct Custom: Decodable {
      var i, u: String?
      var a: [String: String]?
    }

    enum CodingKeys: String, CodingKey {
      case aps, custom, screen, order
      case version = "adb_version"
      case template = "adb_template_type"
      case media = "adb_media"
      case uri = "adb_uri"
    }

    var aps: APS
    var custom: Custom?
    var screen, order, version, template, media, uri: String?
  }

  private struct Android: Decodable {
    struct Text: Decodable {
      var title, body: String?
    }

    struct Shown: Decodable {
      enum CodingKeys: String, CodingKey {
        case title, body, sound, tag
        case count = "notification_count"
        case priority = "notification_priority"
        case click = "click_action"
        case locKey = "body_loc_key"
        case locArgs = "body_loc_args"
      }

      var title, body, sound, tag, priority, click, locKey: String?
      var count: Int?
      var locArgs: [String]?
    }

    struct Config: Decodable {
      enum CodingKeys: String, CodingKey {
        case priority, ttl, notification
        case collapseKey = "collapse_key"
      }

      var priority, ttl, collapseKey: String?
      var notification: Shown?
    }

    struct Message: Decodable {
      var token: String?
      var notification: Text?
      var android: Config?
      var data: [String: String]?
    }

    var message: Message
  }

  /// Reads a payload once; the number depends on what was read.
  static func read(_ data: Data, _ platform: Platform, _ decoder: JSONDecoder) throws -> Int {
    switch platform {
    case .ios: (try decoder.decode(IOS.self, from: data).aps.badge ?? 0) + 1
    case .android: (try decoder.decode(Android.self, from: data).message.data?.count ?? 0) + 1
    }
  }
}
