import ArgumentParser
import DuramenModel
import DuramenStore

/// `duramen verify`
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Reads everything that a store holds, compares it, and prints checksums of it.",
        discussion: """
            Reads every value, reference and pair of one state, while others may use the store. Compares \
            them with related data: indexes, other sides of relationships, unique and derived \
            values, histories. The \
            checksums of two stores, of any kinds, are the same when they hold the same objects under \
            the same keys. Exits with 1 when something is damaged or missing.
            """)

    @Argument(help: "A path, 'sqlite:PATH', 'lmdb:PATH' or 'postgres://HOST/DATABASE'.")
    var store: String

    @OptionGroup var model: ModelArguments

    func run() throws {
        do throws(StoreError) {
            let named = NamedStore(store)
            let opened = try model.open(named)
            let report = try named.report(
                model: model.isGiven ? opened.model : nil, checks: true)
            var problems: [StoreError] = []
            let snapshot = try opened.snapshot()
            do throws(StoreError) {
                Screen.print(
                    ChecksumTable(try StoreChecksums(reading: snapshot, of: opened)).lines)
            } catch {
                // Missing values are listed below, one by one.
                guard error.code == .damagedValue, !report.missingFiles.isEmpty else {
                    throw error
                }
                Screen.print("  no checksums: values are missing")
            }
            if !report.findings.isEmpty {
                Screen.print(["", "findings"] + report.findings.map { "  " + $0 })
            }
            problems += MissingFiles(report).problems
            problems += try contradictions(in: opened, snapshot, report)
            // Missing values are listed below.
            if report.missingFiles.isEmpty { try printInvalid(in: opened, snapshot) }
            try opened.close()
            for problem in problems.dropFirst() {
                Screen.print("  " + problem.message)
            }
            if let problem = problems.first { throw problem }
        } catch {
            throw StoreFailure(error)
        }
    }

    /// Prints how many objects a save would refuse, which is not a defect of the store.
    private func printInvalid(
        in opened: any PersistentStore, _ snapshot: any StoreSnapshot
    ) throws(StoreError) {
        let counts = try InvalidObjects(in: snapshot, of: opened).counts
        if counts.isEmpty { return }
        Screen.print(["", "not valid"] + counts.map { "  \($0)" })
    }

    /// Prints contradictions and dangling references.
    private func contradictions(
        in opened: any PersistentStore, _ snapshot: any StoreSnapshot, _ report: StoreReport
    ) throws(StoreError) -> [StoreError] {
        var problems: [StoreError] = []
        do throws(StoreError) {
            problems += try Self.problems(DanglingReferences(in: snapshot, of: opened))
        } catch {
            guard error.code == .damagedValue, !report.missingFiles.isEmpty else { throw error }
        }
        let findings = try StoreVerification(of: opened).run().filter {
            // Missing files are listed already.
            $0.kind != .externalValue || report.missingFiles.isEmpty
        }
        for finding in findings { Screen.print("  \(finding)") }
        if let first = findings.first {
            problems.append(
                StoreError(
                    .damagedFile,
                    "The store contradicts itself in \(findings.count) places; the first is: \(first). Restore a copy."
                ))
        }
        return problems
    }

    private static func problems(_ references: DanglingReferences) -> [StoreError] {
        references.found.map { found in
            StoreError(
                .damagedFile,
                "\(found.count) of the references '\(found.name)' refers to an object that does not exist; the first is "
                    + "that of \(found.example).")
        }
    }
}
