import FoundationEssentials
import Glibc
import SeifBytes
import SeifTestSupport
import Testing

@testable import SeifCrypto

@Suite struct Argon2idTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let name: String
    let passphrase, salt, secret, associatedData, tag: [UInt8]
    let cost: Argon2idCost

    var testDescription: String { name }

    // Where libsodium is asked.
    var isPlain: Bool {
      cost.lanes == 1 && salt.count == 16 && secret.isEmpty && associatedData.isEmpty && tag.count >= 16
    }
  }

  static let vectors: [Vector] = {
    guard let document = try? TestData.vectors("argon2id.json") else { return [] }
    return document.root.elements.compactMap { entry in
      guard let name = entry["name"]?.string, let passphrase = entry["password"]?.hexBytes,
        let salt = entry["salt"]?.hexBytes, let secret = entry["secret"]?.hexBytes, let tag = entry["tag"]?.hexBytes,
        let associatedData = entry["associatedData"]?.hexBytes, entry["version"]?.string == "0x13",
        let cost = try? Argon2idCost(
          memoryKiB: entry["memoryKiB"]?.int64, passes: entry["passes"]?.int64, lanes: entry["lanes"]?.int64)
      else { return nil }
      return Vector(
        name: name, passphrase: passphrase, salt: salt, secret: secret, associatedData: associatedData, tag: tag,
        cost: cost)
    }
  }()

  @Test func everyVectorIsRead() throws {
    #expect(Self.vectors.count == 41)
    #expect(try TestData.vectors("argon2id.json").root.elements.reduce(0) { count, _ in count + 1 } == 41)
    #expect(Self.vectors.filter(\.isPlain).count == 22)
  }

  @Test(arguments: vectors) func everyVectorGivesItsKey(_ vector: Vector) throws {
    let key = try Argon2id.deriveKey(
      passphrase: SecretBytes(copying: vector.passphrase.span.bytes), salt: vector.salt, cost: vector.cost,
      byteCount: vector.tag.count, secret: vector.secret, associatedData: vector.associatedData)
    expectEqual(key, vector.tag)
  }

  // Through `deriveKey` the plain ones go to libsodium; here all go to libargon2, so both give the same.
  @Test(arguments: vectors) func theReferenceLibraryGivesTheSameKey(_ vector: Vector) throws {
    let key = try LibArgon2.deriveKey(
      passphrase: SecretBytes(copying: vector.passphrase.span.bytes), salt: vector.salt, cost: vector.cost,
      byteCount: vector.tag.count, secret: vector.secret, associatedData: vector.associatedData)
    expectEqual(key, vector.tag)
  }

  @Test func memoryThatCannotBeHadIsSaidByBothLibraries() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit(rlim_cur: 1 << 30, rlim_max: 1 << 30)
      guard setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { exit(1) }
      let passphrase = SecretBytes(copying: SecretValue(utf8: "passphrase"))
      for lanes in [1, 2] {
        let cost = Argon2idCost(uncheckedMemoryKiB: 1 << 20, passes: 1, lanes: lanes)
        do throws(CryptoError) {
          _ = try Argon2id.deriveKey(passphrase: passphrase, salt: [UInt8](repeating: 1, count: 16), cost: cost)
          exit(2)
        } catch {
          guard error == .outOfMemory else { exit(3) }
        }
      }
      exit(0)
    }
  }

  @Test func lengthsThatTheAlgorithmDoesNotTakeAreRefused() throws {
    let cost = Argon2idCost(uncheckedMemoryKiB: 8, passes: 1, lanes: 1)
    func fault(salt: Int = 16, byteCount: Int = 32) -> CryptoError? {
      do throws(CryptoError) {
        _ = try Argon2id.deriveKey(
          passphrase: SecretBytes(copying: ([1] as [UInt8]).span.bytes), salt: [UInt8](repeating: 7, count: salt),
          cost: cost,
          byteCount: byteCount)
        return nil
      } catch { return error }
    }
    #expect(fault(salt: 7) == .badLength("salt"))
    #expect(fault(salt: 8) == nil)
    for byteCount in [-1, 0, 3, Int(UInt32.max) + 1, .max, .min] {
      #expect(fault(byteCount: byteCount) == .badLength("derived key"))
    }
    #expect(fault(byteCount: 4) == nil)
  }

  // Without this a constant of 2^54 KiB would have become 0 in a shift, and 2^32 passes one less.
  @Test func costsThatDoNotFitTheLibrariesAreRefusedAndNotCut() throws {
    func fault(_ memoryKiB: Int, _ passes: Int, _ lanes: Int) -> String? {
      do throws(CryptoError) {
        _ = try Argon2id.deriveKey(
          passphrase: SecretBytes(copying: ([1] as [UInt8]).span.bytes), salt: [UInt8](repeating: 7, count: 16),
          cost: Argon2idCost(uncheckedMemoryKiB: memoryKiB, passes: passes, lanes: lanes))
        return nil
      } catch {
        guard case .costOutOfRange(let cost) = error else { return "another error" }
        return cost.field
      }
    }
    #expect(fault(1 << 54, 1, 1) == "memoryKiB")
    #expect(fault(1 << 32, 1, 1) == "memoryKiB")
    #expect(fault(7, 1, 1) == "memoryKiB")
    #expect(fault(15, 1, 2) == "memoryKiB")
    #expect(fault(8, 1 << 32, 1) == "passes")
    #expect(fault(8, 0, 1) == "passes")
    #expect(fault(8, 1, 0) == "lanes")
    #expect(fault(8, 1, .max) == "lanes")
    #expect(fault(8, 1, -1) == "lanes")
    #expect(fault(.min, .min, .min) == "lanes")
    #expect(fault(8, 1, 1) == nil)
  }
}

@Suite struct Argon2idCostTests {
  func field(_ memoryKiB: Int64?, _ passes: Int64?, _ lanes: Int64?, _ limits: Argon2idCost.Limits = .standard)
    -> String?
  {
    do throws(CostError) {
      let cost = try Argon2idCost(memoryKiB: memoryKiB, passes: passes, lanes: lanes, limits: limits)
      #expect(Int64(cost.memoryKiB) == memoryKiB && Int64(cost.passes) == passes && Int64(cost.lanes) == lanes)
      return nil
    } catch { return error.field }
  }

  @Test func eachLimitHoldsAtItsEdgeAndNotBeyond() {
    #expect(field(8, 1, 1) == nil)
    #expect(field(7, 1, 1) == "memoryKiB")
    #expect(field(128, 1, 16) == nil)
    #expect(field(127, 1, 16) == "memoryKiB")
    #expect(field(1_048_576, 1, 1) == nil)
    #expect(field(1_048_577, 1, 1) == "memoryKiB")
    #expect(field(8, 64, 1) == nil)
    #expect(field(8, 65, 1) == "passes")
    #expect(field(8, 0, 1) == "passes")
    #expect(field(128, 1, 17) == "lanes")
    #expect(field(8, 1, 0) == "lanes")
    #expect(field(1_048_576, 4, 1) == nil)
    #expect(field(1_048_576, 5, 1) == "memoryKiB × passes")
    #expect(field(65_536, 64, 1) == nil)
    #expect(field(65_537, 64, 1) == "memoryKiB × passes")
  }

  @Test func theRaisedLimitsHoldTheirsToo() {
    #expect(field(16_777_216, 64, 1, .raised) == nil)
    #expect(field(16_777_217, 1, 1, .raised) == "memoryKiB")
    #expect(field(16_777_216, 65, 1, .raised) == "memoryKiB × passes")
    #expect(field(8, 1000, 1, .raised) == nil)
    #expect(field(8, 1001, 1, .raised) == "passes")
  }

  @Test(arguments: [Int64.min, -1, 0, 4_194_320, .max / 2, .max]) func numbersThatWrapAroundAreRefused(_ number: Int64)
  {
    #expect(field(number, 1, 1) == "memoryKiB")
    #expect(field(8, number, 1) == "passes")
    #expect(field(8, 1, number) == "lanes")
    #expect(field(nil, 1, 1) == "memoryKiB")
    #expect(field(8, nil, 1) == "passes")
    #expect(field(8, 1, nil) == "lanes")
  }

  // Limits are values that a caller may narrow: a file's lanes must not make an impossible range of them.
  @Test func narrowLimitsRefuseAndDoNotTrap() {
    var narrow = Argon2idCost.Limits.standard
    narrow.maximumMemoryKiB = 64
    #expect(field(64, 1, 8, narrow) == nil)
    #expect(field(64, 1, 9, narrow) == "memoryKiB")
    #expect(field(72, 1, 9, narrow) == "memoryKiB")
    narrow.maximumWork = 0
    #expect(field(8, 1, 1, narrow) == "memoryKiB × passes")
    var wide = Argon2idCost.Limits.standard
    wide.lanes = 1...Int64.max
    wide.passes = 1...Int64.max
    wide.maximumMemoryKiB = .max
    #expect(field(8, 1, .max, wide) == "memoryKiB")
    #expect(field(.max, 2, 1, wide) == "memoryKiB × passes")
  }

  // 2000 refusals of 16 GiB each, in a process of its own: had one of them been tried, the peak would have moved.
  @Test func refusedCostsTakeNoMemory() async {
    await #expect(processExitsWith: .success) {
      guard let before = Argon2idCostTests.peakMemoryKiB() else { exit(1) }
      for passes in Int64(0)..<2000 {
        if (try? Argon2idCost(memoryKiB: 16_777_216, passes: passes, lanes: 1, limits: .standard)) != nil { exit(2) }
      }
      let huge = Argon2idCost(uncheckedMemoryKiB: 1 << 40, passes: 1, lanes: 1)
      let passphrase = SecretBytes(copying: SecretValue(utf8: "passphrase"))
      for lanes in 1...2 {
        let cost = Argon2idCost(uncheckedMemoryKiB: huge.memoryKiB, passes: 1, lanes: lanes)
        do {
          _ = try Argon2id.deriveKey(passphrase: passphrase, salt: [UInt8](repeating: 1, count: 16), cost: cost)
          exit(3)
        } catch {}
      }
      guard let after = Argon2idCostTests.peakMemoryKiB(), after - before < 4096 else { exit(4) }
      exit(0)
    }
  }

  static func peakMemoryKiB() -> Int? {
    guard let status = try? String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8) else { return nil }
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split { $0 == " " || $0 == "\t" }.compactMap { Int($0) }.first
  }

  @Test func anErrorNamesFieldNumberAndRange() {
    #expect(throws: CostError(field: "passes", value: 65, allowed: 1...64)) {
      try Argon2idCost(memoryKiB: 8, passes: 65, lanes: 1, limits: .standard)
    }
    #expect(CostError(field: "passes", value: 65, allowed: 1...64).description == "passes is 65; allowed are 1 to 64")
    #expect(
      CostError(field: "passes", value: nil, allowed: 1...64).description
        == "passes is a number of more than 64 bits; allowed are 1 to 64")
  }
}
