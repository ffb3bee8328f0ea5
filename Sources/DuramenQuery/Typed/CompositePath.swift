import DuramenModel

/// A Swift type whose values are those of a composite attribute.
public protocol QueryableComposite {
    /// Returns the name of the element behind a key path, or nil if there is none. For an element
    /// within an element, dots join the names.
    static func elementName(for keyPath: AnyKeyPath) -> String?
}

/// A composite attribute in a typed predicate: compare it with nil, or go on to its elements.
/// ```swift
/// FetchPredicate(Quake.self) { $0.epicentre.latitude >= 3 && $0.origin == nil }
/// ```
@dynamicMemberLookup
public struct CompositePath<Composite: QueryableComposite>: Sendable {
    let queryNames: [String]

    init(queryNames: [String]) { self.queryNames = queryNames }

    func appending(_ keyPath: AnyKeyPath) -> [String] {
        queryNames + [
            Composite.elementName(for: keyPath) ?? UnmanagedKeyPath.name(for: keyPath)
        ]
    }

    /// An element.
    public subscript<Value: PredicateValue>(
        dynamicMember keyPath: KeyPath<Composite, Value>
    ) -> AttributePath<Value> { AttributePath(queryNames: appending(keyPath)) }

    /// An optional element; its path is that of its values.
    public subscript<Value: PredicateValue>(
        dynamicMember keyPath: KeyPath<Composite, Value?>
    ) -> AttributePath<Value> { AttributePath(queryNames: appending(keyPath)) }

    /// A composite within the composite.
    public subscript<Nested: QueryableComposite>(
        dynamicMember keyPath: KeyPath<Composite, Nested>
    ) -> CompositePath<Nested> { CompositePath<Nested>(queryNames: appending(keyPath)) }

    /// An optional composite within the composite.
    public subscript<Nested: QueryableComposite>(
        dynamicMember keyPath: KeyPath<Composite, Nested?>
    ) -> CompositePath<Nested> { CompositePath<Nested>(queryNames: appending(keyPath)) }

    /// No element has a value.
    public static func == (
        path: CompositePath, none: _OptionalNilComparisonType
    ) -> FetchPredicate { .nilTest(path.queryNames, .equal) }

    /// Some element has a value.
    public static func != (
        path: CompositePath, none: _OptionalNilComparisonType
    ) -> FetchPredicate { .nilTest(path.queryNames, .notEqual) }
}

extension FetchPredicate {
    /// Compares a key path with nil.
    static func nilTest(
        _ names: [String], _ relation: PredicateComparison.Operator
    ) -> FetchPredicate {
        .comparison(PredicateComparison(.keyPath(names), relation, .constant(.null)))
    }
}
