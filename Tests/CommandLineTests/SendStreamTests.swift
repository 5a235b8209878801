import Glibc
import TestSupport
import Testing
import WireJSON

@Suite("send: streams", .serialized)
struct SendStreamTests {
  private static func token(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
  }

  private static func line(_ number: Int) -> String {
    #"{"token":"\#(token(number))","id":"user-\#(number)","message":{"title":"Hi","body":"\#(number)"}}"#
  }

  private func run(_ options: [String], _ lines: [String]) throws -> Subprocess.Result {
    let input = Array(lines.joined(separator: "\n").utf8)
    return try Subprocess.run(Postrider.path, ["send"] + options, input: input, seconds: 60)
  }

  private func outcomes(_ result: Subprocess.Result) throws -> [JSONValue] {
    try result.output.split(separator: 0x0A).map { try JSON.parse(Array($0)) }
  }

  @Test("3000 lines come back in their order, each with its id, and are summed up by reason", arguments: [1, 7, 2000])
  func ordered(concurrency: Int) throws {
    let emulator = try RunningEmulator()
    // 16 devices are gone; the others answer after times of their own, so that order has to be made.
    try emulator.post(
      "/scenario",
      #"{"seed":1,"apns":{"latency":{"uniform":[0,3]}},"rules":[{"token_prefix":"\#(Self.token(0xb0).dropLast())","#
        + #""effect":"Unregistered"}]}"#,
      method: "PUT")
    let count = concurrency == 1 ? 200 : 3000
    let numbers = Array(0..<count)
    let result = try run(
      emulator.apnsOptions + ["--ordered", "--concurrency", "\(concurrency)"], numbers.map(Self.line))
    let found = try outcomes(result)
    #expect(found.map { $0["line"]?.int } == numbers.map { $0 + 1 })
    #expect(found.map { $0["id"]?.string } == numbers.map { "user-\($0)" })
    let gone = Array(0xb0...0xbf)
    let refused = zip(numbers, found).filter { $0.1["outcome"]?.string == "rejected" }.map(\.0)
    #expect(refused == gone)
    #expect(found.allSatisfy { $0["outcome"]?.string == "accepted" || $0["reason"]?.string == "Unregistered" })
    #expect(result.errorText.hasPrefix("\(count - gone.count) accepted, \(gone.count) rejected; "))
    #expect(result.errorText.contains("\(gone.count) × Unregistered (410)\n  means: "))
    #expect(result.errorText.contains("\n  next: "))
    #expect(result.status == 4)
    let devices = try Subprocess.run("curl", ["-sf", emulator.control], seconds: 20)
    #expect(devices.outputText.contains(#""200": \#(count - gone.count),"#), "\(devices.outputText)")
  }

  @Test("one bad line costs no other, and each says what is wrong with it")
  func badLines() throws {
    let emulator = try RunningEmulator()
    let tooLong = #"{"token":"\#(Self.token(5))","message":{"body":"\#(String(repeating: "x", count: 1 << 20))"}}"#
    let result = try run(
      emulator.apnsOptions + ["--ordered"],
      [
        Self.line(1), "", #"{"token":"\#(Self.token(2))""#, "[1]", #"{"message":{"title":"a"}}"#,
        #"{"token":"aa"}"#, #"{"token":"aa","message":{"title":7}}"#, #"{"token":"aa","to":"bb"}"#, tooLong,
        Self.line(9),
      ])
    let found = try outcomes(result)
    #expect(found.map { $0["line"]?.int } == [1, 3, 4, 5, 6, 7, 8, 9, 10])
    #expect(
      found.map { $0["outcome"]?.string } == [
        "accepted", "unreadable", "unreadable", "unreadable", "unreadable", "not_legal", "unreadable", "unreadable",
        "accepted",
      ])
    #expect(found[1]["detail"]?.string?.hasPrefix("column 76: not JSON") == true, "\(found[1])")
    #expect(found[2]["detail"]?.string == #"expected {"token": "…", "message": {…}}, or give --token"#)
    #expect(found[3]["detail"]?.string == #""token" is missing or not a text; give one, or --token for all lines"#)
    #expect(found[4]["detail"]?.string == #""message" is missing; give one, or --message FILE for all lines"#)
    #expect(found[5]["report"]?.array?.first?["field"]?.string == "title")
    #expect(
      found[6]["detail"]?.string
        == #"unknown member "to"; known: token, message, id, campaign; --token takes bare messages"#)
    #expect(found[7]["detail"]?.string == "the line is longer than 1 MiB")
    #expect(result.errorText.hasPrefix("2 accepted, 1 not legal, 6 unreadable; "))
    #expect(result.status == 3)
  }

  @Test("a stream of tokens shares one message, laid out once")
  func sharedMessage() throws {
    let emulator = try RunningEmulator()
    let message = emulator.folder.path + "/message.json"
    try Files.write(Array(#"{"title":"Hi","body":"All"}"#.utf8), to: message)
    let lines = (0..<500).map { #"{"token":"device-\#($0)"}"# }
    let result = try run(emulator.fcmOptions + ["--message", message], lines)
    let found = try outcomes(result)
    #expect(Set(found.compactMap { $0["line"]?.int }) == Set(1...500))
    #expect(found.allSatisfy { $0["outcome"]?.string == "accepted" }, "\(result.errorText)")
    #expect(result.status == 0)
    let last = try Subprocess.run(
      "curl", ["-sf", emulator.control + "/devices/fcm/device-499/pushes/last"], seconds: 20)
    #expect(last.outputText.contains("All"))
  }

  @Test("an outcome is out while the input is still open, and no line is read without need")
  func interactive() throws {
    let emulator = try RunningEmulator()
    let script = """
      coproc sender { "$@"; }
      for title in a b; do
        echo "{\\"title\\":\\"$title\\"}" >&${sender[1]}
        read -t 10 outcome <&${sender[0]} && echo "$outcome"
      done
      exec {sender[1]}>&-
      wait
      """
    let result = try Subprocess.run(
      "bash", ["-c", script, "-", Postrider.path, "send", "--token", Self.token(1)] + emulator.apnsOptions, seconds: 40)
    let found = try outcomes(result)
    #expect(found.map { $0["line"]?.int } == [1, 2], "\(result.errorText)")
    #expect(found.map { $0["outcome"]?.string } == ["accepted", "accepted"])
  }

  @Test("a message over many lines is one message; several tokens are told apart")
  func wholeDocument() throws {
    let emulator = try RunningEmulator()
    let lines = ["", "{", #"  "title": "Hello","#, #"  "body": "World""#, "}", ""]
    let result = try run(
      emulator.apnsOptions + ["--token", Self.token(1), "--token", Self.token(2), "--ordered"], lines)
    let found = try outcomes(result)
    #expect(found.map { $0["line"]?.int } == [2, 2])
    #expect(found.map { $0["token"]?.string } == [Self.token(1), Self.token(2)])
    #expect(result.status == 0)
    let broken = try run(emulator.apnsOptions + ["--token", Self.token(1)], ["{", #"  "title": x"#, "}"])
    #expect(broken.output.isEmpty)
    #expect(broken.errorText.hasPrefix("postrider: send: standard input:2:12: not JSON: "), "\(broken.errorText)")
    #expect(broken.status == 3)
  }

  @Test(
    "memory does not grow with the input, and a reader that is slow slows the sending",
    .disabled(if: Files.environment("POSTRIDER_SANITIZE") != nil, "a sanitizer keeps what is freed"))
  func constantMemory() throws {
    let emulator = try RunningEmulator()
    // 60 MB of input; the reader of the outcomes sleeps first.
    let script = """
      body=$(printf 'x%.0s' $(seq 1900))
      lines() {
        awk -v b="$body" 'BEGIN {
          for (i = 1; i <= 30000; i++) printf "{\\"token\\":\\"%064x\\",\\"message\\":{\\"title\\":\\"%s\\"}}\\n", i, b }'
      }
      "$@" < <(lines) > >(sleep 2; wc -l > "$0/lines") 2> "$0/errors" &
      while grep VmHWM /proc/$!/status; do sleep 0.2; done 2> /dev/null
      wait $!
      head -n 1 "$0/errors"
      sleep 0.5
      cat "$0/lines"
      """
    let result = try Subprocess.run(
      "bash", ["-c", script, emulator.folder.path, Postrider.path, "send"] + emulator.apnsOptions, seconds: 200)
    let lines = result.outputText.split(separator: "\n")
    #expect(lines.last == "30000", "\(result.outputText) \(result.errorText)")
    #expect(lines.dropLast().last?.hasPrefix("30000 accepted; ") == true, "\(result.outputText)")
    let peaks = lines.filter { $0.hasPrefix("VmHWM") }
      .compactMap { Int($0.split(separator: " ").dropLast().last ?? "") }
    let (first, last) = (peaks.prefix(5).max() ?? 0, peaks.max() ?? .max)
    #expect(last < first + 20_000, "kB: \(peaks)")
  }

  @Test("a terminal sees a bar and its share; a file gets none")
  func progress() throws {
    let emulator = try RunningEmulator()
    try emulator.post("/scenario", #"{"apns":{"latency":20}}"#, method: "PUT")
    let input = emulator.folder.path + "/lines.ndjson"
    try Files.write(Array((0..<400).map(Self.line).joined(separator: "\n").utf8), to: input)
    let command = ([Postrider.path, "send"] + emulator.apnsOptions + ["--concurrency", "10", input])
      .joined(separator: " ")
    let shown = try Subprocess.run(
      "script", ["-qefc", "\(command) > \(emulator.folder.path)/outcomes", "/dev/null"], seconds: 60)
    #expect(shown.outputText.contains("100 %  "), "\(shown.outputText)")
    #expect(shown.outputText.contains(" under way, "))
    #expect(shown.outputText.contains("400 accepted; "))
    #expect(try Files.read(emulator.folder.path + "/outcomes").count { $0 == 0x0A } == 400)
    let plain = try Subprocess.run("sh", ["-c", command], seconds: 60)
    #expect(!plain.errorText.contains("under way"))
  }

  @Test("Ctrl-C stops the reading; what was sent is in the output")
  func interrupted() throws {
    let emulator = try RunningEmulator()
    try emulator.post("/scenario", #"{"apns":{"latency":50}}"#, method: "PUT")
    let command = try Subprocess(
      Postrider.path, ["send"] + emulator.apnsOptions + ["--concurrency", "5"],
      input: Array((0..<5000).map(Self.line).joined(separator: "\n").utf8))
    _ = try command.waitFor(#""line":10,"#)
    command.signal(SIGINT)
    let result = try command.finish(seconds: 30)
    let lines = try outcomes(result).compactMap { $0["line"]?.int }
    #expect(lines.count < 5000)
    // Concurrency one by one: all lines up to the last one taken are there.
    #expect(Set(lines) == Set(1...lines.count))
    #expect(result.errorText.contains("interrupted after line \(lines.count) of the input"), "\(result.errorText)")
    #expect(result.status == 4)
  }

  @Test("a second Ctrl-C does not wait for answers that do not come")
  func interruptedTwice() throws {
    let emulator = try RunningEmulator()
    try emulator.post(
      "/scenario", #"{"rules":[{"name":"mute","effect":"silence","share":0.2}]}"#, method: "PUT")
    let command = try Subprocess(
      Postrider.path, ["send"] + emulator.apnsOptions + ["--concurrency", "5"],
      input: Array((0..<5000).map(Self.line).joined(separator: "\n").utf8))
    _ = try command.waitFor(#""line":"#)
    // Until all five that may be under way are among those that are never answered.
    usleep(500_000)
    command.signal(SIGINT)
    _ = try command.waitFor("a second Ctrl-C ends at once")
    command.signal(SIGINT)
    // The answers would be waited for thirty seconds.
    #expect(try command.finish(seconds: 20).status == 128 + SIGINT)
  }

  @Test("a reader that goes away ends it like any filter, with the summary")
  func withoutReader() throws {
    let emulator = try RunningEmulator()
    let words = ([Postrider.path, "send"] + emulator.apnsOptions).map { "'\($0)'" }.joined(separator: " ")
    let lines = Array((0..<5000).map(Self.line).joined(separator: "\n").utf8)
    let script = "\(words) | head -n 1; echo status ${PIPESTATUS[0]} >&2"
    let result = try Subprocess.run("bash", ["-c", script], input: lines, seconds: 120)
    #expect(result.errorText.contains(" accepted; "), "\(result.errorText)")
    #expect(result.errorText.hasSuffix("status \(128 + SIGPIPE)\n"), "\(result.errorText)")
  }
}
