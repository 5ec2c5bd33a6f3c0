import SeifCommandLine
import Glibc
import SeifCommands
import SeifTransports
import SeifVault

// Does steps on a vault and on files, says when each is done, and looks at what is left after it was ended. Which step is
// which follows from the seed and the number alone. Run by Tests/Crash.
//
//   work ROOT SEED DONE LIMIT STEP CALL    looks, goes on from the DONE that were confirmed, and is killed at the CALLth
//                                          call from the step on (0: isn't)
//   faults ROOT SEED ERRNO LASTING STRIDE  makes each (of STRIDE) call of each kind of step fail, one after the other
//   names                                  the kinds of steps in their order
//   check                                  reads lines ROOT SEED DONE POWERLOSS, answers each
//   documents, check-documents             as work and check, of a document vault

@main
struct Driver {
  static func main() {
    let arguments = CommandLine.arguments
    do {
      switch arguments.count > 1 ? arguments[1] : "" {
      case "work" where arguments.count == 8:
        try work(
          arguments[2], number(arguments[3]), number(arguments[4]), number(arguments[5]),
          kill: (number(arguments[6]), number(arguments[7])))
      case "names": say(Plan.names.joined(separator: ","))
      case "faults" where arguments.count == 7:
        try faults(
          arguments[2], number(arguments[3]), Int32(clamping: number(arguments[4])), number(arguments[5]) != 0,
          stride: max(1, number(arguments[6])))
      case "documents" where arguments.count == 8:
        try documents(
          arguments[2], UInt64(number(arguments[3])), number(arguments[4]), number(arguments[5]),
          kill: (number(arguments[6]), number(arguments[7])))
      case "check": check()
      case "check-documents": checkDocuments()
      default:
        say("usage: seif-crash work|faults|check")
        exit(64)
      }
    } catch let violation as Violation {
      say("bad \(violation.words)")
      exit(1)
    } catch {
      say("bad \(error)")
      exit(1)
    }
  }

  static func number(_ text: String) -> Int { Int(text) ?? 0 }

  /// One write, so that a line is there whole or not at all.
  static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = Glibc.write(1, bytes, bytes.count)
  }

  static func work(
    _ root: String, _ seed: Int, _ confirmed: Int, _ limit: Int, kill: (step: Int, call: Int)
  ) throws {
    let world = World(root: root, seed: UInt64(seed))
    var models = Models(seed: UInt64(seed))
    let index = try world.find(
      models[confirmed], models[confirmed + 1], afterPowerLoss: false,
      lookingAtSecond: Plan.name(confirmed).contains("second"))
    var count = confirmed + index
    say("found \(count)")
    var isArmed = false
    while count < limit {
      if !isArmed, count >= kill.step {
        isArmed = true
        Calls.arm(.kill, at: kill.call)
      }
      let before = models[count]
      try world.perform(Plan.step(count, UInt64(seed), before), number: count, after: models[count + 1])
      count += 1
      say("done \(count)")
    }
    world.close()
  }

  static func check() {
    var models: [UInt64: Models] = [:]
    while let line = readLine() {
      let parts = line.split(separator: " ").map(String.init)
      guard parts.count == 4 else { break }
      let seed = UInt64(number(parts[1]))
      let confirmed = number(parts[2])
      var own = models[seed] ?? Models(seed: seed)
      do {
        let world = World(root: parts[0], seed: seed)
        let index = try world.find(own[confirmed], own[confirmed + 1], afterPowerLoss: parts[3] == "1")
        say("ok \(confirmed + index)")
      } catch {
        say("bad \((error as? Violation)?.words ?? "\(error)")")
      }
      models[seed] = own
    }
  }

  /// Each kind of step, its first call failing, then its second, until it needs no more calls.
  static func faults(_ root: String, _ seed: Int, _ code: Int32, _ isLasting: Bool, stride: Int) throws {
    let world = World(root: root, seed: UInt64(seed))
    var models = Models(seed: UInt64(seed))
    var nextCall: [String: Int] = [:]
    // The second vault is made as the first one is.
    var finished: Set<String> = stride > 1 ? ["create second"] : []
    var count = 0
    let kinds = Set((0...Plan.names.count).map(Plan.name))
    // Where reads fail too, a rotation alone has some thousand calls, and each takes a round of all steps.
    while !finished.isSuperset(of: kinds), count < 2_000 * Plan.names.count {
      let (before, after) = (models[count], models[count + 1])
      let step = Plan.step(count, UInt64(seed), before)
      let kind = Plan.name(count)
      guard !finished.contains(kind) else {
        try world.perform(step, number: count, after: after)
        count += 1
        continue
      }
      // Making a vault and rotating it have many calls and a slow derivation.
      let pace = stride > 1 && (kind.hasPrefix("create") || kind == "rotate") ? stride * 2 : stride
      let call = nextCall[kind].map { $0 + pace } ?? 1 + seed % pace
      nextCall[kind] = call
      Calls.arm(.fail, at: call, code: code, isLasting: isLasting)
      var failure: String?
      do {
        try world.perform(step, number: count, after: after)
      } catch let violation as Violation {
        // A mark that can't be kept is said, and that is all that is asked of it.
        if violation.words.contains("highest counter") { failure = "mark" } else { throw violation }
      } catch {
        failure = name(error)
      }
      let (fired, made) = (Calls.fired, Calls.count)
      Calls.arm(.nothing)
      let index: Int
      do {
        index = try world.find(before, after, afterPowerLoss: true, lookingAtSecond: kind.contains("second"))
      } catch let violation as Violation {
        throw Violation("\(kind), call \(call), \(failure ?? "done"): \(violation.words)")
      }
      if fired == 0 {
        guard failure == nil else { throw Violation("\(kind) failed without a fault: \(failure ?? "")") }
        if made < call { finished.insert(kind) }
      } else {
        say("fault \(kind)\t\(call)\t\(fired)\t\(failure ?? "done")\t\(index == 0 ? "before" : "after")")
      }
      // From here on its calls are those of closing, which "reopen" has too.
      if stride > 1, kind.contains("second"), failure == nil, index == 1 { finished.insert(kind) }
      // There is one first vault; the rest of its calls are those of the second one.
      if kind == "create", index == 1 { finished.insert(kind) }
      if failure == nil, index == 0 { throw Violation("\(kind), call \(call): confirmed, and not there") }
      // Where taking away a file was made to fail, it can't be asked for.
      if fired & Calls.unlink == 0 {
        let left =
          world.names("out").filter { $0.hasSuffix(".part") } + world.names("backups").filter { $0.hasPrefix(".") }
        guard left.isEmpty else { throw Violation("\(kind), call \(call): a temporary file was left") }
      } else {
        for folder in ["out", "backups"] {
          for name in world.names(folder) where name.hasSuffix(".part") { unlink("\(root)/\(folder)/\(name)") }
        }
      }
      // What changes nothing can be tried again at once; all else needs another round to get to its next call.
      if index == 1, finished.contains(kind) || (kind != "reopen" && kind != "open second") { count += 1 }
    }
    guard finished.isSuperset(of: kinds) else {
      throw Violation(
        "not every call was reached: \(kinds.subtracting(finished).sorted().map { "\($0) \(nextCall[$0] ?? 0)" })")
    }
    say("kinds \(finished.count)")
  }

  private static func name(_ error: any Error) -> String {
    switch error {
    case let error as VaultError: "vault \(error.code.rawValue)"
    case let error as CommandFailure: "exit \(error.exitCode.rawValue)"
    default: "\(type(of: error)) \(error)".split(separator: "\n").first.map(String.init) ?? ""
    }
  }
}

/// The library that stands before libc (Tests/Crash/io_shim.c), where it is loaded.
enum Calls {
  enum Mode: Int32 { case nothing, kill, fail }
  static let unlink: Int32 = 64

  static func arm(_ mode: Mode, at call: Int = 0, code: Int32 = 0, isLasting: Bool = false) {
    typealias Arm = @convention(c) (Int32, Int, Int32, Int32) -> Void
    guard let symbol = dlsym(nil, "seif_io_arm") else { return }
    unsafeBitCast(symbol, to: Arm.self)(call > 0 ? mode.rawValue : 0, call, code, isLasting ? 1 : 0)
  }

  /// Whether the file system has nameless files.
  static func allowUnnamed(_ on: Bool) {
    typealias Allow = @convention(c) (Int32) -> Void
    guard let symbol = dlsym(nil, "seif_io_allow_unnamed") else { return }
    unsafeBitCast(symbol, to: Allow.self)(on ? 1 : 0)
  }

  /// The calls that were made since.
  static var count: Int {
    typealias Count = @convention(c) () -> Int
    guard let symbol = dlsym(nil, "seif_io_calls") else { return 0 }
    return unsafeBitCast(symbol, to: Count.self)()
  }

  /// The kinds of them that failed.
  static var fired: Int32 {
    typealias Fired = @convention(c) () -> Int32
    guard let symbol = dlsym(nil, "seif_io_fired") else { return 0 }
    return unsafeBitCast(symbol, to: Fired.self)()
  }
}
