import DuramenModel

/// The rows of one hierarchy in the order of their keys: an array, split into pieces that states
/// share.
///
/// ```
///   branches ──► up to 128 leaves each ──► up to 64 rows each
/// ```
/// A copy is one reference. A change copies a leaf, the list of its branch and the list of
/// branches, unless they are uniquely referenced. Unlike a hash tree, it iterates in order without
/// sorting, and looks up without hashing.
struct RowTable: Sendable {
    /// The number of rows.
    private(set) var count = 0
    private var branches: ContiguousArray<RowPiece<RowPiece<Row>>> = []

    /// The row of a key; nil for none.
    subscript(key: Int64) -> Row? { place(of: key).flatMap { branches[$0][key] } }

    /// Inserts a row, replacing the row with its key.
    mutating func insert(_ row: Row) {
        if branches.isEmpty {
            branches = [RowPiece(RowPiece(row))]
            count = 1
            return
        }
        let place = place(of: row.key) ?? 0
        let (isNew, rest) = branches[place].insert(row)
        if isNew { count += 1 }
        if let rest { branches.insert(rest, at: place + 1) }
    }

    /// Removes the row of a key, if it exists.
    mutating func remove(_ key: Int64) {
        guard let place = place(of: key), branches[place].remove(key) else { return }
        count -= 1
        if branches[place].parts.isEmpty { branches.remove(at: place) }
    }

    private func place(of key: Int64) -> Int? {
        branches.first.flatMap { branches.place(of: key, from: $0.firstKey) }
    }
}

extension RowTable {
    /// The position of an iteration: before a leaf.
    struct Place {
        fileprivate var branch = 0
        fileprivate var leaf = 0
    }

    /// The rows of the leaf at a position, which is advanced; nil at the end.
    func leaf(at place: inout Place) -> ContiguousArray<Row>? {
        guard place.branch < branches.count else { return nil }
        let leaves = branches[place.branch].parts
        defer {
            place.leaf += 1
            if place.leaf == leaves.count { place = Place(branch: place.branch + 1) }
        }
        return leaves[place.leaf].parts
    }

    /// Calls `body` with all rows, in the order of their keys.
    func forEachRow(_ body: (Row) -> Void) {
        var place = Place()
        while let leaf = leaf(at: &place) { leaf.forEach(body) }
    }
}
