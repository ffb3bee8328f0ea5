import DuramenModel

// Composite attributes by key: a dictionary of the elements with values, by name.
extension ManagedObject {
    /// Returns the elements with values; nil if there are none.
    final func dictionary(of composite: CompositeAttribute) throws -> [String: Any]? {
        guard let row else { return nil }
        for slot in composite.slots { reportRead(slot: slot) }
        var values: [String: Any] = [:]
        for element in composite.elements {
            let value: Any? =
                switch element {
                case .attribute(let attribute): try swiftValue(of: attribute, in: row)
                case .composite(let nested): try dictionary(of: nested)
                }
            if let value { values[composite.shortName(of: element)] = value }
        }
        return values.isEmpty ? nil : values
    }

    /// Sets all elements; elements that the dictionary does not contain lose their values.
    final func set(_ value: Any?, of composite: CompositeAttribute) throws {
        for (attribute, value) in try assignments(of: value, to: composite) {
            if !holds(value, at: attribute.slot) { try set(value, of: attribute) }
        }
    }

    /// Returns the value to set for each attribute of a composite. Throws if one value is invalid.
    private final func assignments(
        of value: Any?, to composite: CompositeAttribute
    ) throws -> [(Attribute, StoredValue)] {
        guard let value = value.flatMap(Self.unwrapped) else {
            return composite.attributes.map { ($0, .null) }
        }
        if let value = value as? any CompositeValue {
            return try assignments(of: value.dictionary, to: composite)
        }
        guard let values = value as? [String: Any] else {
            throw ContextError.invalidValue(
                of: composite.name, objectID: objectID,
                "is of type \(Swift.type(of: value)), not a dictionary of its elements")
        }
        var rest: [StoredText: Any] = [:]
        for (name, value) in values { rest[StoredText(name)] = value }
        var result: [(Attribute, StoredValue)] = []
        for element in composite.elements {
            let value = rest.removeValue(forKey: StoredText(composite.shortName(of: element)))
                .flatMap(Self.unwrapped)
            switch element {
            case .attribute(let attribute):
                result.append((attribute, try storedValue(value, of: attribute)))
            case .composite(let nested): result += try assignments(of: value, to: nested)
            }
        }
        if let name = rest.keys.min() { throw unknownProperty("\(composite.name).\(name)") }
        return result
    }
}

extension CompositeAttribute {
    /// An element's name without the path to it.
    fileprivate func shortName(of element: Element) -> String {
        String(decoding: element.name.utf8.dropFirst(name.utf8.count + 1), as: UTF8.self)
    }
}
