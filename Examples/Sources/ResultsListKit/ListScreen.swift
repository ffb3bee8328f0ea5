import ExampleSupport
import PackageModel

/// Draws a list of packages: a title, sections with their packages, and what the keys do.
@MainActor
public struct ListScreen {
    private let list: PackageList
    /// The package at the top of the screen.
    private var top = 0

    public init(_ list: PackageList) { self.list = list }

    /// The text that shows the list, a screen of it, in one piece.
    ///
    /// - Parameters:
    ///   - rows: The height of the terminal.
    ///   - columns: The width of the terminal.
    ///   - status: What is to be said at the bottom.
    public mutating func frame(rows: Int, columns: Int, status: String) -> String {
        let height = max(1, rows - 2)
        scroll(height)
        var lines = [title]
        lines += body(height, columns)
        while lines.count < height + 1 { lines.append("") }
        lines.append("\u{1B}[7m\(pad(status, columns))\u{1B}[0m")
        // From the corner on, and each line to its end, so that nothing flickers.
        return "\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n")
    }

    private var title: String {
        let filter = list.filter.isEmpty ? "" : " with '\(list.filter)'"
        let mark = list.hasChanges ? ", not saved" : ""
        return "\u{1B}[1m\(list.count) packages\(filter) in \(list.sections.count) sections\(mark)"
            + "\u{1B}[0m"
    }

    /// Keeps the cursor on the screen. Names of sections take lines too.
    private mutating func scroll(_ height: Int) {
        if list.cursor < top { top = list.cursor }
        while top < list.cursor, lineCount(from: top, to: list.cursor) > height { top += 1 }
        top = max(0, min(top, list.count - 1))
    }

    private func lineCount(from first: Int, to last: Int) -> Int {
        if last - first > 1_000 { return .max }
        return last - first + 2 + starts.count { $0 > first && $0 <= last }
    }

    /// Where the sections begin.
    private var starts: [Int] {
        var start = 0
        return list.sections.map { section in
            defer { start += section.count }
            return start
        }
    }

    private func body(_ height: Int, _ columns: Int) -> [String] {
        var lines: [String] = []
        var start = 0
        for section in list.sections {
            let rows = max(start, top)..<max(max(start, top), start + section.count)
            start += section.count
            if rows.isEmpty { continue }
            if lines.count >= height { break }
            lines.append("\u{1B}[4m\(section.name) (\(section.count))\u{1B}[0m")
            for place in rows.prefix(height - lines.count) {
                if let package = list.package(at: place) {
                    lines.append(line(package, isCurrent: place == list.cursor, columns))
                }
            }
        }
        return Array(lines.prefix(height))
    }

    private func line(_ package: Package, isCurrent: Bool, _ columns: Int) -> String {
        let mark = package.state == .installed ? "*" : " "
        let name = pad("\(mark) \(package.identifier)", 32)
        let version = pad(package.version ?? "", 20)
        let text = pad("\(name) \(version) \(package.synopsis ?? "")", columns)
        if isCurrent { return "\u{1B}[7m\(text)\u{1B}[0m" }
        return list.isFlashing(package) ? "\u{1B}[32m\(text)\u{1B}[0m" : text
    }

    /// The text in so many columns, without anything that would steer the terminal.
    private func pad(_ text: String, _ columns: Int) -> String {
        let cut = text.printable.cut(toColumns: columns)
        return cut + String(repeating: " ", count: max(0, columns - cut.displayColumns))
    }
}
