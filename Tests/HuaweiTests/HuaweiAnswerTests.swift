import FCM
import GatewayPool
import PushPayload
import Testing
import WireJSON

@testable import Huawei

@Suite struct HuaweiAnswerTests {
  private func outcome(_ body: String, status: Int = 200, retryAfter: Int? = nil) -> HuaweiOutcome {
    HuaweiAnswer(status: status, retryAfter: retryAfter, body: Array(body.utf8)).outcome { Array("abc".utf8) }
  }

  private func consequence(_ body: String, status: Int = 200) -> HuaweiConsequence? {
    if case .rejected(let rejection) = outcome(body, status: status) { rejection.consequence } else { nil }
  }

  @Test("Success is the code, and not the status") func success() {
    let taken = #"{"code":"80000000","msg":"Success","requestId":"157440955549500001002006"}"#
    #expect(outcome(taken) == .accepted(requestID: "157440955549500001002006"))
    #expect(outcome(#"{"code":80000000}"#) == .accepted(requestID: ""))
    // Something else has answered, or half of the answer is missing: the phone may have got the message.
    for body in ["", "nonsense", "<html>OK</html>", "{}", #"{"code":"8000 0000"}"#, #"{"code":"80000"#] {
      guard case .failed(let failure) = outcome(body) else {
        Issue.record("\(body) is no failure")
        continue
      }
      #expect(failure.processing == .unknown && failure.cause == .unreadableAnswer)
    }
  }

  @Test("A partial success names illegal tokens; a request has one") func partial() {
    let illegal =
      #"{"code":"80100000","msg":"{\"success\":0,\"failure\":1,\"illegal_tokens\":[\"abc\"]}","requestId":"1"}"#
    #expect(consequence(illegal) == .retireDevice)
    if case .rejected(let rejection) = outcome(illegal) {
      #expect(rejection.code == .partialSuccess && !rejection.message.contains("abc"))
    } else {
      Issue.record("not rejected")
    }
    #expect(
      outcome(#"{"code":"80100000","msg":"{\"success\":1,\"failure\":0,\"illegal_tokens\":[]}","requestId":"7"}"#)
        == .accepted(requestID: "7"))
    // Nobody is retired for the token of another.
    let foreign = #"{"code":"80100000","msg":"{\"success\":0,\"failure\":1,\"illegal_tokens\":[\"other\"]}"}"#
    #expect(consequence(foreign) == .fixRequest)
    // What cannot be read retires nobody and is not sent again.
    #expect(consequence(#"{"code":"80100000","msg":"some failed"}"#) == .fixRequest)
    #expect(consequence(#"{"code":"80100000","msg":"{\"success\":0,\"failure\":1}"}"#) == .fixRequest)
  }

  @Test("Each documented code has its consequence")
  func codes() {
    let expected: [HuaweiConsequence: [String]] = [
      .fixRequest: [
        "80100001", "80100003", "80100004", "80100013", "80100016", "80100018", "80300008", "80300010", "80300013",
      ],
      .retireDevice: ["80300007"], .refreshToken: ["80200001", "80200003", "80200005"],
      .configuration: ["80300002", "80300011"], .slowDown: ["80100017"], .retryLater: ["80600003", "81000001"],
    ]
    for (consequence, codes) in expected {
      for code in codes {
        for status in [200, 400, 500] {
          #expect(
            self.consequence(#"{"code":"\#(code)","msg":"m"}"#, status: status) == consequence, "\(code) \(status)")
        }
      }
    }
    #expect(Set(expected.values.flatMap { $0 }) == Set(HuaweiCode.documented.map(\.rawValue)))
  }

  @Test(
    "Without a code the status decides, and retires nobody",
    arguments: [
      (400, HuaweiConsequence.fixRequest), (401, .refreshToken), (403, .configuration), (404, .configuration),
      (408, .retryLater), (413, .fixRequest), (429, .slowDown), (500, .retryLater), (502, .retryLater),
      (503, .slowDown),
      (504, .retryLater), (302, .fixRequest),
    ])
  func statuses(status: Int, consequence: HuaweiConsequence) {
    #expect(self.consequence("", status: status) == consequence)
    // A code that Huawei has not documented leaves it to the status as well.
    #expect(self.consequence(#"{"code":"89999999"}"#, status: status) == consequence)
  }

  @Test("Messages with control characters are not kept") func messages() {
    guard case .rejected(let plain) = outcome(#"{"code":"80100003","msg":"Illegal payload"}"#),
      case .rejected(let escape) = outcome(#"{"code":"80100003","msg":"\u001b[31m"}"#, retryAfter: 9)
    else {
      Issue.record("not rejected")
      return
    }
    #expect(plain.message == "Illegal payload" && escape.message.isEmpty && escape.retryAfter == 9)
  }

  // MARK: The token endpoint

  @Test("Answers of the token endpoint") func tokens() {
    func read(_ status: Int, _ body: String) -> String {
      switch HuaweiTokenAnswer.read(status: status, body: Array(body.utf8)) {
      case .token(let token, lifetime: let lifetime): "\(token) \(lifetime.components.seconds)"
      case .failure(let failure): "\(failure.isRefusal) \(failure.detail)"
      }
    }
    #expect(read(200, #"{"access_token":"CF3X\/l2=","expires_in":3600,"token_type":"Bearer"}"#) == "CF3X/l2= 3600")
    let secret = read(400, #"{"error":1101,"sub_error":12304,"error_description":"invalid client secret"}"#)
    #expect(secret.hasPrefix("true ") && secret.contains("1101/12304: invalid client secret"), "\(secret)")
    #expect(secret.contains("copy the client secret again"))
    #expect(read(400, #"{"error":"1101","sub_error":"20003"}"#).contains("check the client id"))
    #expect(read(503, #"{"error":1203,"error_description":"flow control"}"#).hasPrefix("false "))
    #expect(read(502, "<html>").hasPrefix("false "))
  }

  @Test("The credential: its form, its requests, and nothing of the secret in words") func account() throws {
    let secret = "s3cret/with+signs=and&more"
    let account = try HuaweiAccount(clientID: "101234567", clientSecret: secret)
    #expect(account.path == "/v1/101234567/messages:send")
    #expect(
      String(decoding: account.tokenRequest, as: UTF8.self)
        == "grant_type=client_credentials&client_id=101234567&client_secret=s3cret%2Fwith%2Bsigns%3Dand%26more")
    let project = try HuaweiAccount(clientID: "1", clientSecret: secret, projectID: "736430079244593285")
    #expect(project.path == "/v2/736430079244593285/messages:send")
    #expect(!"\(project)".contains("s3cret"))
    for (id, secret, project, field) in [
      ("com.example", secret, nil, "client_id"), ("", secret, nil, "client_id"), ("1/../2", secret, nil, "client_id"),
      (String(repeating: "1", count: 65), secret, nil, "client_id"), ("1", "short", nil, "client_secret"),
      ("1", "with a space in it, long", nil, "client_secret"), ("1", secret, "demo", "project_id"),
    ] as [(String, String, String?, String)] {
      let error = #expect(throws: HuaweiCredentialError.self) {
        try HuaweiAccount(clientID: id, clientSecret: secret, projectID: project)
      }
      #expect(error?.field == field && error?.description.contains("expected") == true, "\(id) \(field)")
      #expect(error?.description.contains(secret) != true)
    }
  }
}
