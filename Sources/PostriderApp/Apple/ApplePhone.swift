#if canImport(UserNotifications) && !os(macOS) && !os(tvOS) && !os(watchOS)
  internal import Foundation
  internal import UserNotifications

  #if canImport(FoundationNetworking)
    internal import FoundationNetworking
  #endif

  /// Apple's own calls.
  final class ApplePhone: PhoneCalls {
    private let session: URLSession

    init() {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.timeoutIntervalForRequest = 20
      session = URLSession(configuration: configuration, delegate: RedirectRefusal(), delegateQueue: nil)
    }

    var locale: String? { Locale.preferredLanguages.first }
    var timezone: String? { TimeZone.current.identifier }
    var appVersion: String? { Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String }

    func log(_ line: String) { NSLog("Postrider: %@", line) }

    func send(_ request: PostriderRequest, _ done: @escaping @Sendable (PostriderAnswer?) -> Void) {
      guard let url = URL(string: request.url) else { return done(nil) }
      var call = URLRequest(url: url)
      call.httpMethod = "POST"
      call.httpBody = Data(request.body.utf8)
      call.setValue("Bearer \(request.key)", forHTTPHeaderField: "Authorization")
      call.setValue("application/json", forHTTPHeaderField: "Content-Type")
      if let identity = request.identity { call.setValue(identity, forHTTPHeaderField: "Postrider-Identity") }
      let task = session.dataTask(with: call) { data, response, _ in
        guard let response = response as? HTTPURLResponse else { return done(nil) }
        let body = String(decoding: data ?? Data(), as: UTF8.self)
        let retryAfter = response.value(forHTTPHeaderField: "Retry-After")
        done(PostriderAnswer(status: response.statusCode, retryAfter: retryAfter, body: body))
      }
      task.resume()
    }

    func after(milliseconds: Int64, _ work: @escaping @Sendable () -> Void) {
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(clamping: milliseconds)), execute: work)
    }

    func askPermission(_ done: @escaping @Sendable (Bool) -> Void) {
      UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .badge, .sound]) { granted, _ in
        done(granted)
      }
    }

    func setBadge(_ badge: Int) {
      if #available(iOS 16, macOS 13, tvOS 16, *) {
        UNUserNotificationCenter.current().setBadgeCount(badge) { _ in }
      } else {
        log("the badge needs iOS 16")
      }
    }

    func excludeFromBackup(_ folder: String) {
      var url = URL(fileURLWithPath: folder, isDirectory: true)
      try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      var values = URLResourceValues()
      values.isExcludedFromBackup = true
      try? url.setResourceValues(values)
    }
  }

  /// A redirect would carry the key to another server.
  private final class RedirectRefusal: NSObject, URLSessionTaskDelegate {
    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      completionHandler(nil)
    }
  }
#endif
