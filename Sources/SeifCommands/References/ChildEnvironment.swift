internal import SeifCommandLine
internal import Glibc
internal import SeifBytes

/// The variables that a program is started with: those of this process, and those that hold references.
struct EnvironmentPlan {
  /// A variable whose value has to be made.
  struct Variable {
    let name: String
    let template: Template
  }

  private(set) var variables: [Variable] = []
  /// Variables as they are, `NAME=VALUE`, bytes and all.
  private var kept: [[UInt8]] = []

  /// All references in the order of the variables.
  var references: [Reference] { variables.flatMap(\.template.references) }

  /// - Parameters:
  ///   - inherited: the variables of this process, `NAME=VALUE`.
  ///   - given: those of `--env-file`, which come before inherited ones of the same name.
  init(
    inherited: [[UInt8]], given: [(name: String, value: SecretValue)]
  ) throws(CommandFailure) {
    let names = Set(given.map { Array($0.name.utf8) })
    for entry in inherited {
      let equals = entry.firstIndex(of: UInt8(ascii: "=")) ?? entry.endIndex
      if names.contains(Array(entry[..<equals])) { continue }
      let value = SecretValue(Array(entry[min(equals + 1, entry.endIndex)...]))
      let name = String(decoding: entry[..<equals], as: UTF8.self)
      if let template = try Self.template(name, value) {
        variables.append(Variable(name: name, template: template))
      } else {
        kept.append(entry)
      }
    }
    for (name, value) in given {
      if let template = try Self.template(name, value) {
        variables.append(Variable(name: name, template: template))
      } else {
        // EXPOSE: what stands in the file without a reference, for the program that is started.
        kept.append(Array("\(name)=".utf8) + value.exposedBytes())
      }
    }
  }

  /// The variables of this process as they are.
  static func inherited() -> [[UInt8]] {
    var entries: [[UInt8]] = []
    var entry = environ
    while let text = entry.pointee {
      entries.append(Array(UnsafeRawBufferPointer(start: text, count: strlen(text))))
      entry += 1
    }
    return entries
  }

  /// The whole value as a reference, or with references in braces; nil where there is none.
  private static func template(_ name: String, _ value: SecretValue) throws(CommandFailure) -> Template? {
    guard contains(value, Reference.scheme) else { return nil }
    func fault(_ what: String) -> CommandFailure {
      CommandFailure(.badInput, "the variable \(name): \(what)", hint: "Nothing was started.")
    }
    // EXPOSE: a value with a reference in it; what is secret is what the reference stands for.
    if let text = value.exposedText(), text.hasPrefix(Reference.scheme) {
      do throws(Reference.Fault) { return Template(try Reference(text)) } catch { throw fault(error.description) }
    }
    let template: Template
    do throws(Template.Fault) { template = try Template(value) } catch {
      throw fault("\(error.what) (character \(error.column))")
    }
    guard !template.references.isEmpty else {
      throw fault("a reference inside a value stands in braces: {{ seif://ITEM/FIELD }}")
    }
    return template
  }

  private static func contains(_ value: SecretValue, _ part: String) -> Bool {
    value.withBytes { bytes in bytes.withUnsafeBytes { $0.firstRange(of: Array(part.utf8)) != nil } }
  }

  /// The block for `execve`.
  /// - Throws: exit 65 where a value has a zero byte, which no variable can hold.
  func block(_ values: ReferenceValues) throws(CommandFailure) -> EnvironmentBlock {
    let block = EnvironmentBlock()
    for entry in kept { block.add(entry.span.bytes) }
    for variable in variables {
      let value = variable.template.filled { values[$0] }
      var text = SecretBuffer(capacity: value.byteCount + 64)
      text.append(utf8: "\(variable.name)=")
      text.append(value)
      let entry = text.finish()
      guard entry.withBytes({ bytes in bytes.withUnsafeBytes { !$0.contains(0) } }) else {
        throw CommandFailure(
          .badInput, "what \(variable.name) refers to has a zero byte, which no variable can hold",
          hint: "Nothing was started; --fd can hand it over.")
      }
      entry.withBytes { block.add($0) }
    }
    return block
  }
}

/// `NAME=VALUE` texts as the kernel wants them, wiped when they go.
final class EnvironmentBlock {
  private var pointers: [UnsafeMutablePointer<CChar>?] = [nil]
  private var counts: [Int] = []

  func add(_ entry: RawSpan) {
    let count = entry.byteCount
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: count + 1)
    entry.withUnsafeBytes {
      UnsafeMutableRawPointer(copy).copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(copy), byteCount: count)
    }
    copy[count] = 0
    pointers.insert(copy, at: pointers.count - 1)
    counts.append(count)
  }

  func withPointers<R>(_ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R) -> R {
    pointers.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { fatalError("internal error: no environment block") }
      return body(start)
    }
  }

  deinit {
    for (pointer, count) in zip(pointers, counts) {
      guard let pointer else { continue }
      explicit_bzero(pointer, count)
      pointer.deallocate()
    }
  }
}
