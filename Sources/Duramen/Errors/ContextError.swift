public import DuramenModel

/// An error of a context or container.
public struct ContextError: Error, Sendable {
    /// The kind of the error: an open set with stable spellings, headings in `docs/errors.md`.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable spelling.
        public let rawValue: String

        /// Creates a code from its spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The object is not, or no longer, in the store.
        public static let objectNotFound = Code(rawValue: "objectNotFound")
        /// The model has no entity or property of that name.
        public static let unknownName = Code(rawValue: "unknownName")
        /// A value does not match its property.
        public static let invalidValue = Code(rawValue: "invalidValue")
        /// An object, stored or in a batch insertion, has no value for a mandatory property.
        public static let missingMandatoryValue = Code(rawValue: "missingMandatoryValue")
        /// The stored value of a transformable attribute cannot be decoded as its type.
        public static let damagedValue = Code(rawValue: "damagedValue")
        /// A request does not match the model or the context.
        public static let invalidRequest = Code(rawValue: "invalidRequest")
        /// The container does not have the store, or no longer has it.
        public static let unknownStore = Code(rawValue: "unknownStore")
        /// The container has the store already.
        public static let duplicateStore = Code(rawValue: "duplicateStore")
        /// The store of the object was removed from the container.
        public static let storeRemoved = Code(rawValue: "storeRemoved")
        /// A property that is not in memory was read where loading faults is forbidden.
        public static let faultingForbidden = Code(rawValue: "faultingForbidden")
        /// A closure made more round trips to the store than allowed.
        public static let tooManyRoundTrips = Code(rawValue: "tooManyRoundTrips")

        /// Objects kept changing each other or themselves in `willSave` without end.
        public static let unsettledSave = Code(rawValue: "unsettledSave")

        /// Undo groups or disabled registrations are not balanced, or an open group prevents the
        /// call.
        public static let unbalancedUndo = Code(rawValue: "unbalancedUndo")

        /// Core Data's number for the nearest error.
        public var coreDataCode: Int {
            switch self {
            case .objectNotFound: 133_000
            case .invalidValue: 1550
            case .missingMandatoryValue: 1570
            default: 134_060
            }
        }
    }

    /// The kind of the error.
    public let code: Code
    /// A description of the problem and its remedy. It never contains a stored value.
    public let message: String
    /// The object that the error is about; nil if it is not about a single object.
    public let objectID: ManagedObjectID?

    /// Creates an error.
    public init(_ code: Code, _ message: String, objectID: ManagedObjectID? = nil) {
        self.code = code
        self.message = message
        self.objectID = objectID
    }

    static func objectNotFound(_ id: ManagedObjectID) -> ContextError {
        ContextError(
            .objectNotFound,
            "\(id) is not in the store; it was deleted or never saved. Fetch again.", objectID: id)
    }

    /// Returns the error for a write to an object whose deletion was saved.
    static func objectNotFound(
        _ id: ManagedObjectID, writing property: String
    ) -> ContextError {
        ContextError(
            .objectNotFound,
            "'\(id.entityName).\(property)' of \(id) was changed after the object's deletion was saved, so the "
                + "change is lost. Look at isGone before writing, or insert a new object.",
            objectID: id)
    }

    /// Returns the error for a relationship set to an object whose deletion was saved.
    static func objectNotFound(
        _ id: ManagedObjectID, asDestinationOf property: String, of source: ManagedObjectID
    ) -> ContextError {
        ContextError(
            .objectNotFound,
            "'\(source.entityName).\(property)' of \(source) was to lead to \(id), whose deletion was saved, so the "
                + "change is lost. Look at isGone before, or insert a new object.",
            objectID: id)
    }

    static func faultingForbidden(
        of object: ManagedObject, _ propertyName: String?
    ) -> ContextError {
        let property = propertyName.map { "'\(object.entity.name).\($0)' of " } ?? ""
        return ContextError(
            .faultingForbidden,
            "\(property)\(object.objectID) is not in memory, and faults are forbidden here. Prefetch it, or "
                + "read it before.", objectID: object.objectID)
    }

    static func tooManyRoundTrips(_ trips: [RoundTrip], limit: Int) -> ContextError {
        ContextError(
            .tooManyRoundTrips,
            "There were \(trips.count) trips to the store where at most \(limit) may be: \(trips.summary). "
                + "Prefetch what is read one by one.")
    }

    static func damagedValue(
        of property: String, _ objectID: ManagedObjectID, _ failure: CodingFailure
    ) -> ContextError {
        ContextError(
            .damagedValue,
            "The stored value of '\(objectID.entityName).\(property)' of \(objectID) "
                + "\(failure.problem). Restore a copy, or assign another value.",
            objectID: objectID)
    }

    static func invalidValue(
        of property: String, objectID: ManagedObjectID, _ problem: String
    ) -> ContextError {
        ContextError(
            .invalidValue,
            "The value for '\(objectID.entityName).\(property)' of \(objectID) \(problem); the old "
                + "value was kept. Assign another one.", objectID: objectID)
    }

    static func missingMandatoryValue(
        of property: String, objectID: ManagedObjectID
    ) -> ContextError {
        ContextError(
            .missingMandatoryValue,
            "'\(objectID.entityName).\(property)' of \(objectID) has no value, although it is mandatory. "
                + "Give it one, or fetch optional values, which are nil for such objects.",
            objectID: objectID)
    }

    static func invalidStoredValue(
        of property: String, objectID: ManagedObjectID
    ) -> ContextError {
        ContextError(
            .invalidValue,
            "The stored value of '\(objectID.entityName).\(property)' of \(objectID) does not have the "
                + "property's type. Assign another one, or fetch optional values, which are nil for such "
                + "objects.", objectID: objectID)
    }
}

extension ContextError: DescribedError {
    /// The message and the code.
    public var description: String { "\(message) [\(code.rawValue)]" }
}
