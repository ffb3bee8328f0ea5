public import DuramenModel

/// The elements of a ``CompositeValue``, in the order of their slots, which is that of their names.
public struct CompositeElements<Composite>: Sendable {
    let list: [CompositeElement<Composite>]
    /// How many slots they take, those of composites within included.
    public let slotCount: Int
    /// Their names by key paths of the struct.
    let names: ManagedKeyPaths

    /// Lists the elements, in any order.
    public init(_ elements: CompositeElement<Composite>...) {
        list = elements.sorted { StoredText($0.description.name) < StoredText($1.description.name) }
        slotCount = list.reduce(0) { $0 + $1.slotCount }
        var names: [AnyKeyPath: String] = [:]
        for element in elements { names[element.keyPath] = element.description.name }
        self.names = ManagedKeyPaths(names)
    }

    /// What a model says about them.
    public var descriptions: [AttributeDescription] { list.map(\.description) }
}

/// One element of a ``CompositeValue``: its description, and the property that holds it.
public struct CompositeElement<Composite>: Sendable {
    let description: AttributeDescription
    let slotCount: Int
    let keyPath: any PartialKeyPath<Composite> & Sendable
    /// Reads the element from an object's slots, from the given one on.
    let read: @Sendable (ManagedObject, Int, inout Composite) -> Void
    /// Writes it where it differs from what is there.
    let write: @Sendable (Composite, ManagedObject, Int) -> Void
}

extension CompositeElement {
    /// An attribute.
    ///
    /// - Parameter defaultValue: The value in new objects; nil for none.
    public static func attribute<Value: AttributeValue>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, Value> & Sendable,
        default defaultValue: Value? = nil
    ) -> CompositeElement {
        CompositeElement(
            description: .of(Value.self, name: name, default: defaultValue), slotCount: 1,
            keyPath: keyPath,
            read: { object, slot, composite in
                composite[keyPath: keyPath] = object.attribute(at: slot)
            },
            write: { composite, object, slot in
                object.setElement(composite[keyPath: keyPath], at: slot)
            })
    }

    /// An optional attribute.
    ///
    /// - Parameter defaultValue: The value in new objects; nil for none.
    public static func attribute<Value: AttributeValue>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, Value?> & Sendable,
        default defaultValue: Value? = nil
    ) -> CompositeElement {
        CompositeElement(
            description: .of(Value?.self, name: name, default: defaultValue), slotCount: 1,
            keyPath: keyPath,
            read: { object, slot, composite in
                composite[keyPath: keyPath] = object.attribute(at: slot)
            },
            write: { composite, object, slot in
                object.setElement(composite[keyPath: keyPath], at: slot)
            })
    }

    /// A composite within the composite.
    public static func composite<Value: CompositeValue>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, Value> & Sendable
    ) -> CompositeElement {
        CompositeElement(
            description: .composite(Value.self, name: name), slotCount: Value.elements.slotCount,
            keyPath: keyPath,
            read: { object, slot, composite in
                composite[keyPath: keyPath] = object.composite(at: slot)
            },
            write: { composite, object, slot in
                object.setComposite(composite[keyPath: keyPath], at: slot)
            })
    }

    /// An optional composite within the composite.
    public static func composite<Value: CompositeValue>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, Value?> & Sendable
    ) -> CompositeElement {
        CompositeElement(
            description: .composite(Value?.self, name: name), slotCount: Value.elements.slotCount,
            keyPath: keyPath,
            read: { object, slot, composite in
                composite[keyPath: keyPath] = object.composite(at: slot)
            },
            write: { composite, object, slot in
                object.setComposite(composite[keyPath: keyPath], at: slot)
            })
    }

    /// A transformable element; see ``CodableType``.
    ///
    /// - Parameter defaultValue: The value in new objects, and what is read when there is none.
    public static func codable<Value: Codable & Sendable>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, Value> & Sendable,
        identifier: String, default defaultValue: Value
    ) -> CompositeElement {
        CompositeElement(
            description: .codable(
                Value.self, name: name, identifier: identifier, default: defaultValue),
            slotCount: 1, keyPath: keyPath,
            read: { object, slot, composite in
                composite[keyPath: keyPath] = object.codable(at: slot, default: defaultValue)
            },
            write: { composite, object, slot in
                object.setCodable(composite[keyPath: keyPath], at: slot)
            })
    }

    /// An optional transformable element.
    public static func codable<Value: Codable & Sendable>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, Value?> & Sendable,
        identifier: String
    ) -> CompositeElement {
        CompositeElement(
            description: .codable(Value?.self, name: name, identifier: identifier),
            slotCount: 1, keyPath: keyPath,
            read: { object, slot, composite in
                composite[keyPath: keyPath] = object.codable(at: slot)
            },
            write: { composite, object, slot in
                object.setCodable(composite[keyPath: keyPath], at: slot)
            })
    }
}

extension AttributeDescription {
    /// Describes a composite attribute by its Swift type.
    public static func composite<Value: CompositeValue>(
        _ type: Value.Type, name: String, renamingIdentifier: String? = nil,
        userInfo: [String: String] = [:]
    ) -> AttributeDescription {
        .composite(
            name, elements: Value.elements.descriptions, renamingIdentifier: renamingIdentifier,
            userInfo: userInfo)
    }

    /// Describes an optional composite attribute by its Swift type.
    public static func composite<Value: CompositeValue>(
        _ type: Value?.Type, name: String, renamingIdentifier: String? = nil,
        userInfo: [String: String] = [:]
    ) -> AttributeDescription {
        .composite(
            name, isOptional: true, elements: Value.elements.descriptions,
            renamingIdentifier: renamingIdentifier, userInfo: userInfo)
    }
}
