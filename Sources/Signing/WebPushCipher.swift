/// Encryption of web push messages for one subscriber: RFC 8291 over the content encoding `aes128gcm` of RFC 8188, one
/// record.
///
/// Each message has a key pair and a salt of its own (RFC 8291 section 3.1): with a key pair that is used again, whoever
/// finds it reads all of its messages.
public enum WebPushCipher {
  /// What push services take at least (RFC 8030 section 7.2), and in practice at most: 4096 bytes of body.
  public static let bodyBytesMax = 4096
  /// What encryption adds: the header with salt, record size and public key (86 bytes), the delimiter and the tag.
  public static let overheadBytes = headerBytes + 1 + ContentCipher.tagBytes
  /// The longest content: 3993 bytes.
  public static let plaintextBytesMax = bodyBytesMax - overheadBytes
  /// The length of a subscriber's secret (RFC 8291 section 3.2): 16 bytes.
  public static let authBytes = 16

  static let saltBytes = 16
  static let headerBytes = saltBytes + 4 + 1 + ECPublicKey.pointBytes
  /// Not a limit of what is sent but the size of a record, of which there is one.
  private static let recordBytes: UInt32 = 4096

  /// Encrypts a message.
  ///
  /// - Parameters:
  ///   - plaintext: the content.
  ///   - receiver: the subscriber's public key, `p256dh`.
  ///   - auth: the subscriber's secret.
  ///   - zeros: how many bytes longer than its content the message is made, so that its length says less.
  /// - Throws: `badLength` when content and zeros are longer than ``plaintextBytesMax``.
  public static func seal(
    _ plaintext: [UInt8], for receiver: ECPublicKey, auth: [UInt8], zeros: Int = 0
  ) throws(SigningError) -> [UInt8] {
    try seal(
      plaintext, for: receiver, auth: auth, zeros: zeros, key: .generate(), salt: SecureRandom.bytes(saltBytes))
  }

  /// The same with a key pair and salt of the caller's, for the example of RFC 8291.
  static func seal(
    _ plaintext: [UInt8], for receiver: ECPublicKey, auth: [UInt8], zeros: Int, key: ECPrivateKey, salt: [UInt8]
  ) throws(SigningError) -> [UInt8] {
    guard plaintext.count + zeros <= plaintextBytesMax else {
      throw SigningError(
        .badLength, "the message has \(plaintext.count) bytes; a web push holds \(plaintextBytesMax): shorten it")
    }
    let sender = try key.publicKey.point()
    let secret = try key.sharedSecret(with: receiver)
    let cipher = contentCipher(secret: secret, auth: auth, receiver: try receiver.point(), sender: sender, salt: salt)
    var record: [UInt8] = []
    record.reserveCapacity(plaintext.count + 1 + zeros)
    record += plaintext
    // The delimiter of the last record (RFC 8188 section 2).
    record.append(2)
    record.append(contentsOf: repeatElement(0, count: zeros))
    var body: [UInt8] = []
    body.reserveCapacity(record.count + overheadBytes)
    body += salt
    for shift in [24, 16, 8, 0] { body.append(UInt8(truncatingIfNeeded: recordBytes >> UInt32(shift))) }
    body.append(UInt8(sender.count))
    body += sender
    body += try cipher.seal(record)
    return body
  }

  /// Decrypts a message, as its receiver does.
  ///
  /// - Parameters:
  ///   - body: the body of the push.
  ///   - key: the receiver's private key.
  ///   - auth: the receiver's secret.
  /// - Throws: `badLength` or `damaged` with what is wrong with the body; `notAuthentic` when it was encrypted for another
  ///   subscription, or changed.
  public static func open(_ body: [UInt8], key: ECPrivateKey, auth: [UInt8]) throws(SigningError) -> [UInt8] {
    guard body.count >= overheadBytes else {
      throw SigningError(
        .badLength, "an encrypted message has at least \(overheadBytes) bytes, this one has \(body.count)")
    }
    let size = body[16..<20].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard Int(body[20]) == ECPublicKey.pointBytes else {
      throw SigningError(
        .damaged, "the key id has \(body[20]) bytes; it is the sender's public key of 65 (RFC 8291 section 4)")
    }
    let sealed = body[headerBytes...]
    guard size > UInt32(ContentCipher.tagBytes + 1), sealed.count <= Int(size) else {
      throw SigningError(.damaged, "the message has more than one record of \(size) bytes (RFC 8291 section 4)")
    }
    let sender = Array(body[21..<headerBytes])
    let secret = try key.sharedSecret(with: ECPublicKey(point: sender))
    let cipher = contentCipher(
      secret: secret, auth: auth, receiver: try key.publicKey.point(), sender: sender, salt: Array(body[..<saltBytes]))
    guard let record = try cipher.open(sealed) else {
      throw SigningError(.notAuthentic, "the message was encrypted for another subscription, or changed")
    }
    guard let end = record.lastIndex(where: { $0 != 0 }), record[end] == 2 else {
      throw SigningError(.damaged, "the content does not end with the delimiter of a last record (RFC 8188 section 2)")
    }
    return Array(record[..<end])
  }

  /// RFC 8291 section 3.4.
  private static func contentCipher(
    secret: [UInt8], auth: [UInt8], receiver: [UInt8], sender: [UInt8], salt: [UInt8]
  ) -> ContentCipher {
    let combined = HKDF.extract(salt: auth, secret: secret)
    let material = HKDF.expand(combined, info: Array("WebPush: info\0".utf8) + receiver + sender, bytes: 32)
    return ContentCipher(salt: salt, material: material)
  }
}
