import DuramenTool

/// The program `duramen`. All of it is in `DuramenTool`, which tests can import.
@main
enum Program {
    static func main() { runDuramen() }
}
