import DuramenModel

/// The versions of stored rows by key; matching rows of a list are removed from it.
struct KeyedVersions {
    /// The keys, ascending.
    private var keys: [Int64] = []
    private var versions: [RowVersion] = []
    private var entities: [EntityID] = []
    private var isTaken: [Bool] = []
    private(set) var leftCount = 0

    /// Adds a row with a key that is greater than all before.
    mutating func append(_ key: Int64, _ version: RowVersion, of entity: EntityID) {
        keys.append(key)
        versions.append(version)
        entities.append(entity)
        isTaken.append(false)
        leftCount += 1
    }

    /// Removes the row with a key.
    ///
    /// - Returns: Whether there was one with this key and version.
    mutating func takeOut(_ key: Int64, _ version: RowVersion) -> Bool {
        guard let position = position(of: key) else { return false }
        isTaken[position] = true
        leftCount -= 1
        return versions[position] == version
    }

    /// Passes the remaining keys and their entities to a closure.
    func forEachLeft(_ body: (Int64, EntityID) -> Void) {
        if leftCount == 0 { return }
        for position in keys.indices where !isTaken[position] {
            body(keys[position], entities[position])
        }
    }

    /// Returns the position of a key. Keys are mostly dense, so it starts with a guess by
    /// proportion. Each second step halves the range, so the search takes at most twice as long as
    /// a binary search.
    private func position(of key: Int64) -> Int? {
        var range = keys.startIndex..<keys.endIndex
        var isGuess = true
        while let first = range.first, let last = range.last {
            if key < keys[first] || key > keys[last] { return nil }
            var position = first + range.count / 2
            if isGuess, first < last {
                let part = distance(keys[first], key) / distance(keys[first], keys[last])
                position = first + Int(part * Double(range.count - 1))
            }
            isGuess.toggle()
            if keys[position] == key { return position }
            range = keys[position] < key ? position + 1..<range.upperBound : first..<position
        }
        return nil
    }

    private func distance(_ low: Int64, _ high: Int64) -> Double {
        Double(UInt64(bitPattern: high &- low))
    }
}
