import Glibc
import SeifBytes
import SeifTestSupport
import SeifVault
import Synchronization
import Testing

@testable import SeifAgent

/// Backups that the agent makes: what goes on beside them, and what ends them.
@Suite struct AgentBackupTests {
  /// Work that takes as long as a test wants, on the way to somewhere slow.
  private final class SlowPlace: Sendable {
    let hasBegun = Mutex(false)
    let mayEnd = Mutex(false)
    let ended = Mutex<[String]>([])

    var backUp: AgentServer.Parts.BackUp {
      { [self] (turns, destination, onlyIfChanged, isWanted) throws(VaultUseError) in
        let count = try turns.turn { (vault) throws(VaultUseError) in
          try vaultCall { () throws(VaultError) in try vault.summaries().count }
        }
        hasBegun.withLock { $0 = true }
        while !mayEnd.withLock({ $0 }) {
          guard isWanted() else {
            ended.withLock { $0.append("unwanted") }
            // What follows finds the vault locked.
            _ = try turns.turn { (_) in 0 }
            break
          }
          usleep(5_000)
        }
        return [
          Delivery(
            destination: destination ?? "all", name: "n", isProven: true, exitCode: 0, byteCount: count,
            words: ["\(onlyIfChanged)"])
        ]
      }
    }

    func waitForBeginning() { while !hasBegun.withLock({ $0 }) { usleep(2_000) } }
    func end() { mayEnd.withLock { $0 = true } }
  }

  private final class Result: Sendable {
    let value = Mutex<Swift.Result<[Delivery], VaultUseError>?>(nil)

    init(_ world: AgentWorld, _ path: String, _ destination: String? = nil) throws {
      let vault = Handed(vault: AgentVault(try world.client(), folder: path))
      SideThread { [self] in
        do throws(VaultUseError) {
          let deliveries = try vault.vault.backUp(to: destination, onlyIfChanged: true)
          value.withLock { $0 = .success(deliveries) }
        } catch {
          value.withLock { $0 = .failure(error) }
        }
      }.start()
    }

    func wait() -> Swift.Result<[Delivery], VaultUseError> {
      while true {
        if let value = value.withLock({ $0 }) { return value }
        usleep(5_000)
      }
    }
  }

  /// Used by the one thread that it is handed to.
  private struct Handed: @unchecked Sendable { let vault: AgentVault }

  @Test(.timeLimit(.minutes(15))) func othersAreAnsweredWhileBytesMove() throws {
    let place = SlowPlace()
    let world = try AgentWorld(backUp: place.backUp)
    let path = try world.makeVault()
    let vault = try world.unlocked(path)
    let result = try Result(world, path, "nas")
    place.waitForBeginning()
    // Nothing lets the backup go on before all of these are answered.
    for _ in 0..<50 { #expect(try vault.code("GitHub", next: false, at: Timestamp(seconds: 59)).code != nil) }
    #expect(try vault.list().count == AgentWorld.entries.count)
    place.end()
    let deliveries = try result.wait().get()
    #expect(
      deliveries == [
        Delivery(
          destination: "nas", name: "n", isProven: true, exitCode: 0, byteCount: AgentWorld.entries.count,
          words: ["true"])
      ])
  }

  @Test(.timeLimit(.minutes(15))) func oneBackupIsMadeAtATime() throws {
    let place = SlowPlace()
    let world = try AgentWorld(backUp: place.backUp)
    let path = try world.makeVault()
    let vault = try world.unlocked(path)
    let result = try Result(world, path)
    place.waitForBeginning()
    #expect(refusal { _ = try vault.backUp(to: nil, onlyIfChanged: false) } == .backingUp)
    place.end()
    #expect(try result.wait().get().count == 1)
    #expect(try vault.backUp(to: nil, onlyIfChanged: false).count == 1)
  }

  @Test(.timeLimit(.minutes(15))) func lockingEndsABackupAndIsNotKeptWaiting() throws {
    let place = SlowPlace()
    let world = try AgentWorld(backUp: place.backUp)
    let path = try world.makeVault()
    _ = try world.unlocked(path)
    let result = try Result(world, path)
    place.waitForBeginning()
    #expect(try world.client().lock(folder: path) == 1)
    #expect(refusal { _ = try result.wait().get() } == .locked)
    #expect(place.ended.withLock { $0 } == ["unwanted"])
  }

  @Test func aVaultThatIsNotOpenIsNotBackedUp() throws {
    let world = try AgentWorld(backUp: SlowPlace().backUp)
    let vault = AgentVault(try world.client(), folder: try world.makeVault())
    #expect(refusal { _ = try vault.backUp(to: nil, onlyIfChanged: false) } == .locked)
  }

  @Test func aBackupIsNoUseThatKeepsTheVaultOpen() throws {
    let place = SlowPlace()
    place.end()
    let world = try AgentWorld(backUp: place.backUp)
    let vault = try world.unlocked(try world.makeVault(), after: .seconds(600))
    usleep(300_000)
    let before = try #require(try vault.state()?.millisecondsLeft)
    _ = try vault.backUp(to: nil, onlyIfChanged: false)
    #expect(try #require(try vault.state()?.millisecondsLeft) <= before)
  }
}
