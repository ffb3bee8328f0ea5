import DuramenModel

/// An optional transformable attribute in a typed predicate, which compares with nil only.
public struct EncodedPath: Sendable {
    let queryNames: [String]

    /// The attribute is null.
    public static func == (
        path: EncodedPath, none: _OptionalNilComparisonType
    ) -> FetchPredicate { .nilTest(path.queryNames, .equal) }

    /// The attribute has a value.
    public static func != (
        path: EncodedPath, none: _OptionalNilComparisonType
    ) -> FetchPredicate { .nilTest(path.queryNames, .notEqual) }
}

extension EntityPath {
    /// An optional transformable attribute.
    @_disfavoredOverload
    public subscript<Value: Codable>(
        dynamicMember keyPath: KeyPath<Root, Value?>
    ) -> EncodedPath { EncodedPath(queryNames: appending(keyPath)) }
}

extension CompositePath {
    /// An optional transformable element.
    @_disfavoredOverload
    public subscript<Value: Codable>(
        dynamicMember keyPath: KeyPath<Composite, Value?>
    ) -> EncodedPath { EncodedPath(queryNames: appending(keyPath)) }
}
