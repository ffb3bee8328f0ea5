public import DuramenModel

extension AttributeValue
where Self: RawRepresentable & CaseIterable, RawValue: AttributeValue {
    /// The raw value's.
    @inlinable public static var attributeType: AttributeType { RawValue.attributeType }
    /// Reads the raw value and makes this one of it; the first case for null and for unknown values.
    public static func read(from slot: AttributeReader) -> Self {
        if let value = Self(rawValue: RawValue.read(from: slot)), !slot.isNull { return value }
        if !slot.isNull { slot.reportUnrepresentable() }
        // A type whose values are read has at least one.
        return allCases.first!
    }
    /// Writes the raw value.
    public func write(to slot: AttributeWriter) { rawValue.write(to: slot) }
    /// Takes a raw value that is one of this type's.
    public init?(storedValue value: StoredValue) {
        guard let raw = RawValue(storedValue: value) else { return nil }
        self.init(rawValue: raw)
    }
}
