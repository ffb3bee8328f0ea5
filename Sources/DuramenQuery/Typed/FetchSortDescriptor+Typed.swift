extension FetchSortDescriptor {
    /// Sorts by an attribute: `FetchSortDescriptor(\Quake.time, ascending: false)`.
    public init<Root: QueryableObject, Value: PredicateValue>(
        _ keyPath: KeyPath<Root, Value>, ascending: Bool = true, comparison: Comparison = .standard
    ) {
        self.init(
            names: [Root.queryName(for: keyPath)], ascending: ascending, comparison: comparison)
    }

    /// Sorts by an optional attribute.
    public init<Root: QueryableObject, Value: PredicateValue>(
        _ keyPath: KeyPath<Root, Value?>, ascending: Bool = true, comparison: Comparison = .standard
    ) {
        self.init(
            names: [Root.queryName(for: keyPath)], ascending: ascending, comparison: comparison)
    }

    /// Sorts by an attribute over to-ones: `FetchSortDescriptor(Quake.self) { $0.region.name }`.
    public init<Root: QueryableObject, Value: PredicateValue>(
        _ type: Root.Type, ascending: Bool = true, comparison: Comparison = .standard,
        _ path: (EntityPath<Root>) -> AttributePath<Value>
    ) {
        self.init(
            names: path(EntityPath()).queryNames, ascending: ascending, comparison: comparison)
    }

    private init(names: [String], ascending: Bool, comparison: Comparison) {
        self.init("", ascending: ascending, comparison: comparison)
        keyPath = names
    }
}
