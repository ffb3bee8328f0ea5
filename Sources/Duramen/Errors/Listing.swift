/// The most lines that an error's description has of one kind.
private let listedLimit = 20

/// One indented line per item, and a count of those that are left out: a save of a million objects
/// can have as many mistakes, and descriptions end up in logs.
func listing<Item>(_ items: [Item], _ line: (Item) -> String) -> String {
    var lines = items.prefix(listedLimit).map { "  " + line($0) }
    let rest = items.count - lines.count
    if rest > 0 { lines.append("  and \(rest) more") }
    return lines.joined(separator: "\n")
}
