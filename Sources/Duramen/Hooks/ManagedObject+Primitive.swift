extension ManagedObject {
    /// Reads a property by its name, without telling the Observation framework.
    ///
    /// - Throws: As ``value(forKey:)``.
    public final func primitiveValue(forKey key: String) throws -> Any? {
        try withoutTelling { try value(forKey: key) }
    }

    /// Changes an attribute by its name without making the object a changed one, and without
    /// telling anybody.
    ///
    /// The value is saved when something else of the object is.
    /// - Throws: As ``setValue(_:forKey:)``; ``ContextError`` `.invalidRequest` for a relationship,
    ///   which has another side.
    public final func setPrimitiveValue(_ value: Any?, forKey key: String) throws {
        if case .relationship? = entity.property(named: key) {
            throw ContextError(
                .invalidRequest,
                "'\(entity.name).\(key)' is a relationship, whose other side must change with it. Use "
                    + "setValue(_:forKey:).", objectID: objectID)
        }
        try withoutTelling {
            try withoutNotingChanges { try setValue(value, forKey: key) }
        }
    }

    private final func withoutTelling<Result>(_ body: () throws -> Result) rethrows -> Result {
        recordWriteToIndexed()
        let told = flags.intersection([.observed, .tellsWrites])
        flags.subtract(told)
        defer { flags.formUnion(told) }
        return try body()
    }
}
