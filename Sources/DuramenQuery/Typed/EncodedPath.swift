import DuramenModel

/// An optional transformable attribute in a typed predicate, which can only be compared with nil.
public struct EncodedPath: Sendable {
    let queryNames: [String]

    /// Returns a predicate that is true if the attribute is null.
    public static func == (
        path: EncodedPath, none: _OptionalNilComparisonType
    ) -> FetchPredicate { .nilTest(path.queryNames, .equal) }

    /// Returns a predicate that is true if the attribute has a value.
    public static func != (
        path: EncodedPath, none: _OptionalNilComparisonType
    ) -> FetchPredicate { .nilTest(path.queryNames, .notEqual) }
}

extension EntityPath {
    /// Returns the path of an optional transformable attribute.
    @_disfavoredOverload
    public subscript<Value: Codable>(
        dynamicMember keyPath: KeyPath<Root, Value?>
    ) -> EncodedPath { EncodedPath(queryNames: appending(keyPath)) }
}

extension CompositePath {
    /// Returns the path of an optional transformable element.
    @_disfavoredOverload
    public subscript<Value: Codable>(
        dynamicMember keyPath: KeyPath<Composite, Value?>
    ) -> EncodedPath { EncodedPath(queryNames: appending(keyPath)) }
}
