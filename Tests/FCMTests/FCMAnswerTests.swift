import GatewayPool
import Testing

@testable import FCM

@Suite struct FCMAnswerTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let status: Int
    let body: String
    let expected: FCMRejection
    let consequence: FCMConsequence
  }

  private static let fcm = "type.googleapis.com/google.firebase.fcm.v1.FcmError"

  @Test(arguments: [
    Row(
      testDescription: "unregistered", status: 404,
      body: """
        {"error": {"code": 404, "message": "Requested entity was not found.", "status": "NOT_FOUND",
          "details": [{"@type": "\(fcm)", "errorCode": "UNREGISTERED"}]}}
        """,
      expected: FCMRejection(
        status: 404, code: .unregistered, hasFCMError: true, rpcStatus: "NOT_FOUND",
        message: "Requested entity was not found."), consequence: .retireDevice),
    Row(
      testDescription: "trap 7: a 404 without FcmError may be a wrong project", status: 404,
      body: #"{"error": {"code": 404, "message": "Not found.", "status": "NOT_FOUND"}}"#,
      expected: FCMRejection(
        status: 404, code: FCMErrorCode(rawValue: "NOT_FOUND"), rpcStatus: "NOT_FOUND", message: "Not found."),
      consequence: .configuration),
    Row(
      testDescription: "a bad token, details in either order", status: 400,
      body: """
        {"error": {"code": 400, "message": "The registration token is not valid", "status": "INVALID_ARGUMENT",
          "details": [{"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations":
          [{"field": "message.token", "description": "Invalid registration token"}]},
          {"@type": "\(fcm)", "errorCode": "INVALID_ARGUMENT"}]}}
        """,
      expected: FCMRejection(
        status: 400, code: .invalidArgument, hasFCMError: true, rpcStatus: "INVALID_ARGUMENT",
        message: "The registration token is not valid",
        violations: [.init(field: "message.token", description: "Invalid registration token")]),
      consequence: .retireDevice),
    Row(
      testDescription: "a bad data value is the message's fault", status: 400,
      body: """
        {"error": {"code": 400, "message": "Invalid value", "status": "INVALID_ARGUMENT", "details": [
          {"@type": "\(fcm)", "errorCode": "INVALID_ARGUMENT"}, {"@type": "type.googleapis.com/google.rpc.BadRequest",
          "fieldViolations": [{"field": "message.data[0].value", "description": "not a string"}]}, 7, "x"]}}
        """,
      expected: FCMRejection(
        status: 400, code: .invalidArgument, hasFCMError: true, rpcStatus: "INVALID_ARGUMENT",
        message: "Invalid value",
        violations: [.init(field: "message.data[0].value", description: "not a string")]),
      consequence: .fixRequest),
    Row(
      testDescription: "an expired access token", status: 401,
      body: #"{"error": {"code": 401, "message": "Request had invalid credentials.", "status": "UNAUTHENTICATED"}}"#,
      expected: FCMRejection(
        status: 401, code: FCMErrorCode(rawValue: "UNAUTHENTICATED"), rpcStatus: "UNAUTHENTICATED",
        message: "Request had invalid credentials."), consequence: .refreshToken),
    Row(
      testDescription: "a bad APNs key at Google", status: 401,
      body: """
        {"error": {"code": 401, "message": "Auth error from APNS", "status": "UNAUTHENTICATED",
          "details": [{"@type": "\(fcm)", "errorCode": "THIRD_PARTY_AUTH_ERROR"}]}}
        """,
      expected: FCMRejection(
        status: 401, code: .thirdPartyAuthError, hasFCMError: true, rpcStatus: "UNAUTHENTICATED",
        message: "Auth error from APNS"), consequence: .configuration),
    Row(
      testDescription: "a new code of FCM follows the HTTP status", status: 503,
      body: #"{"error": {"status": "UNAVAILABLE", "details": [{"@type": "\#(fcm)", "errorCode": "NEW_CODE"}]}}"#,
      expected: FCMRejection(
        status: 503, code: FCMErrorCode(rawValue: "NEW_CODE"), hasFCMError: true, rpcStatus: "UNAVAILABLE"),
      consequence: .retryLater),
    Row(
      testDescription: "an HTML page from a front end", status: 502, body: "<!DOCTYPE html><title>502</title>",
      expected: FCMRejection(status: 502, code: .none), consequence: .retryLater),
    Row(
      testDescription: "nothing at all", status: 500, body: "", expected: FCMRejection(status: 500, code: .none),
      consequence: .retryLater),
    Row(
      testDescription: "members of other types than expected", status: 400,
      body: #"{"error": {"code": "x", "message": 5, "status": [], "details": {}}}"#,
      expected: FCMRejection(status: 400, code: .none), consequence: .fixRequest),
  ])
  func refusals(row: Row) {
    let answer = FCMAnswer(status: row.status, body: Array(row.body.utf8))
    #expect(answer.outcome == .rejected(row.expected))
    #expect(row.expected.consequence == row.consequence)
  }

  @Test(
    arguments: [
      ("QUOTA_EXCEEDED", 429, .waitForQuota), ("SENDER_ID_MISMATCH", 403, .configuration),
      ("INTERNAL", 500, .retryLater),
      ("UNAVAILABLE", 503, .retryLater), ("APNS_AUTH_ERROR", 401, .configuration),
      ("UNSPECIFIED_ERROR", 400, .fixRequest),
    ] as [(String, Int, FCMConsequence)])
  func codes(code: String, status: Int, consequence: FCMConsequence) {
    let rejection = FCMRejection(status: status, code: FCMErrorCode(rawValue: code), hasFCMError: true)
    #expect(rejection.consequence == consequence)
  }

  @Test(arguments: [
    ("{\n  \"name\": \"projects/p/messages/0:1\"\n}\n", "projects/p/messages/0:1"),
    (#"{"name":"projects/p/messages/0:1"}"#, "projects/p/messages/0:1"),
    (#"{"name":"a\u002fb"}"#, "a/b"),
    (#"{"other":1,"name":"n"}"#, "n"),
    (#"{"name":"a","name":"b"}"#, "b"),
    ("", ""), ("{}", ""), ("<html>", ""), (#"{"name":5}"#, ""), (#"{"name":"cut"#, ""),
  ])
  func messageNames(body: String, name: String) {
    let bytes = Array(body.utf8)
    #expect(FCMAnswer(status: 200, body: bytes).outcome == .accepted(name: name))
    let quick = bytes.withUnsafeBufferPointer { FCMAnswer.messageName(in: $0) }
    #expect(quick == nil || quick == name, "the quick reader gives up rather than be wrong")
    if body.hasPrefix("{\n  \"name\"") { #expect(quick == name) }
  }
}
