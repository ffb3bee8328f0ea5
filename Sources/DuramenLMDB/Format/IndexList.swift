import DuramenModel

/// The list of complete indexes, in a separate record.
///
/// It is compared before every write, since another process may have created or dropped an index.
/// Writers must maintain all listed indexes, or remove them from the list.
struct IndexList: Codable, Equatable {
    /// An index by the number at the start of its keys.
    struct Entry: Codable, Equatable {
        var number: UInt32
        var signature: String
    }

    var entries: [Entry] = []
    /// Numbers are never reused.
    var nextNumber: UInt32 = 1
    /// The schema of the indexes' rows; nil in stores that were never migrated. A process with an
    /// earlier model detects the migration here.
    var schema: Int?

    /// The number of each requested index, in order; nil for incomplete ones.
    func numbers(of indexes: [StoreIndex]) -> [UInt32?] {
        indexes.map { place(of: $0).map { entries[$0].number } }
    }

    /// The position of an index among the entries; nil if it is not complete.
    func place(of index: StoreIndex) -> Int? {
        entries.firstIndex {
            $0.signature == index.signature || $0.signature == index.unenforcedSignature
        }
    }

    /// Whether rows may share values of an index's constraint.
    func isUnenforced(_ index: StoreIndex) -> Bool {
        guard let signature = index.unenforcedSignature else { return false }
        return entries.contains { $0.signature == signature }
    }

    /// The constraints of a schema whose values rows may share.
    func unenforcedConstraints(of schema: StoreSchema) -> Set<UniquenessConstraint> {
        Set(
            schema.indexes.filter(isUnenforced).compactMap { index in
                if case .uniqueness(let constraint) = index.purpose { constraint } else { nil }
            })
    }

    /// Adds an index with a new number.
    mutating func add(_ index: StoreIndex) -> UInt32 {
        defer { nextNumber += 1 }
        entries.append(Entry(number: nextNumber, signature: index.signature))
        return nextNumber
    }
}
