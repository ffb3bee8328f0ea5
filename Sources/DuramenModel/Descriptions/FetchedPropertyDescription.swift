/// The description of one fetched property, as you write it in a model: a named condition that
/// fetches objects without a relationship to the owner.
///
/// ```swift
/// FetchedPropertyDescription(
///     "namesakes", destination: "Person",
///     predicateFormat: "name == $FETCH_SOURCE.name AND SELF != $FETCH_SOURCE")
/// ```
/// Contexts fetch the objects when the property is first read, and keep them until the owner is
/// refreshed. Stores keep nothing of a fetched property. It is not part of version hashes, it may
/// refer to objects in other stores, and queries cannot name it.
public struct FetchedPropertyDescription: Sendable, Hashable {
    /// One sort key of the objects.
    public struct SortKey: Sendable, Hashable {
        /// A key path over to-one relationships.
        public var keyPath: String
        /// Whether small values come first.
        public var isAscending: Bool

        /// Describes a sort key.
        public init(_ keyPath: String, isAscending: Bool = true) {
            self.keyPath = keyPath
            self.isAscending = isAscending
        }
    }

    /// The property's name, unique within the entity and its ancestors.
    public var name: String
    /// The name of the entity whose objects are fetched, with those of its sub-entities.
    public var destination: String
    /// The condition as a format string, or nil for all objects. `$FETCH_SOURCE` refers to the
    /// owner.
    public var predicateFormat: String?
    /// The sort keys, most significant first.
    public var sortKeys: [SortKey]
    /// The maximum number of objects; nil for any number.
    public var fetchLimit: Int?
    /// Notes of the application.
    public var userInfo: [String: String]

    /// Describes a fetched property.
    public init(
        _ name: String, destination: String, predicateFormat: String? = nil,
        sortKeys: [SortKey] = [], fetchLimit: Int? = nil, userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.destination = destination
        self.predicateFormat = predicateFormat
        self.sortKeys = sortKeys
        self.fetchLimit = fetchLimit
        self.userInfo = userInfo
    }
}
