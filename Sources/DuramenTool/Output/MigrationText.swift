import DuramenModel
import DuramenStore
import Foundation

/// A migration plan as readable text and as JSON.
struct MigrationText {
    let plan: MigrationPlan
    let survey: MigrationSurvey

    var lines: [String] {
        let rows = survey.rows.values.reduce(0, +)
        var lines = [
            "\(plan.location)  \(plan.source.shortName) -> \(plan.target.shortName)  "
                + "\(rows) object\(rows == 1 ? "" : "s")"
                + (plan.isEmpty ? "" : ", needs \(Self.size(survey.estimate.bytes)), \(time)")
        ]
        if plan.isEmpty { lines.append("  nothing to do") }
        for (place, hop) in plan.hops.enumerated() {
            if plan.inferred == nil { lines.append("\(place + 1)  \(hop.title)") }
            lines += self.lines(of: hop)
        }
        if !plan.refusals.isEmpty {
            lines.append("to be decided first:")
            lines += plan.refusals.map { "  \($0)" }
        }
        return lines
    }

    private func lines(of hop: MigrationHop) -> [String] {
        hop.lines(lost: { survey.losses[$0] }) { change in
            guard let count = survey.invalid[change] else { return "" }
            return "; \(count) object\(count == 1 ? "" : "s") would not be saved as "
                + "\(count == 1 ? "it is" : "they are")"
        }.map { "  \($0)" }
    }

    private static func size(_ bytes: Int) -> String {
        bytes < 1 << 20 ? "less than 1 MiB" : "about \(bytes >> 20) MiB"
    }

    private var time: String {
        let seconds = survey.estimate.seconds
        return seconds < 1 ? "less than 1 s" : "about \(Int(seconds.rounded(.up))) s"
    }

    private struct Report: Encodable {
        struct Change: Encodable {
            var entity: String?
            var property: String?
            var message: String
            var isUnsettled: Bool
            var loss: String?
            var lostCount: Int?
            var invalidCount: Int?
        }

        var store: String
        var source: String
        var target: String
        var rows: [String: Int]
        var changes: [Change]
        var refusals: [String]
        var bytesNeeded: Int
        var estimatedSeconds: Double
    }

    var json: String {
        get throws(StoreError) {
            let report = Report(
                store: plan.location, source: plan.source.versionChecksum,
                target: plan.target.versionChecksum, rows: survey.rows,
                changes: plan.changes.map { change in
                    Report.Change(
                        entity: change.entity, property: change.property,
                        message: change.message, isUnsettled: change.isUnsettled,
                        loss: change.loss, lostCount: survey.losses[change],
                        invalidCount: survey.invalid[change])
                }, refusals: plan.refusals, bytesNeeded: survey.estimate.bytes,
                estimatedSeconds: survey.estimate.seconds)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            do {
                return String(decoding: try encoder.encode(report), as: UTF8.self)
            } catch {
                throw StoreError(.io, "The plan cannot be written as JSON.", detail: "\(error)")
            }
        }
    }
}
