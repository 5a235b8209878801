internal import HTTPServer
internal import WireJSON

/// The push server's operations that are not here, each with the reason its refusal gives.
enum PowerAuthAbsent {
  static let routes: [Route] = rows.flatMap { methods, path, name, reason in
    PowerAuthRoutes.route(methods, path, name, "Not here: \(reason)", isAbsent: true) { c throws(Problem) in
      throw PowerAuthErrors.refusal("\(c.call.http.method.rawValue) \(path): \(reason)")
    }
  }

  private static let apps = "apps are created with our own API, POST /v1/apps"
  private static let credentials =
    "credentials are saved with our own API, PUT /v1/apps/{app}/credentials, and never with a key of this interface"

  private static let rows: [([HTTPMethod], String, String, String)] = [
    ([.get], "/admin/app/unconfigured/list", "ListUnconfiguredApps", apps),
    ([.post], "/admin/app/create", "CreateApp", apps),
    ([.post, .put, .delete], "/admin/app/apns", "ChangeAPNs", credentials),
    ([.post, .put, .delete], "/admin/app/fcm", "ChangeFCM", credentials),
    ([.post, .put, .delete], "/admin/app/hms", "ChangeHMS", credentials),
    ([.post, .put], "/admin/app/ios/update", "UpdateIOS", credentials),
    ([.post, .delete], "/admin/app/ios/remove", "RemoveIOS", credentials),
    ([.post, .put], "/admin/app/android/update", "UpdateAndroid", credentials),
    ([.post, .delete], "/admin/app/android/remove", "RemoveAndroid", credentials),
    ([.post, .put], "/admin/app/huawei/update", "UpdateHuawei", credentials),
    ([.post, .delete], "/admin/app/huawei/remove", "RemoveHuawei", credentials),
  ]
}
