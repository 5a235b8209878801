#if _pointerBitWidth(_32)
  /// An integer of 64 bits, for numbers of payloads and for times: the same where `Int` has 32 bits, as on WebAssembly.
  public typealias WholeNumber = Int64
#else
  /// An integer of 64 bits, for numbers of payloads and for times: the same where `Int` has 32 bits, as on WebAssembly.
  public typealias WholeNumber = Int
#endif
