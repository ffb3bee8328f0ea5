public import DuramenModel

/// One time that a context went to its store, as ``ManagedObjectContext/faulting(_:_:)`` reports it
/// and ``ManagedObjectContext/expectRoundTrips(atMost:_:)`` counts it.
public struct RoundTrip: Sendable, Hashable {
    /// Why a context went to its store: an open set.
    public struct Reason: RawRepresentable, Sendable, Hashable {
        /// The stable spelling, as descriptions show it.
        public let rawValue: String

        /// Names a reason.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A fetch, a count, or a fetch of IDs.
        public static let fetch = Reason(rawValue: "fetch")
        /// A property was read of an object that is not in memory, or a to-many whose members are
        /// not known.
        public static let fault = Reason(rawValue: "fault")
        /// A fetch also loaded related objects.
        public static let prefetch = Reason(rawValue: "prefetch")
        /// A lazy result was walked into a batch that is not in memory.
        public static let batch = Reason(rawValue: "batch")
        /// An object was looked up by its ID.
        public static let lookUp = Reason(rawValue: "lookUp")
        /// Values were reloaded.
        public static let refresh = Reason(rawValue: "refresh")
        /// Changes were saved.
        public static let save = Reason(rawValue: "save")
    }

    /// Why the context went there.
    public let reason: Reason
    /// The entity of the objects; empty for a save.
    public let entityName: String
    /// The property that was read, or prefetched; nil where it is not one.
    public let propertyName: String?
    /// The object that was asked; nil where it is not one.
    public let objectID: ManagedObjectID?
    /// How many objects were asked for; 0 where that is not known before.
    public let objectCount: Int

    init(
        _ reason: Reason, _ entityName: String, _ propertyName: String? = nil,
        _ objectID: ManagedObjectID? = nil, _ objectCount: Int = 0
    ) {
        self.reason = reason
        self.entityName = entityName
        self.propertyName = propertyName
        self.objectID = objectID
        self.objectCount = objectCount
    }

    /// What the trips of one place in a program have in common.
    fileprivate var site: String {
        let path = [entityName, propertyName ?? ""].filter { !$0.isEmpty }.joined(separator: ".")
        return path.isEmpty ? reason.rawValue : "\(reason.rawValue) of '\(path)'"
    }
}

extension RoundTrip: CustomStringConvertible {
    /// The reason, the property, and how many objects; never a value.
    public var description: String {
        objectCount > 1 ? "\(site), \(objectCount) objects" : site
    }
}

extension [RoundTrip] {
    /// The trips by place, most frequent first, such as `500 × fault of 'Region.name', 1 × fetch of
    /// 'Quake'`.
    var summary: String {
        Dictionary(grouping: self, by: \.site)
            .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
            .map { "\($0.value.count) × \($0.key)" }.joined(separator: ", ")
    }
}
