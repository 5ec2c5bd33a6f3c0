internal import SeifCommands

@main
struct Seif {
  static func main() { Program.main() }
}
