extension FetchSortDescriptor {
    /// The step of a key path that counts the objects of the to-many before it.
    static let countStep = "@count"

    /// Whether the descriptor sorts by the objects themselves: `SELF`.
    public var isSelf: Bool { keyPath == ["SELF"] || keyPath == ["self"] }

    /// The path of the to-many whose objects are counted; nil for other keys.
    public var countedPath: [String]? {
        keyPath.count > 1 && keyPath.last == Self.countStep ? Array(keyPath.dropLast()) : nil
    }

    /// The compared value as an expression of predicates: the object, a count, or a key path.
    public var expression: FetchExpression {
        if isSelf { return .selfObject }
        return countedPath.map { .count(keyPath: $0) } ?? .keyPath(keyPath)
    }
}

extension [FetchSortDescriptor] {
    /// The descriptors before `SELF`, which makes later ones irrelevant.
    public var beforeSelf: ArraySlice<FetchSortDescriptor> { prefix { !$0.isSelf } }

    /// Whether objects that are otherwise equal are ordered by ID in descending order.
    package var descendsByID: Bool { dropFirst(beforeSelf.count).first?.isAscending == false }

    /// The same order with the fewest keys. IDs in ascending order always decide last.
    package var withoutNeedlessKeys: [FetchSortDescriptor] {
        let keys = beforeSelf
        guard keys.count < count, self[keys.count].comparison == .standard else { return self }
        return Array(descendsByID ? self[...keys.count] : keys)
    }
}
