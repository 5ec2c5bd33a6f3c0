@main
struct SeifServerProgram {
  static func main() {}
}
