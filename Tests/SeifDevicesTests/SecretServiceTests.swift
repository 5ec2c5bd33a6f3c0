import SeifTestSupport
import Testing

@testable import SeifDevices

/// Who keeps the session's secrets, as the doctor tells it.
@Suite(
  .enabled(if: PrivateKeyring.isInstalled, "gnome-keyring, secret-tool or dbus isn't installed"),
  .timeLimit(.minutes(15)))
struct SecretServiceTests {
  @Test func itsKeeperIsNamedAndWhetherItIsLocked() throws {
    let keyring = try PrivateKeyring()
    guard case .owned(let program, let process, let isLocked) = SecretService(at: keyring.address) else {
      Issue.record("nobody owns the service")
      return
    }
    #expect(program == "gnome-keyring-daemon")
    #expect(process > 1)
    #expect(isLocked == false)
    try keyring.call(
      "/org/freedesktop/secrets", "org.freedesktop.Secret.Service.Lock",
      "array:objpath:/org/freedesktop/secrets/aliases/default")
    #expect(SecretService(at: keyring.address) == .owned(program: program, process: process, isLocked: true))
  }

  @Test func nobodyIsStartedForTheQuestion() throws {
    let bus = try PrivateKeyring(isEmpty: true)
    #expect(SecretService(at: bus.address) == .nobody)
    // Debian's packages have the bus start one for whoever calls it.
    #expect(SecretService(at: bus.address) == .nobody)
  }

  @Test(arguments: ["unix:path=/nonexistent/bus", "", "tcp:host=127.0.0.1,port=1", "unix:path=/a;tcp:host=127.0.0.1"])
  func whatIsNoBusOfThisMachineIsUnknown(_ address: String) {
    #expect(SecretService(at: address) == .unknown)
  }
}
