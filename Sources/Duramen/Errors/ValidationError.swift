public import DuramenModel

/// Everything that keeps the objects of a context from being saved. Nothing was written.
public struct ValidationError: Error, Sendable {
    /// The kind of a failure, with Core Data's numbers.
    ///
    /// Three of those do not occur. Objects with the same unique values (1551) are a
    /// ``SaveConflictError``, which can be settled; a bad date (1650) or URI (1690) is refused with
    /// ``ContextError`` `.invalidValue` where it is set.
    public enum Code: Int, Sendable, Hashable {
        /// A mandatory property has no value.
        case missingMandatoryProperty = 1570
        /// A to-many leads to fewer objects than its minimum, or a mandatory one to none.
        case tooFewObjects = 1580
        /// A to-many leads to more objects than its maximum.
        case tooManyObjects = 1590
        /// A deleted object's `deny` rule protects a destination that remains.
        case relationshipDeniedDelete = 1600
        /// A relationship leads to an object of another store.
        case relationshipAcrossStores = 133_010
        /// A rule of the application forbids the object or a value of it.
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
        /// The property's name; empty when it is about the object as a whole.
        public let property: String
        /// A description of the problem and its remedy.
        public let message: String
        /// The error that a rule of the application threw, or nil for rules of the model.
        public let cause: (any Error)?

        /// Describes a failure, for rules of the application.
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

    /// Makes an error of what rules of the application found.
    ///
    /// - Precondition: There is a failure.
    public init(failures: [Failure]) {
        precondition(!failures.isEmpty, "Duramen: a ValidationError has at least one failure.")
        self.failures = failures
    }

    /// Core Data's number: that of the failure, or 1560 for several.
    public var coreDataCode: Int { failures.count == 1 ? failures[0].code.rawValue : 1560 }
}

extension ValidationError: DescribedError {
    /// One line per failure, for the first twenty.
    public var description: String {
        "\(failures.count) validation failure\(failures.count == 1 ? "" : "s"):\n"
            + listing(failures) { "\($0)" }
    }
}
