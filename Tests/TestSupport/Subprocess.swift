public import Glibc

/// A program run by a test: started without a shell, its output collected, its life bounded.
public final class Subprocess {
  /// What a finished program left behind.
  public struct Result: Sendable {
    /// The exit status, or 128 plus the signal that ended the program.
    public let status: Int32
    /// Everything it wrote to standard output.
    public let output: [UInt8]
    /// Everything it wrote to standard error.
    public let errors: [UInt8]

    /// Standard output as text.
    public var outputText: String { String(decoding: output, as: UTF8.self) }
    /// Standard error as text.
    public var errorText: String { String(decoding: errors, as: UTF8.self) }
  }

  /// Why a program could not be started or awaited.
  public struct Failure: Error, CustomStringConvertible, Sendable {
    /// One sentence.
    public let description: String
  }

  /// The process id.
  public let pid: pid_t
  private var outputReader: Reader
  private var errorReader: Reader
  private var waitStatus: Int32?

  /// Starts `path` with `arguments`; `environment` is added to the test's own.
  public init(
    _ path: String, _ arguments: [String] = [], input: [UInt8] = [], environment: [String: String] = [:]
  ) throws(Failure) {
    let (inputRead, inputWrite) = try Self.pipe()
    let (outputRead, outputWrite) = try Self.pipe()
    let (errorRead, errorWrite) = try Self.pipe()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (from, to) in [(inputRead, 0), (outputWrite, 1), (errorWrite, 2)] {
      posix_spawn_file_actions_adddup2(&actions, from, Int32(to))
    }
    var attributes = try Self.attributes()
    defer { posix_spawnattr_destroy(&attributes) }
    let argv = ([path] + arguments).map { strdup($0) } + [nil]
    let envp = Self.merged(environment).map { strdup($0) } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var child: pid_t = 0
    let error = posix_spawnp(&child, path, &actions, &attributes, argv, envp)
    for fd in [inputRead, outputWrite, errorWrite] { close(fd) }
    guard error == 0 else {
      for fd in [inputWrite, outputRead, errorRead] { close(fd) }
      throw Failure(description: "cannot start \(path): \(String(cString: strerror(error)))")
    }
    pid = child
    outputReader = Reader(fd: outputRead)
    errorReader = Reader(fd: errorRead)
    Self.feed(input, to: inputWrite)
  }

  /// Ctrl-C means what it does in a terminal, also when the tests run in the background, where a shell has it ignored.
  private static func attributes() throws(Failure) -> posix_spawnattr_t {
    var attributes = posix_spawnattr_t()
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    guard posix_spawnattr_init(&attributes) == 0, posix_spawnattr_setsigdefault(&attributes, &signals) == 0,
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF)) == 0
    else { throw Failure(description: "cannot set the signals of a program") }
    return attributes
  }

  deinit {
    if waitStatus == nil {
      kill(pid, SIGKILL)
      var status: Int32 = 0
      waitpid(pid, &status, 0)
    }
    close(outputReader.fd)
    close(errorReader.fd)
  }

  /// Runs a program to its end and returns what it left.
  public static func run(
    _ path: String, _ arguments: [String] = [], input: [UInt8] = [], environment: [String: String] = [:],
    seconds: Double = 60
  ) throws(Failure) -> Result {
    try Subprocess(path, arguments, input: input, environment: environment).finish(seconds: seconds)
  }

  /// Waits for the end of the program; kills it and throws when `seconds` pass first.
  public func finish(seconds: Double = 60) throws(Failure) -> Result {
    let deadline = Self.now() + seconds
    while !(outputReader.ended && errorReader.ended) { try pump(until: deadline) }
    return Result(
      status: try exitStatus(until: deadline), output: outputReader.bytes, errors: errorReader.bytes)
  }

  /// Reads until standard output or standard error holds `text`; returns everything of both so far.
  @discardableResult
  public func waitFor(_ text: String, seconds: Double = 30) throws(Failure) -> String {
    let deadline = Self.now() + seconds
    while true {
      let seen = String(decoding: outputReader.bytes + errorReader.bytes, as: UTF8.self)
      if seen.contains(text) { return seen }
      if outputReader.ended && errorReader.ended {
        throw Failure(description: "the program ended before it printed “\(text)”; it printed: \(seen)")
      }
      try pump(until: deadline)
    }
  }

  /// Sends a signal to the program.
  public func signal(_ number: Int32) { kill(pid, number) }

  private func pump(until deadline: Double) throws(Failure) {
    var polled = [
      pollfd(fd: outputReader.ended ? -1 : outputReader.fd, events: Int16(POLLIN), revents: 0),
      pollfd(fd: errorReader.ended ? -1 : errorReader.fd, events: Int16(POLLIN), revents: 0),
    ]
    let left = deadline - Self.now()
    guard left > 0 else {
      kill(pid, SIGKILL)
      let seen = String(decoding: outputReader.bytes + errorReader.bytes, as: UTF8.self)
      throw Failure(description: "the program did not get there in time; it printed: \(seen)")
    }
    poll(&polled, 2, Int32(min(left, 1) * 1000) + 1)
    if polled[0].revents != 0 { outputReader.read() }
    if polled[1].revents != 0 { errorReader.read() }
  }

  private func exitStatus(until deadline: Double) throws(Failure) -> Int32 {
    var status: Int32 = 0
    while waitStatus == nil {
      if waitpid(pid, &status, WNOHANG) == pid { waitStatus = status }
      guard Self.now() < deadline else {
        kill(pid, SIGKILL)
        throw Failure(description: "the program closed its output and did not end in time")
      }
      if waitStatus == nil { usleep(2000) }
    }
    let ended = waitStatus ?? 0
    return ended & 0x7f == 0 ? (ended >> 8) & 0xff : 128 + (ended & 0x7f)
  }

  private struct Reader {
    let fd: Int32
    var bytes: [UInt8] = []
    var ended = false

    mutating func read() {
      var chunk = [UInt8](repeating: 0, count: 65_536)
      let count = Glibc.read(fd, &chunk, chunk.count)
      if count > 0 { bytes.append(contentsOf: chunk[..<count]) } else if count == 0 || errno != EINTR { ended = true }
    }
  }

  private static func pipe() throws(Failure) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard Glibc.pipe(&ends) == 0 else {
      throw Failure(description: "cannot make a pipe: \(String(cString: strerror(errno)))")
    }
    // A child must not inherit the ends that stay here, or it would never see its input close.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Writes the input on a thread of its own, so that a program that answers while it reads cannot block the test.
  private static func feed(_ input: [UInt8], to fd: Int32) {
    guard !input.isEmpty else {
      close(fd)
      return
    }
    let box = Unmanaged.passRetained(FeedJob(input: input, fd: fd))
    var thread = pthread_t()
    let started = pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer else { return nil }
        Unmanaged<FeedJob>.fromOpaque(pointer).takeRetainedValue().run()
        return nil
      }, box.toOpaque())
    if started == 0 { pthread_detach(thread) } else { box.takeRetainedValue().run() }
  }

  private final class FeedJob {
    let input: [UInt8]
    let fd: Int32
    init(input: [UInt8], fd: Int32) {
      self.input = input
      self.fd = fd
    }
    func run() {
      Glibc.signal(SIGPIPE, SIG_IGN)
      var done = 0
      while done < input.count {
        let count = input.withUnsafeBytes { write(fd, $0.baseAddress.map { $0 + done }, input.count - done) }
        if count <= 0 { break }
        done += count
      }
      close(fd)
    }
  }

  private static func merged(_ added: [String: String]) -> [String] {
    var lines: [String] = []
    var entry = environ
    while let pointer = entry.pointee {
      let line = String(cString: pointer)
      let name = line.prefix { $0 != "=" }
      if added[String(name)] == nil { lines.append(line) }
      entry += 1
    }
    return lines + added.map { "\($0.key)=\($0.value)" }
  }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
