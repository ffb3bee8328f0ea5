import DuramenModel

/// A Swift type for the values of a composite attribute.
public protocol QueryableComposite {
    /// Returns the name of the element for a key path, or nil if there is none. For an element
    /// within an element, dots join the names.
    static func elementName(for keyPath: AnyKeyPath) -> String?
}

/// A composite attribute in a typed predicate, which you can compare with nil or ask for its
/// elements.
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

    /// Returns the path of an element.
    public subscript<Value: PredicateValue>(
        dynamicMember keyPath: KeyPath<Composite, Value>
    ) -> AttributePath<Value> { AttributePath(queryNames: appending(keyPath)) }

    /// Returns the path of an optional element.
    public subscript<Value: PredicateValue>(
        dynamicMember keyPath: KeyPath<Composite, Value?>
    ) -> AttributePath<Value> { AttributePath(queryNames: appending(keyPath)) }

    /// Returns the path of a composite within the composite.
    public subscript<Nested: QueryableComposite>(
        dynamicMember keyPath: KeyPath<Composite, Nested>
    ) -> CompositePath<Nested> { CompositePath<Nested>(queryNames: appending(keyPath)) }

    /// Returns the path of an optional composite within the composite.
    public subscript<Nested: QueryableComposite>(
        dynamicMember keyPath: KeyPath<Composite, Nested?>
    ) -> CompositePath<Nested> { CompositePath<Nested>(queryNames: appending(keyPath)) }

    /// Returns a predicate that is true if no element has a value.
    public static func == (
        path: CompositePath, none: _OptionalNilComparisonType
    ) -> FetchPredicate { .nilTest(path.queryNames, .equal) }

    /// Returns a predicate that is true if an element has a value.
    public static func != (
        path: CompositePath, none: _OptionalNilComparisonType
    ) -> FetchPredicate { .nilTest(path.queryNames, .notEqual) }
}

extension FetchPredicate {
    /// Returns a predicate that compares a key path with nil.
    static func nilTest(
        _ names: [String], _ relation: PredicateComparison.Operator
    ) -> FetchPredicate {
        .comparison(PredicateComparison(.keyPath(names), relation, .constant(.null)))
    }
}
