private import CSeif
private import Glibc
internal import SeifSQL

/// File systems on which other machines may write too, or whose locks and mappings are another program's word.
///
/// SQLite's write-ahead log needs memory that all users of the file share, which two machines can't have. A vault on one
/// of these keeps a rollback journal instead.
package enum NetworkFileSystem {
  /// The name for a number of `statfs(2)`; nil for what is a disk of this machine, or unknown.
  package static func name(_ type: UInt32) -> String? {
    switch type {
    case 0x6969: "NFS"
    case 0x517B, 0xFF53_4D42, 0xFE53_4D42: "SMB"
    case 0x0102_1997: "9P"
    case 0x5346_414F, 0x6B41_4653: "AFS"
    case 0x7375_7245: "Coda"
    case 0x00C3_6400: "Ceph"
    case 0x0BD0_0BD0: "Lustre"
    case 0x0116_1970: "GFS2"
    case 0x7461_636F: "OCFS2"
    case 0x4750_4653: "GPFS"
    case 0x564C: "NCP"
    case 0x786F_4256: "VirtualBox"
    // sshfs and cloud drives are of these, and so are some local ones; which it is the number doesn't say.
    case 0x6573_5546: "FUSE"
    default: nil
    }
  }

  /// The number for what a path is on; nil where there is nothing.
  package static func type(of path: String) -> UInt32? {
    UInt32(exactly: seif_file_system_type(path))
  }
}

extension VaultLocation {
  /// How the vault's file is opened where it lies.
  var journal: ConnectionOptions.Journal { networkFileSystem == nil ? .writeAheadLog : .rollback }
}
