import Glibc
import SeifBytes
import SeifRecords
import SeifSQL
import Testing

@testable import SeifVault

@Suite struct WriterTests {
  /// What a thread is given; each makes its own vault.
  private final class Job: @unchecked Sendable {
    let location: VaultLocation
    let number: Int
    var failure: VaultError?

    init(_ location: VaultLocation, _ number: Int) {
      self.location = location
      self.number = number
    }

    func run() {
      do throws(VaultError) {
        let vault = try Vault.open(at: location, access: .readWrite).unlock(
          passphrase: TestVault.secret(TestVault.passphrase))
        for index in 0..<50 {
          guard let entry = try? Sample.totp("\(number)-\(index)") else { throw VaultError(.internalFailure) }
          // A wait that ends is told; then the same is tried again, as a person would.
          do throws(VaultError) {
            try vault.add([entry])
          } catch {
            guard error.code == .busy else { throw error }
            try vault.add([entry])
          }
        }
      } catch {
        failure = error
      }
    }
  }

  @Test func eightWritersEachWaitForTheirTurnAndNothingIsLost() throws {
    let place = try TestVault()
    try place.create().lock()
    let jobs = (0..<8).map { Job(place.location, $0) }
    var threads: [pthread_t] = []
    for job in jobs {
      var thread = pthread_t()
      let started = pthread_create(
        &thread, nil,
        { argument in
          guard let argument else { return nil }
          Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().run()
          return nil
        }, Unmanaged.passRetained(job).toOpaque())
      #expect(started == 0)
      threads.append(thread)
    }
    for thread in threads { pthread_join(thread, nil) }
    #expect(jobs.compactMap(\.failure) == [])
    let vault = try place.open()
    #expect(vault.openingFaults == [])
    let names = try vault.summaries().map(\.name)
    #expect(Set(names).count == 400)
    #expect(names.count == 400)
    // One making, 400 additions.
    #expect(try vault.counter() == 401)
    #expect(try vault.verify() == [])
  }

  @Test func whileAnotherWritesTheAnswerIsBusyAndNothingIsHalfDone() throws {
    let place = try TestVault()
    let vault = try place.create()
    try vault.opened().connection.execute("PRAGMA busy_timeout = 50")
    let other = try Connection(path: place.location.file, mode: .readWrite)
    try other.transaction(.immediate) { () throws(SQLError) in
      #expect(throws: VaultError(.busy)) { try vault.add([try Sample.totp("A")]) }
      #expect((try? vault.records()) == Records())
    }
    try vault.add([try Sample.totp("A")])
    #expect(try vault.verify() == [])
  }

  @Test func aVaultThatWasReplacedIsNotWrittenTo() throws {
    let place = try TestVault()
    let vault = try place.create()
    #expect(rename(place.location.file, place.location.file + ".old") == 0)
    #expect(throws: VaultError(.cantOpen)) { try vault.add([try Sample.totp("A")]) }
  }
}
