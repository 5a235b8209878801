import Testing

@testable import APNs

@Suite struct APNsReasonTests {
  @Test func everyDocumentedReasonIsListedOnceAndReadsBack() {
    let names = APNsReason.documented.map(\.rawValue)
    #expect(names.count == 32)
    #expect(Set(names).count == names.count)
    for reason in APNsReason.documented {
      let read = APNsReason(rawValue: reason.rawValue)
      #expect(read == reason)
      #expect(read.documentedStatus == reason.documentedStatus)
      #expect(read.consequence(status: 0) == reason.consequence(status: 0))
    }
  }

  /// Status and consequence of every reason, as Apple's page and its advice on retries have them.
  @Test(
    arguments: [
      (400, .fixRequest, ["BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "BadTopic"]),
      (
        400, .fixRequest, ["DuplicateHeaders", "InvalidPushType", "MissingDeviceToken", "MissingTopic", "PayloadEmpty"]
      ),
      (400, .quarantineDevice, ["BadDeviceToken"]),
      (400, .configuration, ["DeviceTokenNotForTopic", "TopicDisallowed"]),
      (400, .newConnection, ["IdleTimeout"]),
      (403, .configuration, ["BadCertificate", "BadCertificateEnvironment", "Forbidden", "InvalidProviderToken"]),
      (403, .configuration, ["MissingProviderToken", "BadEnvironmentKeyIdInToken"]),
      (403, .refreshToken, ["ExpiredProviderToken"]),
      (403, .newConnection, ["UnrelatedKeyIdInToken"]),
      (404, .fixRequest, ["BadPath"]),
      (405, .fixRequest, ["MethodNotAllowed"]),
      (410, .retireDevice, ["ExpiredToken", "Unregistered"]),
      (413, .fixRequest, ["PayloadTooLarge"]),
      (429, .keepOlderToken, ["TooManyProviderTokenUpdates"]),
      (429, .slowDevice, ["TooManyRequests"]),
      (500, .retryLater, ["InternalServerError"]),
      (503, .retryLater, ["ServiceUnavailable"]),
      (503, .newConnection, ["Shutdown"]),
    ] as [(Int, APNsConsequence, [String])])
  func table(status: Int, consequence: APNsConsequence, names: [String]) {
    for name in names {
      #expect(APNsReason(rawValue: name).documentedStatus == status, "\(name)")
      #expect(APNsReason(rawValue: name).consequence(status: status) == consequence, "\(name)")
    }
  }

  @Test(
    arguments: [
      (400, .fixRequest), (401, .configuration), (403, .configuration), (404, .fixRequest), (410, .retireDevice),
      (429, .slowDevice), (500, .retryLater), (502, .retryLater), (503, .retryLater),
    ] as [(Int, APNsConsequence)])
  func trap7AnUnknownReasonSurvivesAndFollowsItsStatus(status: Int, consequence: APNsConsequence) {
    let reason = APNsReason(rawValue: "BrandNewReason")
    #expect(reason.rawValue == "BrandNewReason")
    #expect(reason.documentedStatus == nil)
    #expect(reason.consequence(status: status) == consequence)
  }

  @Test func trap7OnlyAnswersAboutTheDeviceRetireIt() {
    let retiring = APNsReason.documented.filter { $0.consequence(status: 0) == .retireDevice }
    #expect(retiring == [.expiredToken, .unregistered])
  }
}
