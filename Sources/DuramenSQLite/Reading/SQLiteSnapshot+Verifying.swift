import DuramenQuery
import DuramenStore

extension SQLiteSnapshot: VerifyingSnapshot {
    /// Asks the engine, which compares every index with its table, and what the tables say of
    /// unique and mandatory values.
    func findings(
        cancellation: CancellationFlag?
    ) throws(StoreError) -> [VerificationFinding] {
        try withSource { (source) throws(StoreError) in
            var findings: [VerificationFinding] = []
            do throws(StoreError) {
                for line in try source.connection.texts("PRAGMA integrity_check")
                where line != "ok" {
                    findings.append(VerificationFinding(Self.kind(of: line), line))
                }
            } catch {
                if error.code != .damagedFile { throw error }
                findings.append(VerificationFinding(.structure, error.message))
            }
            return findings
        }
    }

    private static func kind(of line: String) -> VerificationFinding.Kind {
        if line.hasPrefix("non-unique") { return .uniqueness }
        return line.contains(" index ") ? .index : .structure
    }
}
