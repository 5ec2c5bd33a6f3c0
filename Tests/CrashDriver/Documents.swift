import SeifCommandLine
import CSeif
import Glibc
import SeifBytes
import SeifCrypto
import SeifDocumentFormat
import SeifDocuments

/// What a document vault must hold after so many steps: written apart from what keeps vaults.
struct DocumentModel: Equatable {
  /// Documents and folders by name; a folder has no bytes.
  var nodes: [String: [UInt8]?] = [:]
  /// How often the master key changed; nil: there is no vault yet.
  var rotations: Int?
  /// Files that were taken out.
  var outputs: [String: [UInt8]] = [:]
}

/// SplitMix64.
private struct Chance {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}

enum DocumentStep {
  case create
  case makeFolder(String)
  case put(String, [UInt8])
  case putStream(String, [UInt8])
  case rename(String, String)
  case remove(String)
  case rotate(files: Bool)
  case get(String, String)

  static let names = ["folder", "put", "stream", "rename", "get", "put", "rotate", "remove", "put", "rotate files"]

  static func name(_ number: Int) -> String { number == 0 ? "create" : names[(number - 1) % names.count] }

  /// Which step comes after a state follows from seed and number alone.
  static func step(_ number: Int, _ seed: UInt64, _ before: DocumentModel) -> DocumentStep {
    guard number > 0 else { return .create }
    var chance = Chance(state: seed &* 1_000_003 &+ UInt64(number))
    let files = before.nodes.compactMap { $0.value == nil ? nil : $0.key }.sorted()
    let some = files.isEmpty ? nil : files[Int(chance.next() % UInt64(files.count))]
    let sizes = [0, 1, 100, 5_000, 70_000, 300_000]
    let size = sizes[Int(chance.next() % UInt64(sizes.count))]
    let start = UInt8(truncatingIfNeeded: chance.next())
    var bytes = [UInt8](repeating: start, count: size)
    for place in stride(from: 0, to: size, by: 997) { bytes[place] = UInt8(truncatingIfNeeded: place) }
    switch (name(number), some) {
    case ("folder", _): return .makeFolder("folder \(number)")
    case ("stream", _): return .putStream("stream \(number).txt", bytes)
    case ("rename", let name?): return .rename(name, "renamed \(number).pdf")
    case ("get", let name?): return .get(name, "out \(number).pdf")
    case ("remove", let name?): return .remove(name)
    case ("rotate", _): return .rotate(files: false)
    case ("rotate files", _): return .rotate(files: true)
    default: return .put("document \(number).pdf", bytes)
    }
  }

  func apply(to model: inout DocumentModel) {
    switch self {
    case .create: model.rotations = 0
    case .makeFolder(let name): model.nodes[name] = .some(nil)
    case .put(let name, let bytes), .putStream(let name, let bytes): model.nodes[name] = bytes
    case .rename(let old, let new): if let value = model.nodes.removeValue(forKey: old) { model.nodes[new] = value }
    case .remove(let name): model.nodes[name] = nil
    case .rotate: model.rotations = (model.rotations ?? 0) + 1
    case .get(let name, let file): if let bytes = model.nodes[name] ?? nil { model.outputs[file] = bytes }
    }
  }

  static func model(after count: Int, _ seed: UInt64) -> DocumentModel {
    var model = DocumentModel()
    for number in 0..<count { step(number, seed, model).apply(to: &model) }
    return model
  }
}

/// A document vault under a root, with a client's memory and a folder of outputs.
struct DocumentWorld {
  let root: String
  let seed: UInt64

  private func key(_ rotations: Int) -> SecretBytes {
    SecretBytes(copying: SecretValue([UInt8](repeating: UInt8(truncatingIfNeeded: rotations + 1), count: 32)))
  }

  private func row(_ rotations: Int) throws -> StoredKeyWrap {
    let id = "00000000-0000-4000-8000-" + String(String(1_000_000_000_000 + rotations).suffix(12))
    guard let row = StoredKeyWrap(json: SecretValue(utf8: #"{"id":"\#(id)","kind":"other"}"#)) else {
      throw Violation("no row")
    }
    return row
  }

  private func open(_ rotations: Int) throws -> DocumentVaultClient {
    try DocumentVaultClient.open(
      FolderDocumentStore(path: "\(root)/vault"), masterKey: key(rotations), stateFolder: "\(root)/state")
  }

  func perform(_ step: DocumentStep, before: DocumentModel) throws {
    if case .create = step {
      // A creation that was ended after its way in was stored goes on from there.
      let begun = FolderDocumentStore(path: "\(root)/vault")
      if (try? begun.status().isEnabled) == true {
        _ = try open(0).setFavourite([], false)
      } else {
        let store = try FolderDocumentStore.make(path: "\(root)/vault")
        _ = try DocumentVaultClient.create(store, masterKey: key(0), rows: [row(0)], stateFolder: "\(root)/state")
      }
      return
    }
    let rotations = before.rotations ?? 0
    let client = try open(rotations)
    func id(_ name: String) throws -> UUID {
      guard let node = client.manifest.nodes.first(where: { $0.name == name }) else {
        throw Violation("\(name) isn't there")
      }
      guard let id = node.id else { throw Violation("\(name) has no identifier") }
      return id
    }
    func source(_ bytes: [UInt8], _ name: String) throws -> String {
      let path = "\(root)/out/\(name)"
      let file = seif_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      defer { close(file) }
      guard file >= 0, seif_write_all(file, bytes, bytes.count) == 0 else { throw Violation("no source") }
      return path
    }
    func put(_ item: PutItem) throws {
      let report = try client.put([item], into: nil)
      if let refused = report.refused.first { throw refused.error }
    }
    switch step {
    case .create: break
    case .makeFolder(let name): _ = try client.makeFolder(name, in: nil)
    case .put(let name, let bytes):
      let path = try source(bytes, name)
      try put(.path(path))
      unlink(path)
    case .putStream(let name, let bytes):
      let path = try source(bytes, name)
      let file = seif_open(path, O_RDONLY, 0)
      defer { close(file) }
      try put(.stream(file, name: name))
      unlink(path)
    case .rename(let old, let new): _ = try client.rename(id(old), to: new)
    case .remove(let name): _ = try client.remove([id(name)])
    case .rotate(let files): _ = try client.rotate(to: key(rotations + 1), rows: [row(rotations + 1)], files: files)
    case .get(let name, let file):
      let report = try client.get([id(name)], into: "\(root)/out", as: file, replaces: true)
      if let failed = report.failed.first { throw failed.error }
    }
  }

  /// Which of two models is there: 0 or 1.
  func find(_ before: DocumentModel, _ after: DocumentModel) throws -> Int {
    var words: [String] = []
    for (index, model) in [after, before].enumerated() {
      do {
        try compare(model)
        return 1 - index
      } catch { words.append((error as? Violation)?.words ?? "\(error)") }
    }
    throw Violation("as after: \(words[0]); as before: \(words[1])")
  }

  private func compare(_ model: DocumentModel) throws {
    for (name, bytes) in model.outputs {
      guard try read("\(root)/out/\(name)") == bytes else { throw Violation("\(name) has other bytes") }
    }
    guard let rotations = model.rotations else {
      // A vault that was begun and has no manifest is none yet.
      let isThere = access("\(root)/vault", F_OK) == 0
      guard try !isThere || FolderDocumentStore(path: "\(root)/vault").manifest() == nil else {
        throw Violation("there is a vault")
      }
      return
    }
    let client = try open(rotations)
    guard client.rollback == nil else { throw Violation("it takes what it wrote for a rollback") }
    guard client.stored != nil else { throw Violation("no manifest") }
    guard try client.keyWraps() == [row(rotations)] else { throw Violation("the ways in are others") }
    var found: [String: [UInt8]?] = [:]
    for node in client.manifest.nodes {
      if node.kind == .folder {
        found[node.name] = .some(nil)
        continue
      }
      var bytes: [UInt8] = []
      guard let id = node.id else { throw Violation("\(node.name) has no identifier") }
      try client.read(id) { (piece) throws(DocumentError) in
        piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
      }
      found[node.name] = bytes
    }
    guard found == model.nodes else {
      throw Violation("it holds \(found.keys.sorted()) and not \(model.nodes.keys.sorted())")
    }
    let report = try client.doctor(opens: true)
    guard report.missing.isEmpty, report.damaged.isEmpty else { throw Violation("the manifest names what isn't there") }
    // A rotation that was ended leaves a copy of a row that isn't in use.
    guard report.keyWraps.altered.isEmpty, report.keyWraps.back.isEmpty else { throw Violation("the ways in differ") }
  }

  private func read(_ path: String) throws -> [UInt8] {
    let file = seif_open(path, O_RDONLY, 0)
    guard file >= 0 else { throw Violation("\(path.split(separator: "/").last ?? "") isn't there") }
    defer { close(file) }
    var (all, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
    while true {
      let count = Glibc.read(file, &buffer, buffer.count)
      guard count > 0 else { return all }
      all += buffer[..<count]
    }
  }
}

extension Driver {
  static func documents(
    _ root: String, _ seed: UInt64, _ confirmed: Int, _ limit: Int, kill: (step: Int, call: Int)
  ) throws {
    let world = DocumentWorld(root: root, seed: seed)
    var model = DocumentStep.model(after: confirmed, seed)
    let after = DocumentStep.model(after: confirmed + 1, seed)
    let index = try world.find(model, after)
    if index == 1 { model = after }
    var count = confirmed + index
    say("found \(count)")
    var isArmed = false
    while count < limit {
      if !isArmed, count >= kill.step {
        isArmed = true
        Calls.arm(.kill, at: kill.call)
      }
      let step = DocumentStep.step(count, seed, model)
      try world.perform(step, before: model)
      step.apply(to: &model)
      count += 1
      say("done \(count)")
    }
  }

  static func checkDocuments() {
    while let line = readLine() {
      let parts = line.split(separator: " ").map(String.init)
      guard parts.count == 4 else { break }
      let (seed, confirmed) = (UInt64(number(parts[1])), number(parts[2]))
      do {
        let index = try DocumentWorld(root: parts[0], seed: seed).find(
          DocumentStep.model(after: confirmed, seed), DocumentStep.model(after: confirmed + 1, seed))
        say("ok \(confirmed + index)")
      } catch {
        say("bad \((error as? Violation)?.words ?? "\(error)")")
      }
    }
  }
}
