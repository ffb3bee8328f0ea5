import DuramenArchives
import DuramenModel
import Foundation

/// Counts the formats of the values of one transformable attribute.
struct TransformableSurvey {
    private var archiveCount = 0
    private var jsonCount = 0
    private var otherCount = 0
    private var unreadableCount = 0
    /// The reason why the first unreadable archive cannot be read.
    private var problem = ""

    /// Counts the bytes of a value.
    mutating func add(_ bytes: Data) {
        if ArchivedValue.isArchive(bytes) {
            do throws(ArchiveError) {
                _ = try ArchivedValue(archive: bytes)
                archiveCount += 1
            } catch {
                if unreadableCount == 0 { problem = error.problem }
                unreadableCount += 1
            }
        } else if EncodedValue.isJSON(bytes) {
            jsonCount += 1
        } else {
            otherCount += 1
        }
    }

    /// The findings about the values, as ends of sentences; empty without values.
    var findings: [String] {
        var findings: [String] = []
        func note(_ count: Int, _ message: (String) -> String) {
            if count > 0 { findings.append(message(count == 1 ? "1 value" : "\(count) values")) }
        }
        note(archiveCount) { "\($0) in keyed archives" }
        note(jsonCount) { "\($0) in JSON" }
        note(unreadableCount) {
            "\($0) cannot be read without a transformer: the archive \(problem)"
        }
        note(otherCount) { "\($0) in a form that only the application's transformer knows" }
        return findings
    }
}
