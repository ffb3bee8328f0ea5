import DuramenStore
import Foundation

/// A report as readable text.
struct TextReport {
    private let report: StoreReport

    init(_ report: StoreReport) { self.report = report }

    var lines: [String] {
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
        if let differences = report.differencesFromCoreData {
            lines += ["", "differences from files of Core Data's"]
            lines += differences.isEmpty ? ["  none"] : differences.map { "  " + $0 }
        }
        return lines
    }

    private var table: [String] {
        let entities = report.entities
        var columns = [
            TextColumn("name", entities.map(\.name), isNumber: false),
            TextColumn("parent", entities.map { $0.superentity ?? "-" }, isNumber: false),
            TextColumn("attributes", entities.map { Self.text($0.attributes) }),
            TextColumn("relationships", entities.map { Self.text($0.relationships) }),
            TextColumn("rows", entities.map { Self.text($0.rows) }),
        ]
        if entities.contains(where: { $0.danglingReferences != nil }) {
            columns.append(
                TextColumn("dangling", entities.map { Self.text($0.danglingReferences) }))
        }
        if entities.contains(where: { $0.missingFiles != nil }) {
            columns.append(TextColumn("missing files", entities.map { Self.text($0.missingFiles) }))
        }
        let hashes = ["hash"] + entities.map { String(($0.versionHash ?? "-").prefix(12)) }
        return TextColumn.lines(columns).enumerated().map { "\($1)  \(hashes[$0])" }
    }

    private static func text(_ number: Int?) -> String { number.map(String.init) ?? "-" }
}
