internal import HTTPServer
internal import StoreModel
internal import WireJSON

/// The service's status, and what of the administration can be seen with a key of one app.
enum PowerAuthStatus {
  static let routes: [Route] =
    PowerAuthRoutes.route([.get], "/push/service/status", "GetStatus", "Shows which service this is.") {
      c throws(Problem) in
      [
        "applicationName": "postrider", "applicationDisplayName": "Postrider", "applicationEnvironment": "",
        // The program does not contain the time at which it was built.
        "version": .string(c.service.version), "buildTime": .null, "timestamp": .string(TimeText.text(c.now)),
      ]
    }
    + PowerAuthRoutes.route([.get], "/admin/app/list", "ListApps", "Lists the app of the key.") { c throws(Problem) in
      ["applicationList": [app(c, isOld: c.isOld)]]
    }
    + PowerAuthRoutes.route(
      [.post], "/admin/app/detail", "GetApp", "Shows the app of the key, and how its providers are reached.",
      body: Schema(
        .map, "The push server's request.",
        example: ["requestObject": ["appId": "mobile-bank", "includeApns": true, "includeFcm": true]]), detail)

  private static func app(_ c: CompatCall, isOld: Bool) -> JSONValue {
    var object: JSONObject = ["appId": .string(c.appID)]
    let (apns, fcm) = (JSONValue.bool(c.entry.reaches(.apns)), JSONValue.bool(c.entry.reaches(.fcm)))
    let hms = JSONValue.bool(c.entry.reaches(.hms))
    if isOld {
      (object["ios"], object["android"], object["huawei"]) = (apns, fcm, hms)
    } else {
      (object["apns"], object["fcm"], object["hms"]) = (apns, fcm, hms)
    }
    return .object(object)
  }

  @Sendable private static func detail(_ c: CompatCall) throws(Problem) -> JSONValue? {
    let object = try CompatObject(
      envelope: c.body,
      known: [
        "appId", "includeApns", "includeFcm", "includeHms", "includeIos", "includeAndroid", "includeHuawei",
      ])
    let isOld = try PowerAuthApp(object, c).isNumber || c.isOld
    func includes(_ newer: String, _ older: String) throws(Problem) -> Bool {
      let (newer, older) = (try object.flag(newer), try object.flag(older))
      return newer == true || older == true
    }
    let names = isOld ? (apns: "ios", fcm: "android") : (apns: "apns", fcm: "fcm")
    var shown: JSONObject = ["application": app(c, isOld: isOld)]
    if try includes("includeApns", "includeIos") {
      let slot: CredentialSlot = c.entry.credentials[.apns] == nil ? .apnsSandbox : .apns
      let credential = c.entry.credentials[slot]
      let setting = credential.flatMap { try? JSON.parse($0.settings) }
      shown["\(names.apns)Bundle"] = setting?["topic"] ?? .null
      shown["\(names.apns)KeyId"] = setting?["key_id"] ?? .null
      shown["\(names.apns)TeamId"] = setting?["team_id"] ?? .null
      shown["\(names.apns)Environment"] = credential == nil ? JSONValue.null : .string(slot.environment.name)
    }
    if try includes("includeFcm", "includeAndroid") {
      shown["\(names.fcm)ProjectId"] = c.entry.fcmProject.map { .string($0) } ?? .null
    }
    if try includes("includeHms", "includeHuawei") {
      let setting = c.entry.credentials[.hms].flatMap { try? JSON.parse($0.settings) }
      let name = isOld ? "huawei" : "hms"
      shown["\(name)ProjectId"] = setting?["project_id"] ?? .null
      shown["\(name)ClientId"] = setting?["client_id"] ?? .null
    }
    return .object(shown)
  }
}
