import DuramenStore
import Foundation

/// A report for people.
struct TextReport {
    private let report: StoreReport

    init(_ report: StoreReport) { self.report = report }

    var text: String {
        let names = report.versionIdentifiers.filter { !$0.isEmpty }
        var lines = [
            "store       \(report.kind) \(report.location)",
            "identifier  \(report.identifier.uuidString)",
            "written by  \(report.writer)",
            "model       \(names.isEmpty ? "unnamed" : names.joined(separator: ", "))"
                + (report.modelChecksum.map { ", checksum \($0)" } ?? ""),
        ]
        for (name, value) in report.userInfo.sorted(by: { $0.key < $1.key }) {
            lines.append("metadata    \(name) = \(value)")
        }
        lines += ["", "entities"] + table
        if !report.findings.isEmpty {
            lines += ["", "findings"] + report.findings.map { "  " + $0 }
        }
        return lines.map { PlainLine($0).text }.joined(separator: "\n")
    }

    private var table: [String] {
        let entities = report.entities
        var columns = [
            Column("name", entities.map(\.name), isNumber: false),
            Column("parent", entities.map { $0.superentity ?? "-" }, isNumber: false),
            Column("attributes", entities.map { Self.text($0.attributes) }),
            Column("relationships", entities.map { Self.text($0.relationships) }),
            Column("rows", entities.map { Self.text($0.rows) }),
        ]
        if entities.contains(where: { $0.danglingReferences != nil }) {
            columns.append(Column("dangling", entities.map { Self.text($0.danglingReferences) }))
        }
        if entities.contains(where: { $0.missingFiles != nil }) {
            columns.append(Column("missing files", entities.map { Self.text($0.missingFiles) }))
        }
        let hashes = ["hash"] + entities.map { String(($0.versionHash ?? "-").prefix(12)) }
        return (0...entities.count).map { row in
            "  " + (columns.map { $0.cells[row] } + [hashes[row]]).joined(separator: "  ")
        }
    }

    private static func text(_ number: Int?) -> String { number.map(String.init) ?? "-" }

    /// Cells of one width, the title first.
    private struct Column {
        let cells: [String]

        init(_ title: String, _ values: [String], isNumber: Bool = true) {
            let width = ([title] + values).map(\.count).max() ?? 0
            cells = ([title] + values).map { cell in
                let space = String(repeating: " ", count: width - cell.count)
                return isNumber ? space + cell : cell + space
            }
        }
    }
}
