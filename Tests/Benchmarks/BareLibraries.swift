internal import COpenSSL
internal import CSodium
internal import Glibc

/// OpenSSL alone: as many AES-256-GCM messages of the same lengths, under one key and with 70 bytes beside each.
enum BareGCM {
  static func secondsToOpen(byteCounts: [Int]) throws -> Double {
    guard let table = seif_load_libcrypto("libcrypto.so.3") else { throw BenchFailure(what: "libcrypto") }
    let openssl = table.pointee
    let key = [UInt8](repeating: 7, count: 32)
    let beside = [UInt8](repeating: 65, count: 70)
    guard let context = openssl.EVP_CIPHER_CTX_new() else { throw BenchFailure(what: "EVP_CIPHER_CTX_new") }
    defer { openssl.EVP_CIPHER_CTX_free(context) }
    var length: Int32 = 0

    guard openssl.EVP_CipherInit_ex(context, openssl.EVP_aes_256_gcm(), nil, key, nil, 1) == 1 else {
      throw BenchFailure(what: "EVP_CipherInit_ex")
    }
    var messages: [(nonce: [UInt8], body: [UInt8], tag: [UInt8])] = []
    for (index, byteCount) in byteCounts.enumerated() {
      let nonce = (0..<12).map { UInt8(truncatingIfNeeded: index >> min(8 * $0, 63)) }
      let plain = [UInt8](repeating: 1, count: max(0, byteCount - 28))
      var body = plain
      var tag = [UInt8](repeating: 0, count: 16)
      _ = openssl.EVP_CipherInit_ex(context, nil, nil, nil, nonce, 1)
      _ = openssl.EVP_CipherUpdate(context, nil, &length, beside, Int32(beside.count))
      _ = openssl.EVP_CipherUpdate(context, &body, &length, plain, Int32(plain.count))
      _ = openssl.EVP_CipherFinal_ex(context, &tag, &length)
      guard seif_ctrl_get_tag(table, context, 16, &tag) == 1 else { throw BenchFailure(what: "tag") }
      messages.append((nonce, body, tag))
    }

    guard openssl.EVP_CipherInit_ex(context, openssl.EVP_aes_256_gcm(), nil, key, nil, 0) == 1 else {
      throw BenchFailure(what: "EVP_CipherInit_ex")
    }
    var output = [UInt8](repeating: 0, count: byteCounts.max() ?? 0)
    var end = [UInt8](repeating: 0, count: 16)
    return try measureSeconds {
      for message in messages {
        _ = openssl.EVP_CipherInit_ex(context, nil, nil, nil, message.nonce, 0)
        _ = openssl.EVP_CipherUpdate(context, nil, &length, beside, Int32(beside.count))
        _ = openssl.EVP_CipherUpdate(context, &output, &length, message.body, Int32(message.body.count))
        guard seif_ctrl_set_tag(table, context, 16, message.tag) == 1,
          openssl.EVP_CipherFinal_ex(context, &end, &length) == 1
        else { throw BenchFailure(what: "tag") }
      }
    }
  }
}

/// libsodium alone, which is the fastest here for one lane: 64 MiB, 3 passes, as `.authbackup` version 2 asks for.
enum BareArgon2id {
  static func seconds() throws -> Double {
    guard let library = dlopen("libsodium.so.23", RTLD_NOW), let start = dlsym(library, "sodium_init"),
      let derive = dlsym(library, "crypto_pwhash"), unsafeBitCast(start, to: seif_sodium_init.self)() >= 0
    else { throw BenchFailure(what: "libsodium") }
    let function = unsafeBitCast(derive, to: seif_crypto_pwhash.self)
    let passphrase = Array("benchmark, not a secret".utf8CString)
    let salt = [UInt8](repeating: 1, count: 16)
    var key = [UInt8](repeating: 0, count: 32)
    var status: Int32 = -1
    let taken = measureSeconds {
      status = function(
        &key, 32, passphrase, UInt64(passphrase.count - 1), salt, 3, 64 << 20, crypto_pwhash_ALG_ARGON2ID13)
    }
    guard status == 0 else { throw BenchFailure(what: "crypto_pwhash") }
    return taken
  }
}
