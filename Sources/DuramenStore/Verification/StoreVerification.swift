import DuramenModel
public import DuramenQuery

/// Searches one state of a store for contradictions. If it finds none, queries return correct
/// results.
///
/// ```swift
/// for finding in try StoreVerification(of: store).run() { print(finding) }
/// ```
/// It compares rows by iteration and by ID, both sides of every relationship, order numbers, unique
/// values and derived attributes. It also checks files of large values and the history. A
/// ``VerifyingSnapshot`` adds its indexes and its file. A value that is stored only once and
/// without a checksum cannot be checked, such as a plain attribute in SQLite.
public struct StoreVerification {
    private let store: any PersistentStore
    /// A flag that ends the work when it is raised.
    public var cancellation: CancellationFlag?
    /// A closure that receives the number of rows read since the last call.
    public var noteRows: (Int) -> Void = { _ in }

    /// Creates a verification of a store, which others may use meanwhile.
    public init(of store: any PersistentStore) { self.store = store }

    /// Verifies the newest state.
    ///
    /// - Returns: The findings; empty for a sound store.
    /// - Throws: `.cancelled`, `.closed`, and other errors that are not about the store's contents.
    /// - Complexity: Reads every row three times, every pair from both sides, and every entry of an
    ///   index once. Needs 10 bytes of memory for each object, and 16 for each unique value.
    public func run() throws(StoreError) -> [VerificationFinding] {
        var findings = FindingList()
        do throws(StoreError) {
            _ = try store.metadata()
        } catch {
            try findings.add(error, as: .metadata)
        }
        let snapshot = try store.snapshot()
        if let snapshot = snapshot as? any VerifyingSnapshot {
            for finding in try snapshot.findings(cancellation: cancellation) {
                findings.add(finding)
            }
        }
        var pass = VerificationPass(
            store, snapshot, cancellation: cancellation, noteRows: noteRows, findings)
        try pass.run()
        findings = pass.findings
        try checkHistory(&findings)
        return findings.all
    }

    // MARK: - History

    private func checkHistory(_ findings: inout FindingList) throws(StoreError) {
        guard store.capabilities.contains(.history),
            let store = store as? any HistoryTrackingStore
        else { return }
        do throws(StoreError) {
            guard let extent = try store.historyExtent() else { return }
            _ = try store.historyConsumers()
            try check(extent, of: store, &findings)
        } catch {
            try findings.add(error, as: .history)
        }
    }

    private func check(
        _ extent: HistoryExtent, of store: any HistoryTrackingStore, _ findings: inout FindingList
    ) throws(StoreError) {
        var last = extent.deletedThrough
        while true {
            try StoreVerification.stop(if: cancellation)
            let page: [PersistentHistoryTransaction]
            do throws(StoreError) {
                page = try store.page(
                    HistoryRequest(
                        after: last, through: extent.last, limit: Self.pageTransactions))
            } catch {
                // Transactions are deleted concurrently.
                guard error.code == .historyTokenExpired,
                    let now = try store.historyExtent(), now.deletedThrough > last
                else { throw error }
                last = now.deletedThrough
                continue
            }
            last = page.last?.transactionNumber ?? last
            if page.count < Self.pageTransactions { break }
        }
        // Each save is a transaction, so the newest state has one. Numbers between may be missing:
        // other programs also write to SQLite files, with their own numbers.
        if last < extent.last {
            findings.add(
                VerificationFinding(.history, "The history does not have the newest transaction."))
        }
    }

    private static let pageTransactions = 200

    static func stop(if cancellation: CancellationFlag?) throws(StoreError) {
        if cancellation?.isCancelled == true {
            throw StoreError(.cancelled, "The verification was cancelled.")
        }
    }
}
