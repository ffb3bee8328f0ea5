public import DuramenModel

extension FetchSortDescriptor {
    /// Sorts by an attribute: `FetchSortDescriptor(\Quake.time, ascending: false)`.
    public init<Root: QueryableObject, Value: PredicateValue>(
        _ keyPath: KeyPath<Root, Value>, ascending: Bool = true, comparison: Comparison = .standard
    ) {
        // The path of the object's own ID is `SELF`.
        let name = Root.isObjectID(keyPath) ? "SELF" : Root.queryName(for: keyPath)
        self.init(names: [name], ascending: ascending, comparison: comparison)
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

    /// Sorts by the number of objects of a to-many, as in `FetchSortDescriptor(Quake.self) {
    /// $0.tags.count }`.
    ///
    /// A fetch fails for any other calculated number.
    public init<Root: QueryableObject>(
        _ type: Root.Type, ascending: Bool = true,
        _ count: (EntityPath<Root>) -> QueryExpression<Int>
    ) {
        let expression = count(EntityPath()).fetchExpression
        if case .count(let path) = expression.form {
            self.init(names: path + [Self.countStep], ascending: ascending, comparison: .standard)
        } else {
            let name = UnmanagedKeyPath.name(for: expression)
            self.init(names: [name], ascending: ascending, comparison: .standard)
        }
    }

    /// Sorts by the ID of the object, as in `FetchSortDescriptor(Quake.self, ascending: false) {
    /// $0.objectID }`.
    ///
    /// In descending order, the newest saved objects come first and unsaved objects last. A fetch
    /// fails for the ID of another object.
    public init<Root: QueryableObject>(
        _ type: Root.Type, ascending: Bool = true,
        _ objectID: (EntityPath<Root>) -> QueryExpression<ManagedObjectID>
    ) {
        let names = objectID(EntityPath()).fetchExpression.keyPathNames ?? ["SELF"]
        self.init(names: names, ascending: ascending, comparison: .standard)
    }

    /// Sorts by an attribute.
    public init<Root: QueryableObject, Value: PredicateValue>(
        keyPath: KeyPath<Root, Value>, ascending: Bool, comparison: Comparison = .standard
    ) {
        self.init(keyPath, ascending: ascending, comparison: comparison)
    }

    /// Sorts by an optional attribute.
    public init<Root: QueryableObject, Value: PredicateValue>(
        keyPath: KeyPath<Root, Value?>, ascending: Bool, comparison: Comparison = .standard
    ) {
        self.init(keyPath, ascending: ascending, comparison: comparison)
    }

    private init(names: [String], ascending: Bool, comparison: Comparison) {
        self.init("", ascending: ascending, comparison: comparison)
        keyPath = names
    }
}
