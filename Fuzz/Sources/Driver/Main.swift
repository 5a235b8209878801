import FuzzTargets
import Glibc

#if FUZZING
  import CFuzzer
#endif

/// `postrider-fuzz TARGET [libFuzzer's options] [CORPUS…]`; without the fuzzer built in, the files are replayed.
@main
enum Main {
  nonisolated(unsafe) private static var target = FuzzTarget.canary  // Set once, before the driver's one thread runs.

  static func main() {
    guard CommandLine.arguments.count > 1, let found = target(named: CommandLine.arguments[1]) else {
      for target in FuzzTarget.all + [.canary] { print("\(target.name): \(target.about)") }
      exit(2)
    }
    target = found
    #if FUZZING
      fuzz()
    #else
      for path in CommandLine.arguments.dropFirst(2) { replay(path) }
    #endif
  }

  private static func target(named name: String) -> FuzzTarget? {
    (FuzzTarget.all + [.canary]).first { $0.name == name }
  }

  /// Runs one input; a broken property stops the process, so that the fuzzer keeps the input.
  private static func run(_ input: [UInt8]) {
    do throws(FuzzFailure) { try target.run(input) } catch {
      fatalError("\(target.name): \(error)")
    }
  }

  #if FUZZING
    private static func fuzz() {
      var count = CommandLine.argc
      // libFuzzer sees the target's name as its own, and rewrites the list.
      var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
      arguments?[1] = CommandLine.unsafeArgv[0]
      arguments = arguments.map { $0 + 1 }
      count -= 1
      exit(
        LLVMFuzzerRunDriver(&count, &arguments) { data, size in
          Main.run(Array(UnsafeBufferPointer(start: data, count: size)))
          return 0
        })
    }
  #else
    private static func replay(_ path: String) {
      guard let file = fopen(path, "r") else {
        perror(path)
        exit(3)
      }
      defer { fclose(file) }
      var input: [UInt8] = []
      while true {
        let byte = getc(file)
        if byte == EOF { break }
        input.append(UInt8(truncatingIfNeeded: byte))
      }
      run(input)
      print("\(path): held")
    }
  #endif
}
