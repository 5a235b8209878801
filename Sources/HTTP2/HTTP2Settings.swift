/// The SETTINGS that one side announces (RFC 9113 section 6.5.2); an absent value keeps the protocol's default.
public struct HTTP2Settings: Sendable, Hashable {
  /// SETTINGS_HEADER_TABLE_SIZE, bytes; 4096 by default.
  public var headerTableSize: UInt32?
  /// SETTINGS_MAX_CONCURRENT_STREAMS: how many streams the other side may have open; no limit by default.
  public var maxConcurrentStreams: UInt32?
  /// SETTINGS_INITIAL_WINDOW_SIZE, bytes a stream may send at first; 65 535 by default.
  public var initialWindowSize: UInt32?
  /// SETTINGS_MAX_FRAME_SIZE, bytes; 16 384 by default.
  public var maxFrameSize: UInt32?
  /// SETTINGS_MAX_HEADER_LIST_SIZE, bytes; no limit by default.
  public var maxHeaderListSize: UInt32?

  /// Settings; whatever is not given keeps its default.
  public init(
    headerTableSize: UInt32? = nil, maxConcurrentStreams: UInt32? = nil, initialWindowSize: UInt32? = nil,
    maxFrameSize: UInt32? = nil, maxHeaderListSize: UInt32? = nil
  ) {
    self.headerTableSize = headerTableSize
    self.maxConcurrentStreams = maxConcurrentStreams
    self.initialWindowSize = initialWindowSize
    self.maxFrameSize = maxFrameSize
    self.maxHeaderListSize = maxHeaderListSize
  }
}
