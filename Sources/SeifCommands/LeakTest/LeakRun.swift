internal import SeifCommandLine
internal import CSeif
internal import Glibc
internal import SeifBytes
internal import SeifVault

/// One leak test: runs every command in a world of its own and searches what it can leave its secrets in.
final class LeakRun {
  let context: Context
  let world: LeakWorld
  let devices: LeakDevices
  let secrets = LeakCanaries()
  private(set) var canaries: [LeakCanary]
  private(set) var search: LeakSearch
  private let progress: Progress
  /// All that was said so far.
  private var heard: [UInt8] = []
  private var done = 0
  var processes = 0

  private var output = LeakPlace("standard output")
  private var errors = LeakPlace("standard error")
  var terminal = LeakPlace("terminal")
  private var arguments = LeakPlace("arguments of processes")
  private var variables = LeakPlace("variables of processes")
  var others: [LeakPlace] = []

  /// All places, in the order of the report.
  var places: [LeakPlace] { others + [output, errors, terminal, arguments, variables] }

  init(_ context: Context) throws(CommandFailure) {
    self.context = context
    world = try LeakWorld(context.environment)
    devices = try LeakDevices(world, context.environment)
    canaries = secrets.all
    search = LeakSearch(canaries, plant: secrets.plant)
    progress = Progress(context.talk, "Looking for leaks")
  }

  func run() throws(CommandFailure) {
    defer { progress.finish() }
    let strangers = LeakFolders.names()
    try run(LeakSteps.made(secrets, world))
    let code = try learnRecoveryCode(of: "sheet.txt")
    let kinds = devices.kinds
    try run(LeakSteps.addDevices(secrets, kinds))
    try learnDeviceKeys()
    try run(LeakSteps.byDevices(secrets, kinds))
    let agent = try startAgent()
    try run(LeakSteps.withAgent(secrets, world, kinds), beside: agent)
    try clipboard()
    // Last, so that what they left isn't overwritten by what comes after.
    try run(LeakSteps.unlocking(secrets, kinds), beside: agent)
    try memory(of: agent, "the agent's memory while open", isCountedOnly: true)
    try run(LeakSteps.locks, beside: agent)
    try memory(of: agent, "the agent's memory after the lock", isCountedOnly: false)
    try run([LeakStep("unlock").giving(("--passphrase-fd", secrets.passphrase))], beside: agent)
    try abort(agent)
    try run(LeakSteps.waysIn(secrets, world, kinds, recoveryCode: code))
    _ = try learnRecoveryCode(of: "sheet-rotated.txt")
    _ = try learnRecoveryCode(of: "sheet-second.txt")
    try learnDeviceKeys()
    try run(LeakSteps.byDevices(secrets, kinds))
    try run([LeakSteps.keysRemove(secrets, way: try lastWay())])
    // The keyring's key is taken out of it with the whole vault.
    if kinds.contains(.tpm2) { try run([LeakSteps.keysRemove(secrets, way: "tpm2")]) }
    // Before the vault is gone: what stands beside it, and in everything that was written.
    folder("vault and home folder", world.home)
    folder("temporary files", world.temporary)
    folder(
      "sealed files and backups", world.outputs,
      without: { $0.hasPrefix("sheet") || $0.hasPrefix("clear") || $0.hasSuffix(".png") })
    others.append(LeakFolders.search(new: strangers, search, plant: secrets.plant, own: world.folder))
    others.append(LeakLog.place())
    try destroy()
  }

  // MARK: - Commands

  private func run(_ steps: [LeakStep], beside agent: LeakProcess? = nil) throws(CommandFailure) {
    for step in steps {
      done += 1
      // As many as there are, counted once.
      let count = 110 + 10 * devices.kinds.count
      progress.update(done: min(done, count), of: count)
      let process = try world.start(invocation(step))
      let status = process.follow(milliseconds: 120_000)
      world.forget(process)
      if let agent { _ = agent.follow(milliseconds: 0) }
      try settle(process, step, status)
    }
  }

  func invocation(_ step: LeakStep) -> LeakInvocation {
    LeakInvocation(
      words: step.arguments, environment: world.variables(secrets.plant, devices.variables + step.variables),
      folder: world.work,
      input: Array(step.input.utf8),
      secrets: step.secrets.enumerated().map { (Int32($0) + 3, Array(($1.value + "\n").utf8)) })
  }

  func settle(_ process: LeakProcess, _ step: LeakStep, _ status: Int32?) throws(CommandFailure) {
    processes += process.seen.count
    let exit = status.flatMap { $0 & 0x7F == 0 ? $0 >> 8 & 0xFF : nil }
    guard let exit, step.exits.contains(exit) else {
      let words = exit.map { "ended with \($0)" } ?? (status == nil ? "didn't end" : "was killed")
      // What it said is told only if nothing of ours is in it.
      var said = LeakPlace("")
      search.search(process.errors, &said)
      let lines = said.found.isEmpty ? String(decoding: process.errors, as: UTF8.self).split(separator: "\n") : []
      throw CommandFailure(
        .internalFault, "seif \(step.command) \(words) in the leak test", details: lines.map(String.init))
    }
    take(process.output, into: &output, showing: step.shows)
    take(process.errors, into: &errors)
    take(process.arguments, into: &arguments)
    take(process.variables, into: &variables, showing: step.hands)
    if process.hidesVariables { variables.reason = "the kernel shows those of such processes to root alone" }
  }

  /// Searches what was read. What is meant to be there is left out, and has to be there.
  func take(_ bytes: [UInt8], into place: inout LeakPlace, showing entry: String? = nil) {
    heard += bytes
    var found = LeakPlace(place.name)
    search.search(bytes, &found)
    if let entry {
      let shown = found.found.keys.filter { isShown(canaries[$0], by: entry) }
      if shown.isEmpty { place.isShownMissing = true }
      for index in shown { found.found[index] = nil }
    }
    // A name is no secret here.
    for index in found.found.keys where canaries[index].isName { found.found[index] = nil }
    place.add(found)
  }

  private func isShown(_ canary: LeakCanary, by entry: String) -> Bool {
    !canary.entry.isEmpty && (entry == "everything" || utf8Equal(canary.entry, entry))
  }

  // MARK: - The agent

  private func startAgent() throws(CommandFailure) -> LeakProcess {
    let agent = try world.start(invocation(LeakSteps.agent()))
    let socket = world.runtime + "/seif/agent.sock"
    guard agent.follow(milliseconds: 30_000, until: { access(socket, F_OK) == 0 }) == nil, access(socket, F_OK) == 0
    else { throw CommandFailure(.internalFault, "the agent of the leak test doesn't start") }
    return agent
  }

  func memory(of agent: LeakProcess, _ name: String, isCountedOnly: Bool) throws(CommandFailure) {
    var place = LeakPlace(name)
    place.isCountedOnly = isCountedOnly
    if let reason = search.search(memoryOf: agent.identifier, &place) {
      place.reason = "\(reason); as root, or under unshare -r, it is searched"
    } else if place.isPlantFound == nil {
      place.isPlantFound = false
    }
    others.append(place)
  }

  /// SIGABRT while it is open: no core file may come.
  private func abort(_ agent: LeakProcess) throws(CommandFailure) {
    var place = LeakPlace("core file of the agent")
    kill(agent.identifier, SIGABRT)
    let status = agent.follow(milliseconds: 30_000)
    world.forget(agent)
    guard let status, status & 0x7F == SIGABRT else {
      throw CommandFailure(.internalFault, "the agent of the leak test doesn't end by a signal")
    }
    // The kernel's own word, also where a program takes core files in.
    if status & 0x80 != 0 { place.found[0, default: 0] += 1 }
    plant(in: world.work)
    search.search(path: world.work, &place)
    LeakWorld.remove(world.work + "/" + Self.plantName)
    place.isPlantFound = place.isPlantFound ?? false
    others.append(place)
    try settle(agent, LeakSteps.agent(), 0)
  }

  // MARK: - Folders

  private static let plantName = "plant"

  private func plant(in folder: String) {
    let descriptor = seif_open(folder + "/" + Self.plantName, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    let bytes = Array(secrets.plant.utf8)
    _ = bytes.withUnsafeBytes { seif_write_all(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
  }

  private func folder(_ name: String, _ path: String, without isLeftOut: (String) -> Bool = { _ in false }) {
    var place = LeakPlace(name)
    plant(in: path)
    let leftOut = Set(Machine.names(in: path).filter(isLeftOut).map { path + "/" + $0 })
    search.search(path: path, &place, skipping: leftOut)
    LeakWorld.remove(path + "/" + Self.plantName)
    place.isPlantFound = place.isPlantFound ?? false
    others.append(place)
  }

  // MARK: - What is learnt on the way

  /// The recovery code of a sheet is a canary from then on.
  private func learnRecoveryCode(of sheet: String) throws(CommandFailure) -> String {
    let text = Machine.head(of: world.output(sheet)) ?? ""
    let line = text.split(separator: "\n").first { line in
      line.hasPrefix("  ") && line.utf8.count { $0 == 0x2D } >= 5
    }
    guard let line else { throw CommandFailure(.internalFault, "a sheet of the leak test has no recovery code") }
    let code = String(line.drop { $0 == " " })
    let letters = code.utf8.filter { $0 != 0x2D && $0 != 0x20 }
    learn(LeakCanary("a recovery code", Array(code.utf8), Array(letters)))
    return code
  }

  /// A secret that is a canary from now on, and is searched for in what was said before it was known.
  private func learn(_ canary: LeakCanary) {
    var before = LeakPlace(output.name)
    LeakSearch([canary], plant: secrets.plant).search(heard, &before)
    if let count = before.found[0] { output.found[canaries.count] = count }
    canaries.append(canary)
    search = LeakSearch(canaries, plant: secrets.plant)
  }

  /// The keys that keyring and TPM keep for the vault are canaries from then on.
  private func learnDeviceKeys() throws(CommandFailure) {
    let location = VaultLocation(folder: world.vault, stateFolder: world.home + "/.local/state/seif")
    let keys = try withVaultErrors(world.vault) { () throws(VaultError) in
      try devices.keys(of: location, pin: secrets.devicePIN)
    }
    guard keys.count == devices.kinds.count else {
      throw CommandFailure(.internalFault, "a device of the leak test keeps no key of its vault")
    }
    for key in keys { learn(LeakCanary(key.name, key.bytes)) }
  }

  private func lastWay() throws(CommandFailure) -> String {
    let step = LeakStep("keys list", "--json")
    let process = try world.start(invocation(step))
    let status = process.follow(milliseconds: 120_000)
    world.forget(process)
    try settle(process, step, status)
    let root = try? JSONDocument(parsing: SecretValue(process.output), policy: .strict).root
    var last: String?
    if let ways = root?["waysIn"] {
      for way in ways.elements where way["kind"]?.string == "recovery" { last = way["id"]?.string }
    }
    guard let last else { throw CommandFailure(.internalFault, "the vault of the leak test lists no way in") }
    return last
  }
}
