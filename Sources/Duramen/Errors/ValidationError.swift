public import DuramenModel

/// All validation failures that prevent a save. Nothing was written.
public struct ValidationError: Error, Sendable {
    /// The kind of a failure, with Core Data's numbers.
    ///
    /// Three of Core Data's codes do not occur. Duplicate unique values (1551) are a
    /// ``SaveConflictError``, which can be settled. An invalid date (1650) or URI (1690) is
    /// rejected with ``ContextError`` `.invalidValue` when it is set.
    public enum Code: Int, Sendable, Hashable {
        /// A mandatory property has no value.
        case missingMandatoryProperty = 1570
        /// A to-many has fewer members than its minimum, or a mandatory one has none.
        case tooFewObjects = 1580
        /// A to-many has more members than its maximum.
        case tooManyObjects = 1590
        /// A deleted object's `deny` rule protects a destination that remains.
        case relationshipDeniedDelete = 1600
        /// A relationship refers to an object of another store.
        case relationshipAcrossStores = 133_010
        /// A rule of the application rejects the object or one of its values.
        case invalidValue = 1550
        /// A number is above the attribute's maximum.
        case numberTooLarge = 1610
        /// A number is below the attribute's minimum.
        case numberTooSmall = 1620
        /// A date is after the attribute's maximum.
        case dateTooLate = 1630
        /// A date is before the attribute's minimum.
        case dateTooSoon = 1640
        /// A text has more Unicode scalars than the attribute's maximum length.
        case stringTooLong = 1660
        /// A text has fewer Unicode scalars than the attribute's minimum length.
        case stringTooShort = 1670
        /// A text does not match the attribute's pattern.
        case stringPatternMatching = 1680
    }

    /// One failure.
    public struct Failure: Sendable, CustomStringConvertible {
        /// The kind of the failure.
        public let code: Code
        /// The object.
        public let objectID: ManagedObjectID
        /// The property's name; empty for a failure of the whole object.
        public let property: String
        /// A description of the problem and its remedy.
        public let message: String
        /// The error that a rule of the application threw; nil for rules of the model.
        public let cause: (any Error)?

        /// Creates a failure, for rules of the application.
        public init(
            code: Code = .invalidValue, objectID: ManagedObjectID, property: String = "",
            message: String, cause: (any Error)? = nil
        ) {
            self.code = code
            self.objectID = objectID
            self.property = property
            self.message = message
            self.cause = cause
        }

        /// The object, the property and the message in one line.
        public var description: String {
            "\(objectID)\(property.isEmpty ? "" : ".\(property)"): \(message) [\(code.rawValue)]"
        }
    }

    /// All failures; never empty.
    public let failures: [Failure]

    /// Creates an error from failures of the application's rules.
    ///
    /// - Precondition: `failures` is not empty.
    public init(failures: [Failure]) {
        precondition(!failures.isEmpty, "Duramen: a ValidationError has at least one failure.")
        self.failures = failures
    }

    /// Core Data's number: the number of a single failure, or 1560 for several.
    public var coreDataCode: Int { failures.count == 1 ? failures[0].code.rawValue : 1560 }
}

extension ValidationError: DescribedError {
    /// One line per failure, for the first twenty.
    public var description: String {
        "\(failures.count) validation failure\(failures.count == 1 ? "" : "s"):\n"
            + listing(failures) { "\($0)" }
    }
}
