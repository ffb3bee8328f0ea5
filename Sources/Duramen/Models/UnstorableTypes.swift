import DuramenModel

// Types that a property of a managed class cannot have as it is declared. Only the compiler knows
// the conformances of a type, so `@Managed` cannot report these mistakes. The generated getter
// calls one of the functions below, and its message is the only error. All other generated code of
// the property calls the functions in "Unstorable types elsewhere", which add no error.

extension ManagedObject {
    /// Rejects a managed class.
    @available(
        *, unavailable,
        message:
            "the type of this property is a managed class, so the property is a relationship. Mark it '@Relationship'"
    )
    public final func attribute<Value: ManagedObject>(at slot: Int) -> Value? { fatalError() }

    /// Rejects a managed class that is not optional.
    @available(
        *, unavailable,
        message:
            "the type of this property is a managed class, so the property is a relationship. Mark it '@Relationship' and make its type optional"
    )
    public final func attribute<Value: ManagedObject>(at slot: Int) -> Value { fatalError() }

    /// Rejects an enumeration that does not conform to `AttributeValue`.
    @available(
        *, unavailable,
        message:
            "the type of this property has raw values and does not conform to 'AttributeValue'. Add 'AttributeValue' to its declaration; it needs no other code"
    )
    public final func attribute<Value: RawRepresentable>(at slot: Int) -> Value { fatalError() }

    /// Rejects an optional enumeration that does not conform to `AttributeValue`.
    @available(
        *, unavailable,
        message:
            "the type of this property has raw values and does not conform to 'AttributeValue'. Add 'AttributeValue' to its declaration; it needs no other code"
    )
    public final func attribute<Value: RawRepresentable>(at slot: Int) -> Value? { fatalError() }

    /// Rejects a codable type if the property does not specify how to store it.
    @available(
        *, unavailable,
        message:
            "the type of this property is Codable, and the property does not say how to store it. Mark the property '@Attribute(.codable(\"Name\"))' to store JSON, or the struct '@Composite' and the property '@Attribute(.composite)' to store its parts"
    )
    @_disfavoredOverload
    public final func attribute<Value: Codable>(at slot: Int) -> Value { fatalError() }

    /// Rejects any other type.
    @available(
        *, unavailable,
        message:
            "the type of this property cannot be stored. Use a number, Bool, String, Date, Data, UUID, URL, Decimal, or an enumeration that conforms to 'AttributeValue'. Mark a property of a Codable type '@Attribute(.codable(\"Name\"))'. '@Attribute(.transient)' keeps a value of any type in memory only"
    )
    @_disfavoredOverload
    public final func attribute<Value>(at slot: Int) -> Value { fatalError() }
}

extension CompositeElement {
    /// Rejects a type that an element cannot have.
    @available(
        *, unavailable,
        message:
            "the type of this element cannot be stored. Use a number, Bool, String, Date, Data, UUID, URL, Decimal, or an enumeration that conforms to 'AttributeValue'. Mark an element of a Codable type '@Attribute(.codable(\"Name\"))', and another composite '@Attribute(.composite)'"
    )
    @_disfavoredOverload
    public static func attribute<Value>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, Value> & Sendable
    ) -> CompositeElement { fatalError() }
}

// MARK: - Unstorable types elsewhere

// A program that calls one of these has the error above, and so does not run.

extension ManagedObject {
    /// Accepts a type that the property's getter rejects.
    @_disfavoredOverload
    public final func setAttribute<Value>(_ value: Value, at slot: Int) { refuseType() }
}

extension AttributeDescription {
    /// Accepts a type that the property's getter rejects.
    @_disfavoredOverload
    public static func of<Value>(
        _ type: Value.Type, name: String, default defaultValue: Value? = nil,
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:]
    ) -> AttributeDescription { refuseType() }
}

extension ValuesReader {
    /// Accepts a type that the property's getter rejects.
    @_disfavoredOverload
    public func attribute<Value>(at slot: Int) -> Value { refuseType() }
}

extension ValuesWriter {
    /// Accepts a type that the property's getter rejects.
    @_disfavoredOverload
    public func set<Value>(_ value: Value, at slot: Int) { refuseType() }
}

extension ManagedValues {
    /// Accepts a type that the property's getter rejects.
    @_disfavoredOverload
    public static func isSame<Value>(_ a: Value, _ b: Value) -> Bool { refuseType() }

    /// Accepts a type that the property's getter rejects.
    @_disfavoredOverload
    public static func hash<Value>(_ value: Value, into hasher: inout Hasher) { refuseType() }

    /// Accepts a type that the property's getter rejects.
    @_disfavoredOverload
    public static func encode<Value, Key: CodingKey>(
        _ value: Value, to container: inout KeyedEncodingContainer<Key>, forKey key: Key
    ) throws { refuseType() }

    /// Accepts a type that the property's getter rejects.
    @_disfavoredOverload
    public static func decode<Value, Key: CodingKey>(
        _ type: Value.Type, from container: KeyedDecodingContainer<Key>, forKey key: Key
    ) throws -> Value { refuseType() }

    /// Accepts a type that the property's getter rejects.
    @_disfavoredOverload
    public static func decodeIfPresent<Value, Key: CodingKey>(
        _ type: Value.Type, from container: KeyedDecodingContainer<Key>, forKey key: Key
    ) throws -> Value? { refuseType() }
}

private func refuseType(_ function: StaticString = #function) -> Never {
    fatalError("Duramen: \(function) was called with a type that attributes cannot have.")
}
