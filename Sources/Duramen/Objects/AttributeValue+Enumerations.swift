public import DuramenModel

// Enumerations with raw values, with or without a list of their cases.
extension AttributeValue where Self: RawRepresentable, RawValue: AttributeValue {
    /// The raw value's type.
    @inlinable public static var attributeType: AttributeType { RawValue.attributeType }
    /// Reads the raw value and returns the value for it; the first case for null and for unknown
    /// raw values.
    public static func read(from slot: AttributeReader) -> Self {
        let raw = RawValue.read(from: slot)
        if slot.isNull { return firstCase(orOf: raw) }
        if let value = Self(rawValue: raw) { return value }
        slot.reportUnrepresentable()
        return firstCase(orOf: raw)
    }
    /// Writes the raw value.
    public func write(to slot: AttributeWriter) { rawValue.write(to: slot) }
    /// Creates the value for a stored raw value; nil if the type has no such value.
    public init?(storedValue value: StoredValue) {
        guard let raw = RawValue(storedValue: value) else { return nil }
        self.init(rawValue: raw)
    }

    /// Returns the first case of an enumeration; for a struct, the value for the raw value.
    private static func firstCase(orOf raw: RawValue) -> Self {
        if let type = Self.self as? any CaseIterable.Type, let first = first(of: type) as? Self {
            return first
        }
        if !_isPOD(Self.self) {
            if let value = Self(rawValue: raw) { return value }
            fatalError(
                "Duramen: a raw value is stored that '\(Self.self)' does not take. Write read(from:) for it, and "
                    + "return a value of your choice there.")
        }
        // Cases are numbered from 0 in the order of their declaration.
        return withUnsafeTemporaryAllocation(of: Self.self, capacity: 1) { memory in
            // Sound: a type without references can be moved whatever its bits are, and zeros are a
            // case.
            UnsafeMutableRawBufferPointer(memory).initializeMemory(as: UInt8.self, repeating: 0)
            return memory.moveElement(from: 0)
        }
    }
}

private func first<Value: CaseIterable>(of type: Value.Type) -> Any? { type.allCases.first }
