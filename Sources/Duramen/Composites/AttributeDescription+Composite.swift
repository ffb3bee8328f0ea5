public import DuramenModel

extension AttributeDescription {
    /// Describes a composite attribute by its Swift type.
    ///
    /// - Parameter defaultValue: What new objects have; nil leaves it to the elements. An element
    ///   that cannot be stored is one that the model refuses.
    public static func composite<Value: CompositeValue>(
        _ type: Value.Type, name: String, default defaultValue: Value? = nil,
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:]
    ) -> AttributeDescription {
        var elements = Value.elements.descriptions
        if let defaultValue {
            for (index, element) in Value.elements.list.enumerated() {
                // No bytes stand for no value, so that the model refuses the default.
                let stored = (try? element.access.stored(defaultValue)) ?? [.binary(.init())]
                elements[index].setDefaults(stored[...])
            }
        }
        return .composite(
            name, elements: elements, renamingIdentifier: renamingIdentifier, userInfo: userInfo)
    }

    /// Describes an optional composite attribute by its Swift type.
    ///
    /// - Parameter defaultValue: What new objects have; nil leaves it to the elements.
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

    /// Gives the attribute, or all that a composite is made of, default values in the order of
    /// slots.
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
