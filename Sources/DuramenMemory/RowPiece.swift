import DuramenModel

/// An element in the order of keys: a row, or a sequence of rows.
protocol KeyOrdered: Sendable {
    /// The key, or the smallest one.
    var firstKey: Int64 { get }
    /// The largest number of elements in one piece.
    static var pieceCapacity: Int { get }
}

extension Row: KeyOrdered {
    var firstKey: Int64 { key }
    // The number of rows that a predicate evaluates together.
    static var pieceCapacity: Int { 64 }
}

/// A piece of a ``RowTable``: the parts of a leaf are rows, those of a branch are leaves.
struct RowPiece<Part: KeyOrdered>: KeyOrdered {
    static var pieceCapacity: Int { 128 }

    /// Ascending by key. No piece is empty.
    private(set) var parts: ContiguousArray<Part>
    /// The first key of the first part, stored here so that a search need not access the part.
    private(set) var firstKey: Int64

    init(_ part: Part) {
        parts = [part]
        firstKey = part.firstKey
    }

    /// Inserts a part, replacing the part with an equal first key.
    ///
    /// - Returns: Whether the part is new; and the parts that no longer fit, which follow this
    ///   piece.
    mutating func insert(_ part: Part) -> (isNew: Bool, rest: RowPiece?) {
        let place = place(of: part.firstKey)
        if let place, parts[place].firstKey == part.firstKey {
            parts[place] = part
            return (false, nil)
        }
        let target = place.map { $0 + 1 } ?? 0
        if parts.count < Part.pieceCapacity {
            parts.insert(part, at: target)
            firstKey = parts[0].firstKey
            return (true, nil)
        }
        // Keys are allocated in ascending order, so pieces are left full.
        if target == parts.count { return (true, RowPiece(part)) }
        var rest = splitOff(from: parts.count / 2)
        _ = part.firstKey < rest.firstKey ? insert(part) : rest.insert(part)
        return (true, rest)
    }

    /// The last part whose first key is at most a key; nil for none.
    func place(of key: Int64) -> Int? { parts.place(of: key, from: firstKey) }

    private mutating func splitOff(from middle: Int) -> RowPiece {
        var rest = RowPiece(parts[middle])
        rest.parts = ContiguousArray(parts[middle...])
        parts = ContiguousArray(parts[..<middle])
        return rest
    }

    fileprivate mutating func remove(at place: Int) {
        parts.remove(at: place)
        if let first = parts.first { firstKey = first.firstKey }
    }
}

extension RowPiece<RowPiece<Row>> {
    /// The row of a key; nil for none.
    subscript(key: Int64) -> Row? {
        guard let leaf = place(of: key), let place = parts[leaf].place(of: key),
            parts[leaf].parts[place].key == key
        else { return nil }
        return parts[leaf].parts[place]
    }

    /// Inserts a row into its leaf; see ``insert(_:)-(Part)``.
    mutating func insert(_ row: Row) -> (isNew: Bool, rest: Self?) {
        let leaf = place(of: row.key) ?? 0
        let (isNew, rest) = parts[leaf].insert(row)
        firstKey = parts[0].firstKey
        return (isNew, rest.flatMap { insert($0).rest })
    }

    /// Removes the row of a key; returns whether it existed.
    mutating func remove(_ key: Int64) -> Bool {
        guard let leaf = place(of: key), let place = parts[leaf].place(of: key),
            parts[leaf].parts[place].key == key
        else { return false }
        parts[leaf].remove(at: place)
        if parts[leaf].parts.isEmpty { remove(at: leaf) } else { join(around: leaf) }
        return true
    }

    /// Joins a leaf with a neighbour if both are nearly empty, so that few rows never take many
    /// leaves.
    private mutating func join(around leaf: Int) {
        for left in [leaf - 1, leaf] where left >= 0 && left + 1 < parts.count {
            let right = parts[left + 1].parts
            guard parts[left].parts.count + right.count <= Row.pieceCapacity / 2 else { continue }
            parts[left].parts += right
            parts.remove(at: left + 1)
            return
        }
    }
}

extension ContiguousArray where Element: KeyOrdered {
    /// The last index whose first key is at most a key; nil for none.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - first: The first key of all, so that no row need be read for it.
    /// - Complexity: O(log *n*), and one comparison if the keys have no gaps.
    func place(of key: Int64, from first: Int64) -> Int? {
        guard first <= key else { return nil }
        // All keys are positive and distinct.
        var (low, high) = (0, Swift.min(count - 1, Int(clamping: key - first)))
        if self[high].firstKey <= key { return high }
        while high - low > 1 {
            let middle = (low + high) / 2
            if self[middle].firstKey <= key { low = middle } else { high = middle }
        }
        return low
    }
}
