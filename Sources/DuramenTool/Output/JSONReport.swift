import DuramenStore
import Foundation

/// A report as JSON.
enum JSONReport {
    static func text(_ report: StoreReport) throws(StoreError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(report), as: UTF8.self)
        } catch {
            throw StoreError(.io, "The report cannot be written as JSON.", detail: "\(error)")
        }
    }
}
