// The C interface; `Packages/core/include/postrider.h` documents each function.

/// The version of the interface.
@c(postrider_interface_version)
public func postriderInterfaceVersion() -> UInt32 { Core.interfaceVersion }

/// Memory for an input or options; nil for more than an input may have.
@c(postrider_alloc)
public func postriderAlloc(_ count: Int) -> UnsafeMutableRawPointer? {
  guard count >= 0, count <= Core.bytesMax + 1 else { return nil }
  return UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 16)
}

/// Gives memory back: an input's or an answer's.
@c(postrider_free)
public func postriderFree(_ memory: UnsafeMutableRawPointer?) { unsafe memory?.deallocate() }

/// A raw payload → typed properties.
@c(postrider_parse)
public func postriderParse(
  _ input: UnsafePointer<UInt8>?, _ inputCount: Int, _ options: UnsafePointer<UInt8>?, _ optionsCount: Int,
  _ answerCount: UnsafeMutablePointer<Int>?
) -> UnsafeMutablePointer<UInt8>? {
  unsafe answer(.parse, input, inputCount, options, optionsCount, answerCount)
}

/// A message → the exact requests.
@c(postrider_render)
public func postriderRender(
  _ input: UnsafePointer<UInt8>?, _ inputCount: Int, _ options: UnsafePointer<UInt8>?, _ optionsCount: Int,
  _ answerCount: UnsafeMutablePointer<Int>?
) -> UnsafeMutablePointer<UInt8>? {
  unsafe answer(.render, input, inputCount, options, optionsCount, answerCount)
}

/// A message or document → findings.
@c(postrider_check)
public func postriderCheck(
  _ input: UnsafePointer<UInt8>?, _ inputCount: Int, _ options: UnsafePointer<UInt8>?, _ optionsCount: Int,
  _ answerCount: UnsafeMutablePointer<Int>?
) -> UnsafeMutablePointer<UInt8>? {
  unsafe answer(.check, input, inputCount, options, optionsCount, answerCount)
}

/// A provider's reason or answer → what it means.
@c(postrider_explain)
public func postriderExplain(
  _ input: UnsafePointer<UInt8>?, _ inputCount: Int, _ options: UnsafePointer<UInt8>?, _ optionsCount: Int,
  _ answerCount: UnsafeMutablePointer<Int>?
) -> UnsafeMutablePointer<UInt8>? {
  unsafe answer(.explain, input, inputCount, options, optionsCount, answerCount)
}

/// A payload or message → what devices show.
@c(postrider_preview)
public func postriderPreview(
  _ input: UnsafePointer<UInt8>?, _ inputCount: Int, _ options: UnsafePointer<UInt8>?, _ optionsCount: Int,
  _ answerCount: UnsafeMutablePointer<Int>?
) -> UnsafeMutablePointer<UInt8>? {
  unsafe answer(.preview, input, inputCount, options, optionsCount, answerCount)
}

/// The contracts, one table, or the difference of two.
@c(postrider_contracts)
public func postriderContracts(
  _ input: UnsafePointer<UInt8>?, _ inputCount: Int, _ options: UnsafePointer<UInt8>?, _ optionsCount: Int,
  _ answerCount: UnsafeMutablePointer<Int>?
) -> UnsafeMutablePointer<UInt8>? {
  unsafe answer(.contracts, input, inputCount, options, optionsCount, answerCount)
}

/// The answer in memory of its own, with a zero byte behind it that is not counted.
private func answer(
  _ operation: Core.Operation, _ input: UnsafePointer<UInt8>?, _ inputCount: Int, _ options: UnsafePointer<UInt8>?,
  _ optionsCount: Int, _ answerCount: UnsafeMutablePointer<Int>?
) -> UnsafeMutablePointer<UInt8>? {
  let bytes = unsafe Core.answer(operation, copy(input, inputCount), options: copy(options, optionsCount))
  let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes.count + 1, alignment: 16)
  let answer = unsafe memory.bindMemory(to: UInt8.self, capacity: bytes.count + 1)
  unsafe answer.initialize(from: bytes, count: bytes.count)
  unsafe answer[bytes.count] = 0
  unsafe answerCount?.pointee = bytes.count
  return unsafe answer
}

/// The caller's bytes; of too many only so many that the length is seen to be too large.
private func copy(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
  guard let bytes = unsafe bytes, count > 0 else { return [] }
  return unsafe Array(UnsafeBufferPointer(start: bytes, count: min(count, Core.bytesMax + 1)))
}
