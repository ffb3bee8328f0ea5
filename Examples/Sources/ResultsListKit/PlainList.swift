import ExampleSupport
import PackageModel

/// Prints a list of packages by section, for those who have no terminal.
@MainActor
public struct PlainList {
    private let list: PackageList

    public init(_ list: PackageList) { self.list = list }

    /// The lines of the list.
    public var lines: [String] {
        var lines: [String] = []
        var place = 0
        for section in list.sections {
            lines.append("\(section.name.printable) (\(section.count))")
            for _ in 0..<section.count {
                if let package = list.package(at: place) {
                    let text = "\(package.identifier) \(package.version ?? "")"
                    lines.append("  \(text.printable)")
                }
                place += 1
            }
        }
        lines.append("\(list.count) packages in \(list.sections.count) sections")
        return lines
    }

    /// Prints the lines.
    public func print() { Swift.print(lines.joined(separator: "\n")) }
}
