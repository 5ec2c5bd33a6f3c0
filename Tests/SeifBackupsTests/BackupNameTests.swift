import SeifBackups
import SeifBytes
import SeifTransportTesting
import Testing

@Suite struct BackupNameTests {
  @Test func aNewNameHasTimeInUTCAndSequence() throws {
    let time = try #require(Timestamp(rfc3339: "2026-09-10T11:00:58.999Z"))
    let name = BackupName(time: time, sequence: 2, fileExtension: "authbackup")
    #expect(name.text == "seif-backup-20260910T110058Z-2.authbackup")
    #expect(BackupName(reading: name.text) == name)
  }

  @Test(arguments: [
    ("seif-backup-20260910T110058Z-0.authbackup", 1_789_038_058_000, 0),
    ("seif-backup-20260910T110058Z-17.authbackup", 1_789_038_058_000, 17),
    ("twofac-backup-1767225000000-1.json", 1_767_225_000_000, 1),
    ("twofac-backup-1771880139.json", 1_771_880_139_000, 0),
    ("vault2fa-backup-2026-09-10.json", 2_000, 10),
  ])
  func namesOfOthersAreReadByValue(text: String, milliseconds: Int64, sequence: Int64) throws {
    // The last row shows why a name is only a claim: "vault2fa" has a digit of its own.
    let name = try #require(BackupName(reading: text))
    #expect(name.time.milliseconds == milliseconds)
    #expect(name.sequence == sequence)
  }

  @Test func randomDigitsAreNoSequence() throws {
    let time = try #require(Timestamp(rfc3339: "2026-09-10T11:00:58Z"))
    for random: UInt32 in [0, 7, 0x1234_5678, 0xABCD_0012, .max] {
      let name = BackupName(time: time, sequence: 3, random: random, fileExtension: "authbackup")
      #expect(name.text.utf8.count == "seif-backup-20260910T110058Z-3-00000000.authbackup".utf8.count)
      #expect(BackupName(reading: name.text) == name)
    }
    #expect(
      BackupName(time: time, sequence: 0, random: 0xBEEF, fileExtension: "x").text
        == "seif-backup-20260910T110058Z-0-0000beef.x")
  }

  @Test func sequencesAreOrderedByValue() throws {
    let names = try ["9", "10", "2"].map { try #require(BackupName(reading: "b-1767225000-\($0).json")) }
    #expect(names.sorted().map(\.sequence) == [2, 9, 10])
  }

  @Test(arguments: ["", "backup.json", "....", "seif-backup.authbackup"])
  func aNameWithoutANumberSaysNothing(text: String) {
    #expect(BackupName(reading: text) == nil)
  }

  @Test func hugeNumbersDontTrap() {
    #expect(BackupName(reading: "b-99999999999999999999999-1") == nil)
    #expect(BackupName(reading: "b-1-99999999999999999999999")?.sequence == 0)
  }
}
