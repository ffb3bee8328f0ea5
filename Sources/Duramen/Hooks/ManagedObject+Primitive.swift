extension ManagedObject {
    /// Returns the value of a property by name, without registering an access with the Observation
    /// framework.
    ///
    /// - Throws: The errors of ``value(forKey:)``.
    public final func primitiveValue(forKey key: String) throws -> Any? {
        try withoutTelling { try value(forKey: key) }
    }

    /// Sets an attribute by name without marking the object as changed and without notifying
    /// observers.
    ///
    /// The value is saved together with the object's next change.
    /// - Throws: The errors of ``setValue(_:forKey:)``. ``ContextError`` `.invalidRequest` for a
    ///   relationship, because its inverse must change too.
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
