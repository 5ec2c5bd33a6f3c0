package import SeifServerStore

/// Where a server keeps what it keeps. Nothing of an account is held anywhere else, so any number of servers may share it.
package struct ServerStores: Sendable {
  package let accounts: any AccountStore
  package let vaults: any VaultStore
  package let blobs: any BlobStore

  package init(accounts: any AccountStore, vaults: any VaultStore, blobs: any BlobStore) {
    self.accounts = accounts
    self.vaults = vaults
    self.blobs = blobs
  }
}
