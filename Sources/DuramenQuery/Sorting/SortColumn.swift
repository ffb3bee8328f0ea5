import DuramenModel
import Foundation

/// The keys of one sort descriptor, loaded for all rows before they are sorted.
///
/// Each key has a rank, an unsigned word in the order of the keys: the integer or double itself, or
/// the first eight bytes. Most comparisons need only ranks.
struct SortColumn {
    /// A rank with the index of its row. Null ranks below every value.
    struct Entry {
        var rank: UInt64
        var isValue: Bool
        var index: UInt32
    }

    private enum Rest {
        case none
        case bytes([[UInt8]])
        case decimals([Decimal])
    }

    let entries: [Entry]
    private let rest: Rest
    private let isAscending: Bool

    init<Source: EvaluationSource>(
        _ key: BoundSortKey, _ items: [BoundSort.Item], _ evaluator: Evaluator<Source>
    ) throws(Source.Failure) {
        isAscending = key.isAscending
        var entries: [Entry] = []
        entries.reserveCapacity(items.count)
        var bytes: [[UInt8]] = []
        var decimals: [Decimal] = []
        for (index, item) in items.enumerated() {
            evaluator.source.advance(to: index)
            if let counted = key.counted {
                let count = try evaluator.count(counted, behind: key.steps, item.row, item.id)
                let rank = Self.rank(Int64(count))
                entries.append(
                    Entry(
                        rank: key.isAscending ? rank : ~rank, isValue: true, index: UInt32(index)))
                continue
            }
            let end =
                key.steps.isEmpty
                ? item.row : try evaluator.walk(key.steps, item.row, item.id)?.0
            var entry = Entry(rank: 0, isValue: false, index: UInt32(index))
            let row = end.flatMap { $0.isNull(key.slot) ? nil : $0 }
            entry.isValue = row != nil
            switch key.kind {
            case .integer, .boolean, .reference, .referenceEntity:
                if let row { entry.rank = Self.rank(row.integer(key.slot)) }
            case .double, .float, .date:
                if let row { entry.rank = Self.rank(row.double(key.slot)) }
            case .decimal:
                // Decimals of equal rank are compared themselves.
                let number = row?.decimal(key.slot) ?? 0
                decimals.append(number)
            case .text, .uri, .binary, .uuid, .transformable:
                // Sound: the row lives through the call.
                let folded =
                    row.map { row in
                        TextFolding.withFolded(row.unsafeBytes(key.slot), key.options) {
                            [UInt8]($0)
                        }
                    } ?? []
                entry.rank = Self.rank(folded)
                bytes.append(folded)
            }
            if !key.isAscending {
                entry.rank = ~entry.rank
                entry.isValue.toggle()
            }
            entries.append(entry)
        }
        self.entries = entries
        rest = bytes.isEmpty ? (decimals.isEmpty ? .none : .decimals(decimals)) : .bytes(bytes)
    }

    /// Returns the indices of the rows in sorted order.
    ///
    /// - Parameters:
    ///   - columns: The keys of each sort descriptor.
    ///   - ids: The IDs of the rows' objects.
    ///   - precedes: Returns whether an object comes before another one with equal keys.
    static func order(
        _ columns: [SortColumn], ids: [ManagedObjectID],
        precedes: (ManagedObjectID, ManagedObjectID) -> Bool
    ) -> [UInt32] {
        func comesBefore(_ a: UInt32, _ b: UInt32) -> Bool {
            let (first, second) = (ids[Int(a)], ids[Int(b)])
            return first == second ? a < b : precedes(first, second)
        }
        guard let first = columns.first else {
            return (0..<UInt32(ids.count)).sorted(by: comesBefore)
        }
        let others = columns.dropFirst()
        let sorted = first.entries.sorted { a, b in
            if a.isValue != b.isValue { return b.isValue }
            if a.rank != b.rank { return a.rank < b.rank }
            let order = first.restOrder(a.index, b.index)
            if order != 0 { return order < 0 }
            for column in others {
                let order = column.order(a.index, b.index)
                if order != 0 { return order < 0 }
            }
            return comesBefore(a.index, b.index)
        }
        return sorted.map(\.index)
    }

    private func order(_ a: UInt32, _ b: UInt32) -> Int {
        let (first, second) = (entries[Int(a)], entries[Int(b)])
        if first.isValue != second.isValue { return second.isValue ? -1 : 1 }
        if first.rank != second.rank { return first.rank < second.rank ? -1 : 1 }
        return restOrder(a, b)
    }

    /// Returns the order of two keys of one rank.
    private func restOrder(_ a: UInt32, _ b: UInt32) -> Int {
        let order: Int
        switch rest {
        case .none: return 0
        case .bytes(let keys):
            order = keys[Int(a)].withUnsafeBytes { left in
                keys[Int(b)].withUnsafeBytes { StoredText.compare(left, $0) }
            }
        case .decimals(let keys):
            let (first, second) = (keys[Int(a)], keys[Int(b)])
            order = first < second ? -1 : (first == second ? 0 : 1)
        }
        return isAscending ? order : -order
    }

    // MARK: - Ranks

    private static func rank(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ 1 << 63 }

    private static func rank(_ value: Double) -> UInt64 {
        let bits = (value == 0 ? 0 : value).bitPattern
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }

    private static func rank(_ bytes: [UInt8]) -> UInt64 {
        var rank: UInt64 = 0
        for index in 0..<8 {
            rank = rank << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0)
        }
        return rank
    }
}
