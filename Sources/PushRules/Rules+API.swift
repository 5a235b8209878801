internal import PushPayload

// What the HTTP API has to say about a request; the answer's problem document carries the findings.
extension Rules {
  /// The rules about requests to the HTTP API.
  static let api: [Rule] = [
    Rule(
      .pushAudience, "push-audience", .error,
      statement: "A push names its audience in exactly one way, and the audience is not empty.",
      source: "Postrider, /openapi.json",
      fix: "Give one of all, segment, filter, users, devices and tokens.",
      example: #""to": {}"#),
    Rule(
      .deviceToken, "device-token", .error,
      statement: "A device is registered with a token of its platform’s form.",
      source: "Postrider, /openapi.json",
      fix: "Send APNs tokens as hexadecimal text, FCM tokens as the client library returned them.",
      example: #""token": "not hex" of an iOS device"#),
    Rule(
      .appName, "app-name", .error,
      statement: "An app’s name has letters, digits, hyphens, underscores and dots.",
      source: "Postrider, /openapi.json",
      fix: "Choose a name that can be used in a URL.",
      example: #""name": "my app""#),
    Rule(
      .segment, "segment", .error,
      statement: "A segment is a condition, or a group of conditions, whose operator suits its field and its value.",
      source: "Postrider, docs/api.md, Segments",
      fix: "Write the condition there as the page describes.",
      example: #"{"field": "tags", "op": "gt", "value": 1}"#),
    Rule(
      .segmentName, "segment-name", .error,
      statement: "A segment’s name has letters, digits, hyphens, underscores and dots.",
      source: "Postrider, /openapi.json",
      fix: "Choose a name that can be used in a URL.",
      example: #""name": "big spenders""#),
    Rule(
      .credentialKind, "credential-kind", .error,
      statement: "An APNs credential is a key with key_id and team_id, or a certificate.",
      source: "Postrider, /openapi.json",
      fix: "Give one of them, whole.",
      example: #""key" without "key_id""#),
    Rule(
      .credentialKey, "credential-key", .error,
      statement: "An APNs key is a PEM file of a P-256 private key, as the developer account gives it.",
      source: "Postrider, /openapi.json",
      fix: "Upload the .p8 file unchanged.",
      example: "a public key"),
    Rule(
      .credentialCertificate, "credential-certificate", .error,
      statement:
        "A certificate is a PKCS#12 file in base64 that opens with its password, or PEM text with the certificate and "
        + "its key.",
      source: "Postrider, /openapi.json",
      fix: "Export certificate and private key together, and send the password with them.",
      example: "a .cer file"),
    Rule(
      .credentialTopic, "credential-topic", .error,
      statement: "An APNs credential’s topic is a bundle ID.",
      source: "Postrider, /openapi.json",
      fix: "Use the bundle ID as Xcode shows it.",
      example: #""topic": "my app""#),
    Rule(
      .credentialServiceAccount, "credential-service-account", .error,
      statement: "An FCM credential is a service account’s JSON file.",
      source: "Postrider, /openapi.json",
      fix: "Make a key for the service account in the Google Cloud console and upload it unchanged.",
      example: "the file google-services.json"),
    Rule(
      .credentialTokenUri, "credential-token-uri", .error,
      statement: "A service account’s token_uri is a host of googleapis.com, or the gateway that the "
        + "credential names.",
      source: "Postrider, /openapi.json",
      fix: "Upload the file unchanged, or name the gateway.",
      example: #""token_uri": "https://example.com/token""#),
    Rule(
      .credentialGateway, "credential-gateway", .error,
      statement: "The host of a gateway is a name or an address, without a scheme, a port, a path or spaces.",
      source: "Postrider, /openapi.json",
      fix: "Give the host alone; the port has a member of its own.",
      example: #""gateway": {"host": "https://example.com/"}"#),
    Rule(
      .credentialRefused, "credential-refused", .error,
      statement: "A credential that is saved with check=true is one that the provider takes.",
      source: "Postrider, /openapi.json",
      fix: "The message has the provider’s words; compare ids, key and topic with its console.",
      example: "a key_id of another key"),
  ]
}
