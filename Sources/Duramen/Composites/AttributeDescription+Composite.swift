public import DuramenModel

extension AttributeDescription {
    /// Describes a composite attribute by its Swift type.
    ///
    /// - Parameters:
    ///   - type: The struct.
    ///   - name: The attribute's name.
    ///   - defaultValue: The value in new objects; nil uses the defaults of the elements. The model
    ///     rejects a default with an element that cannot be stored.
    ///   - renamingIdentifier: The name in an earlier model version; nil if it did not change.
    ///   - userInfo: Values of your own.
    public static func composite<Value: CompositeValue>(
        _ type: Value.Type, name: String, default defaultValue: Value? = nil,
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:]
    ) -> AttributeDescription {
        var elements = Value.elements.descriptions
        if let defaultValue {
            for (index, element) in Value.elements.list.enumerated() {
                // An empty binary value has the wrong type, so the model rejects the default.
                let stored = (try? element.access.stored(defaultValue)) ?? [.binary(.init())]
                elements[index].setDefaults(stored[...])
            }
        }
        return .composite(
            name, elements: elements, renamingIdentifier: renamingIdentifier, userInfo: userInfo)
    }

    /// Describes an optional composite attribute by its Swift type.
    ///
    /// - Parameters:
    ///   - type: The optional struct.
    ///   - name: The attribute's name.
    ///   - defaultValue: The value in new objects; nil uses the defaults of the elements.
    ///   - renamingIdentifier: The name in an earlier model version; nil if it did not change.
    ///   - userInfo: Values of your own.
    public static func composite<Value: CompositeValue>(
        _ type: Value?.Type, name: String, default defaultValue: Value? = nil,
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:]
    ) -> AttributeDescription {
        var description = composite(
            Value.self, name: name, default: defaultValue, renamingIdentifier: renamingIdentifier,
            userInfo: userInfo)
        description.isOptional = true
        return description
    }

    /// Sets the default value of the attribute, or of all elements of a composite in slot order.
    private mutating func setDefaults(_ values: ArraySlice<StoredValue>) {
        guard type == .composite else { return defaultValue = values.first ?? .null }
        var rest = values
        for index in elements.indices {
            let count = elements[index].slotCount
            elements[index].setDefaults(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
    }

    private var slotCount: Int {
        type == .composite ? elements.reduce(0) { $0 + $1.slotCount } : 1
    }
}
