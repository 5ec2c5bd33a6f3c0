package import SeifBytes

/// What the screen wants done by whoever has the vault and the terminal.
package enum Effect: Sendable, Equatable {
  /// Reads an entry's fields.
  case open(UUID)
  /// Finds out how the codes of entries follow each other.
  case time([UUID])
  case reveal(UUID, field: Field)
  /// Copies a field.
  case copy(UUID, field: Field)
  /// Makes the next code and shows it; of an account that counts it is stored first.
  case nextCode(UUID)
  case setFavorite(UUID, Bool)
  case remove(UUID)
  case restore(UUID)
  case undo
  /// Reads a login's passwords from before.
  case history(UUID)
  /// Makes one of them the present one.
  case bringBack(UUID, field: Field)
  case add(ItemKind)
  case edit(UUID)
  case lock
  case unlock
  /// Reads the vault again and draws all of the screen.
  case reload
  case quit
}
