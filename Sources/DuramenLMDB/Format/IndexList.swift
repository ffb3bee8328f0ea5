import DuramenModel

/// The indexes whose entries are complete, in a record of their own.
///
/// It is compared before every write, since another process may have made or dropped one; whoever
/// writes keeps all that are listed, or takes them from the list.
struct IndexList: Codable, Equatable {
    /// An index by the number that begins its keys.
    struct Entry: Codable, Equatable {
        var number: UInt32
        var signature: String
    }

    var entries: [Entry] = []
    /// Numbers are never given twice.
    var nextNumber: UInt32 = 1
    /// The schema whose rows the indexes are of; nil in stores whose model was never changed.
    /// Whoever has the store open with an earlier one finds here that it was.
    var schema: Int?

    /// The number of each wanted index, in their order; nil for those that are not complete.
    func numbers(of indexes: [StoreIndex]) -> [UInt32?] {
        indexes.map { place(of: $0).map { entries[$0].number } }
    }

    /// The place of an index among the entries; nil when it is not complete.
    func place(of index: StoreIndex) -> Int? {
        entries.firstIndex {
            $0.signature == index.signature || $0.signature == index.unenforcedSignature
        }
    }

    /// Whether rows may share values of the constraint that an index belongs to.
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

    /// Lists an index under a new number.
    mutating func add(_ index: StoreIndex) -> UInt32 {
        defer { nextNumber += 1 }
        entries.append(Entry(number: nextNumber, signature: index.signature))
        return nextNumber
    }
}
