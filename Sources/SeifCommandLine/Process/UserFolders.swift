/// The user's folders as the XDG base directory specification has them. A relative path in a variable doesn't count.
package enum UserFolders {
  package static func data(_ environment: Environment) -> String? {
    folder("XDG_DATA_HOME", or: ".local/share", environment)
  }
  package static func state(_ environment: Environment) -> String? {
    folder("XDG_STATE_HOME", or: ".local/state", environment)
  }
  package static func configuration(_ environment: Environment) -> String? {
    folder("XDG_CONFIG_HOME", or: ".config", environment)
  }
  package static func cache(_ environment: Environment) -> String? {
    folder("XDG_CACHE_HOME", or: ".cache", environment)
  }

  private static func folder(_ variable: String, or below: String, _ environment: Environment) -> String? {
    if let path = environment[variable], path.hasPrefix("/") { return path }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return (home == "/" ? "" : home) + "/" + below
  }
}
