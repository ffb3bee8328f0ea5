import Foundation
import Testing

/// The reference of predicates shows what the tests beside this one compare.
struct PredicateGuideTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    /// A format string and what says the same in a closure.
    private struct Row {
        let format: String
        let typed: String
    }

    private func rows() throws -> [Row] {
        let guide = Self.folder.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .appending(path: "Sources/Duramen/Duramen.docc/PredicateReference.md")
        return try String(contentsOf: guide, encoding: .utf8)
            .matches(of: /(?m)^\| `(.+?)` \| `(.+)` \|$/)
            .map { Row(format: String($0.output.1), typed: String($0.output.2)) }
    }

    /// The tests, with one space where there are several or a line ends.
    private func tests() throws -> String {
        try FileManager.default.contentsOfDirectory(
            at: Self.folder, includingPropertiesForKeys: nil
        )
        .filter { $0.pathExtension == "swift" }
        .map { try String(contentsOf: $0, encoding: .utf8) }
        .joined(separator: "\n").replacing(/\s+/, with: " ")
    }

    @Test func everyRowIsTested() throws {
        let rows = try rows()
        #expect(rows.count > 70)
        let cases = try tests().split(separator: "expectSame(").map {
            $0.trimmingPrefix(while: \.isWhitespace)
        }
        for row in rows {
            #expect(
                cases.contains { $0.hasPrefix("\"\(row.format)\"") && $0.contains(row.typed) },
                "Not compared: \(row.format) | \(row.typed)")
        }
    }
}
