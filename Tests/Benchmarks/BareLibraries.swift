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
    // One run of bytes, `nonce ‖ ciphertext ‖ tag` after another, so that nothing but OpenSSL takes time below.
    var sealed = [UInt8](repeating: 1, count: byteCounts.reduce(0, +))
    try sealed.withUnsafeMutableBufferPointer { sealed in
      guard var place = sealed.baseAddress else { return }
      for byteCount in byteCounts {
        _ = openssl.EVP_CipherInit_ex(context, nil, nil, nil, place, 1)
        _ = openssl.EVP_CipherUpdate(context, nil, &length, beside, Int32(beside.count))
        _ = openssl.EVP_CipherUpdate(context, place + 12, &length, place + 12, Int32(byteCount - 28))
        _ = openssl.EVP_CipherFinal_ex(context, place + byteCount - 16, &length)
        guard seif_ctrl_get_tag(table, context, 16, place + byteCount - 16) == 1 else {
          throw BenchFailure(what: "tag")
        }
        place += byteCount
      }
    }

    guard openssl.EVP_CipherInit_ex(context, openssl.EVP_aes_256_gcm(), nil, key, nil, 0) == 1 else {
      throw BenchFailure(what: "EVP_CipherInit_ex")
    }
    var output = [UInt8](repeating: 0, count: (byteCounts.max() ?? 0) + 16)
    return try sealed.withUnsafeBufferPointer { sealed in
      try output.withUnsafeMutableBufferPointer { output in
        try measureSeconds {
          guard var place = sealed.baseAddress, let output = output.baseAddress else { return }
          for byteCount in byteCounts {
            _ = openssl.EVP_CipherInit_ex(context, nil, nil, nil, place, 0)
            _ = openssl.EVP_CipherUpdate(context, nil, &length, beside, Int32(beside.count))
            _ = openssl.EVP_CipherUpdate(context, output, &length, place + 12, Int32(byteCount - 28))
            guard seif_ctrl_set_tag(table, context, 16, place + byteCount - 16) == 1,
              openssl.EVP_CipherFinal_ex(context, output, &length) == 1
            else { throw BenchFailure(what: "tag") }
            place += byteCount
          }
        }
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
