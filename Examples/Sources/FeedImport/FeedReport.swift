import Duramen
import ExampleSupport

/// An import in words.
struct FeedReport: CustomStringConvertible {
    let report: ImportReport

    var description: String {
        var table = Table([
            .init("Entity"), .init("Inserted", .trailing), .init("Updated", .trailing),
            .init("Unchanged", .trailing),
        ])
        for (entity, counts) in report.entities.sorted(by: { $0.key < $1.key }) {
            table.append(
                [entity, "\(counts.inserted)", "\(counts.updated)", "\(counts.unchanged)"])
        }
        let refused = report.failures.map { "  at \($0.pointer)\n     \($0.reason)" }
        return """
            \(table)
            \(summary)
            \(report.failureCount) of \(report.elementCount) elements refused
            \(refused.joined(separator: "\n").printableLines)
            """
    }

    private var summary: String {
        let written = report.inserted + report.updated
        return written == 0
            ? "Nothing was written: the store has all of it." : "\(written) objects were written."
    }
}

extension String {
    /// The text without control characters, which could steer a terminal.
    fileprivate var printableLines: String {
        split(separator: "\n").map { String($0).printable }.joined(separator: "\n")
    }
}
