/// The most lines for one kind of item in an error's description.
private let listedLimit = 20

/// Returns one indented line per item, and a count of omitted items. A save of a million objects
/// can have as many failures, and descriptions end up in logs.
func listing<Item>(_ items: [Item], _ line: (Item) -> String) -> String {
    var lines = items.prefix(listedLimit).map { "  " + line($0) }
    let rest = items.count - lines.count
    if rest > 0 { lines.append("  and \(rest) more") }
    return lines.joined(separator: "\n")
}
