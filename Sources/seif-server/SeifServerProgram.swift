@main
struct SeifServerProgram {
  static func main() { ServerProgram.main() }
}
