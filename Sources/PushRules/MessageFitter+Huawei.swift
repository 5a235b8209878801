#if !(_pointerBitWidth(_32))
  internal import PushPayload
  public import WireJSON

  extension FitPolicy {
    /// The text first, then the title.
    public static let hms = FitPolicy(fields: [
      FieldPath(members: "message", "android", "notification", "body"),
      FieldPath(members: "message", "android", "notification", "title"),
    ])
  }

  extension PushDocumentKind {
    /// The members of a rendering whose form is no platform's.
    public static let others: [(name: String, kind: PushDocumentKind)] = [("hms", .hmsRequest)]
  }

  extension MessageFitter {
    /// Fits the body of a request whose form is no platform's; nil for any other document, which stays as it is.
    ///
    /// - Throws: `JSONError` when the body is not JSON.
    public static func fit(_ body: [UInt8], of kind: PushDocumentKind) throws(JSONError) -> FitResult? {
      switch kind {
      case .hmsRequest: try fit(hmsBody: body)
      default: nil
      }
    }

    /// Fits the body of a request to Huawei's Push Kit, of which the tokens do not count.
    ///
    /// - Throws: `JSONError` when the body is not JSON.
    public static func fit(hmsBody body: [UInt8], policy: FitPolicy = .hms) throws(JSONError) -> FitResult {
      var run = FitRun(value: try JSON.parse(body), cost: .escaped, bytesMax: HuaweiRequest.bytesMax) {
        HuaweiRequest.bytes(of: $0)
      }
      return run.result(policy)
    }
  }
#endif
