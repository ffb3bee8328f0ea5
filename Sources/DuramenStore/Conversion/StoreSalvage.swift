import DuramenModel
public import DuramenQuery

/// Copies what can be read of a damaged store into a new one.
///
/// Objects that cannot be read are left out, references to them become nil, and the report lists
/// them. The new store has an identity of its own.
public struct StoreSalvage {
    /// The result of a salvage.
    public struct Report: Sendable {
        /// The parts that could not be read, or had to be left out, as sentences.
        public internal(set) var losses: [String]
        /// The checksums of the new store.
        public internal(set) var checksums: StoreChecksums
    }

    private let source: any PersistentStore
    private let destination: any PersistentStore
    /// A flag that ends the work when it is raised.
    public var cancellation: CancellationFlag?

    /// Creates a salvage between two stores that were opened with one model.
    public init(from source: any PersistentStore, to destination: any PersistentStore) {
        self.source = source
        self.destination = destination
    }

    /// Copies the objects, then mends references, then copies the many-to-many pairs.
    ///
    /// - Throws: `.invalidRequest` when the destination has objects; `.cancelled`; errors of the
    ///   destination. Destroy the destination then.
    /// - Complexity: Reads all data twice and writes it once. It needs memory for the keys of all
    ///   objects and for all pairs.
    public func run() throws(StoreError) -> Report {
        let run = try SalvageRun(from: source, to: destination, cancellation)
        let losses = try run.run()
        return Report(
            losses: losses,
            checksums: try StoreChecksums(
                reading: try destination.snapshot(), of: destination, cancellation: cancellation))
    }
}
