import ArgumentParser
import DuramenStore

/// `duramen verify`
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Reads everything that a store holds, compares it, and prints checksums of it.",
        discussion: """
            Every value, reference and pair of one state is read, while others may use the store, and \
            compared with whatever the store keeps about it elsewhere: indexes, other sides of \
            relationships, unique and derived values, histories. The \
            checksums of two stores, of any kinds, are the same when they hold the same objects under \
            the same keys. Exits with 1 when something is damaged or missing.
            """)

    @Argument(help: "A path, 'sqlite:PATH' or 'lmdb:PATH'.")
    var store: String

    @Option(help: ArgumentHelp("Takes the model of this store.", valueName: "store"))
    var modelOf: String?

    func run() throws {
        do throws(StoreError) {
            let named = NamedStore(store)
            let opened = try named.open(modelOf: modelOf.map { NamedStore($0) })
            let snapshot = try opened.snapshot()
            print(ChecksumTable(try StoreChecksums(reading: snapshot, of: opened)).text)
            let report = try named.report(checks: true)
            if !report.findings.isEmpty {
                print(
                    (["", "findings"] + report.findings.map { "  " + PlainLine($0).text })
                        .joined(separator: "\n"))
            }
            try MissingFiles.check(report)
            try check(DanglingReferences(in: snapshot, of: opened))
            try check(StoreVerification(of: opened).run())
            try opened.close()
        } catch {
            throw StoreFailure(error)
        }
    }

    private func check(_ findings: [VerificationFinding]) throws(StoreError) {
        guard let first = findings.first else { return }
        for finding in findings { print("  " + PlainLine("\(finding)").text) }
        throw StoreError(
            .damagedFile,
            "The store contradicts itself in \(findings.count) places; the first is: \(first). Restore a copy."
        )
    }

    private func check(_ references: DanglingReferences) throws(StoreError) {
        guard let found = references.found.first else { return }
        throw StoreError(
            .damagedFile,
            "\(found.count) of the references '\(found.name)' leads to an object that is not there; the first is "
                + "that of \(found.example).")
    }
}
