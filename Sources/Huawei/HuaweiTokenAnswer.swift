internal import FCM
internal import WireJSON

/// The answers of Huawei's token endpoint: RFC 6749, but for errors, which are numbers.
///
/// Source: Huawei, "Error codes" of `https://oauth-login.cloud.huawei.com/oauth2/v3/token`.
enum HuaweiTokenAnswer {
  /// The main error of a request that is wrong by itself, for which asking again changes nothing.
  private static let refusal = 1101

  static func read(status: Int, body: [UInt8]) -> FCMTokenAnswer {
    guard status != 200, let object = (try? JSON.parse(body))?.object, let error = number(object["error"]) else {
      return FCMTokenAnswer(status: status, body: body)
    }
    let sub = number(object["sub_error"])
    let text = object["error_description"]?.string ?? ""
    let code = sub.map { "\(error)/\($0)" } ?? "\(error)"
    let said = [code, text].filter { !$0.isEmpty }.joined(separator: ": ")
    let isRefusal = error == refusal
    let detail = "the token endpoint answered \(status) (\(said.prefix(300)))" + (isRefusal ? advice(sub) : "")
    return .failure(FCMAccessToken.Failure(isRefusal: isRefusal, detail: detail))
  }

  /// A number, which some versions write as text.
  private static func number(_ json: JSONValue?) -> Int? { json?.int ?? json?.string.flatMap { Int($0) } }

  private static func advice(_ sub: Int?) -> String {
    switch sub {
    case 12304, 20171: "; copy the client secret again from AppGallery Connect"
    case 20002, 20003: "; check the client id: AppGallery Connect shows it under the project's settings"
    default: "; check the client id and the client secret"
    }
  }
}
