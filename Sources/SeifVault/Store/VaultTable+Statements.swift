// SQL texts are literals so that nothing from outside can ever become a part of one. Parameters stand in the order of the
// columns' names, which is the order of the accumulator.
extension VaultTable {
  /// The vault itself: one row.
  static let vault = VaultTable(
    name: "vault", columns: ["created_at", "generation", "id", "revision"],
    insert: "INSERT INTO vault (created_at, generation, id, revision) VALUES (?1, ?2, ?3, ?4)",
    update: "UPDATE vault SET created_at = ?1, generation = ?2, revision = ?4 WHERE id = ?3",
    delete: "DELETE FROM vault WHERE id = ?1",
    selectOne: "SELECT created_at, generation, id, revision FROM vault WHERE id = ?1",
    selectAll: "SELECT created_at, generation, id, revision FROM vault ORDER BY id",
    lastPosition: nil)

  /// The data key, wrapped once a way in.
  static let wayIn = VaultTable(
    name: "way_in", columns: ["generation", "id", "kind", "parameters", "position", "revision", "wrapped_key"],
    insert:
      "INSERT INTO way_in (generation, id, kind, parameters, position, revision, wrapped_key) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    update:
      "UPDATE way_in SET generation = ?1, kind = ?3, parameters = ?4, position = ?5, revision = ?6, wrapped_key = ?7 WHERE id = ?2",
    delete: "DELETE FROM way_in WHERE id = ?1",
    selectOne: "SELECT generation, id, kind, parameters, position, revision, wrapped_key FROM way_in WHERE id = ?1",
    selectAll: "SELECT generation, id, kind, parameters, position, revision, wrapped_key FROM way_in ORDER BY position",
    lastPosition: "SELECT max(position) FROM way_in")

  /// Entries.
  static let item = VaultTable(
    name: "item", columns: ["detail", "id", "position", "revision"],
    insert: "INSERT INTO item (detail, id, position, revision) VALUES (?1, ?2, ?3, ?4)",
    update: "UPDATE item SET detail = ?1, position = ?3, revision = ?4 WHERE id = ?2",
    delete: "DELETE FROM item WHERE id = ?1",
    selectOne: "SELECT detail, id, position, revision FROM item WHERE id = ?1",
    selectAll: "SELECT detail, id, position, revision FROM item ORDER BY position",
    lastPosition: "SELECT max(position) FROM item")

  /// What a list shows of the entries, each at its entry's position: the position is the key here, and the identifier
  /// has no index of its own, which would cost an import a quarter of all its inserts.
  static let itemSummary = VaultTable(
    name: "item_summary", columns: ["id", "position", "revision", "summary"],
    insert: "INSERT INTO item_summary (id, position, revision, summary) VALUES (?1, ?2, ?3, ?4)",
    update: "UPDATE item_summary SET revision = ?3, summary = ?4 WHERE position = ?2 AND id = ?1",
    delete:
      "DELETE FROM item_summary WHERE position = (SELECT position FROM item WHERE id = ?1) AND id = ?1",
    selectOne:
      "SELECT id, position, revision, summary FROM item_summary WHERE position = (SELECT position FROM item WHERE id = ?1) AND id = ?1",
    selectAll: "SELECT id, position, revision, summary FROM item_summary ORDER BY position",
    lastPosition: "SELECT max(position) FROM item_summary")

  /// Two-factor seeds.
  static let secret = VaultTable(
    name: "secret", columns: ["id", "position", "revision", "value"],
    insert: "INSERT INTO secret (id, position, revision, value) VALUES (?1, ?2, ?3, ?4)",
    update: "UPDATE secret SET position = ?2, revision = ?3, value = ?4 WHERE id = ?1",
    delete: "DELETE FROM secret WHERE id = ?1",
    selectOne: "SELECT id, position, revision, value FROM secret WHERE id = ?1",
    selectAll: "SELECT id, position, revision, value FROM secret ORDER BY position",
    lastPosition: "SELECT max(position) FROM secret")

  /// Removed entries, at their old position.
  static let bin = VaultTable(
    name: "bin", columns: ["detail", "id", "position", "removed_at", "revision"],
    insert: "INSERT INTO bin (detail, id, position, removed_at, revision) VALUES (?1, ?2, ?3, ?4, ?5)",
    update: "UPDATE bin SET detail = ?1, position = ?3, removed_at = ?4, revision = ?5 WHERE id = ?2",
    delete: "DELETE FROM bin WHERE id = ?1",
    selectOne: "SELECT detail, id, position, removed_at, revision FROM bin WHERE id = ?1",
    selectAll: "SELECT detail, id, position, removed_at, revision FROM bin ORDER BY position",
    lastPosition: "SELECT max(position) FROM bin")

  /// Identifiers of entries that were deleted for good.
  static let tombstone = VaultTable(
    name: "tombstone", columns: ["id", "position", "removed_at", "revision"],
    insert: "INSERT INTO tombstone (id, position, removed_at, revision) VALUES (?1, ?2, ?3, ?4)",
    update: "UPDATE tombstone SET position = ?2, removed_at = ?3, revision = ?4 WHERE id = ?1",
    delete: "DELETE FROM tombstone WHERE id = ?1",
    selectOne: "SELECT id, position, removed_at, revision FROM tombstone WHERE id = ?1",
    selectAll: "SELECT id, position, removed_at, revision FROM tombstone ORDER BY position",
    lastPosition: "SELECT max(position) FROM tombstone")

  /// Entries that can't be used, kept as they came.
  static let unusable = VaultTable(
    name: "unusable", columns: ["content", "id", "kind", "position", "revision"],
    insert: "INSERT INTO unusable (content, id, kind, position, revision) VALUES (?1, ?2, ?3, ?4, ?5)",
    update: "UPDATE unusable SET content = ?1, kind = ?3, position = ?4, revision = ?5 WHERE id = ?2",
    delete: "DELETE FROM unusable WHERE id = ?1",
    selectOne: "SELECT content, id, kind, position, revision FROM unusable WHERE id = ?1",
    selectAll: "SELECT content, id, kind, position, revision FROM unusable ORDER BY position",
    lastPosition: "SELECT max(position) FROM unusable")

  /// Top-level members that aren't understood.
  static let opaqueMember = VaultTable(
    name: "opaque_member", columns: ["content", "id", "name", "position", "revision"],
    insert: "INSERT INTO opaque_member (content, id, name, position, revision) VALUES (?1, ?2, ?3, ?4, ?5)",
    update: "UPDATE opaque_member SET content = ?1, name = ?3, position = ?4, revision = ?5 WHERE id = ?2",
    delete: "DELETE FROM opaque_member WHERE id = ?1",
    selectOne: "SELECT content, id, name, position, revision FROM opaque_member WHERE id = ?1",
    selectAll: "SELECT content, id, name, position, revision FROM opaque_member ORDER BY position",
    lastPosition: "SELECT max(position) FROM opaque_member")

  /// Rows that didn't open, as they stood.
  static let setAside = VaultTable(
    name: "set_aside", columns: ["content", "id", "position", "revision"],
    insert: "INSERT INTO set_aside (content, id, position, revision) VALUES (?1, ?2, ?3, ?4)",
    update: "UPDATE set_aside SET content = ?1, position = ?3, revision = ?4 WHERE id = ?2",
    delete: "DELETE FROM set_aside WHERE id = ?1",
    selectOne: "SELECT content, id, position, revision FROM set_aside WHERE id = ?1",
    selectAll: "SELECT content, id, position, revision FROM set_aside ORDER BY position",
    lastPosition: "SELECT max(position) FROM set_aside")

  /// What undoes the last changes.
  static let undo = VaultTable(
    name: "undo", columns: ["content", "id", "position", "revision", "step"],
    insert: "INSERT INTO undo (content, id, position, revision, step) VALUES (?1, ?2, ?3, ?4, ?5)",
    update: "UPDATE undo SET content = ?1, position = ?3, revision = ?4, step = ?5 WHERE id = ?2",
    delete: "DELETE FROM undo WHERE id = ?1",
    selectOne: "SELECT content, id, position, revision, step FROM undo WHERE id = ?1",
    selectAll: "SELECT content, id, position, revision, step FROM undo ORDER BY position",
    lastPosition: "SELECT max(position) FROM undo")

  /// The ledger of backups.
  static let proofs = VaultTable(
    name: "proofs", columns: ["entry", "id", "position", "revision"],
    insert: "INSERT INTO proofs (entry, id, position, revision) VALUES (?1, ?2, ?3, ?4)",
    update: "UPDATE proofs SET entry = ?1, position = ?3, revision = ?4 WHERE id = ?2",
    delete: "DELETE FROM proofs WHERE id = ?1",
    selectOne: "SELECT entry, id, position, revision FROM proofs WHERE id = ?1",
    selectAll: "SELECT entry, id, position, revision FROM proofs ORDER BY position",
    lastPosition: "SELECT max(position) FROM proofs")

  /// The place in the chain of backups: at most one row.
  static let backupLink = VaultTable(
    name: "backup_link", columns: ["content", "id", "revision"],
    insert: "INSERT INTO backup_link (content, id, revision) VALUES (?1, ?2, ?3)",
    update: "UPDATE backup_link SET content = ?1, revision = ?3 WHERE id = ?2",
    delete: "DELETE FROM backup_link WHERE id = ?1",
    selectOne: "SELECT content, id, revision FROM backup_link WHERE id = ?1",
    selectAll: "SELECT content, id, revision FROM backup_link ORDER BY id",
    lastPosition: nil)
}
