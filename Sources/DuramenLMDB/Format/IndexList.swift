import Foundation

/// The indexes whose entries are complete, in a record of their own.
///
/// It is compared before every write, since another process may have made or dropped one; whoever writes
/// keeps all that are listed, or takes them from the list.
struct IndexList: Codable, Equatable {
    /// An index by the number that begins its keys.
    struct Entry: Codable, Equatable {
        var number: UInt32
        var signature: String
    }

    var entries: [Entry] = []
    /// Numbers are never given twice.
    var nextNumber: UInt32 = 1

    /// The number of each wanted index, in their order; nil for those that are not complete.
    func numbers(of indexes: [StoreIndex]) -> [UInt32?] {
        indexes.map { index in
            entries.first { $0.signature == index.signature }?.number
        }
    }

    /// Lists an index under a new number.
    mutating func add(_ index: StoreIndex) -> UInt32 {
        defer { nextNumber += 1 }
        entries.append(Entry(number: nextNumber, signature: index.signature))
        return nextNumber
    }
}
