import DuramenModel

/// The elements of a ``CompositeValue``, in the order of their slots, which is by name.
public struct CompositeElements<Composite>: Sendable {
    let list: [CompositeElement<Composite>]
    /// The number of slots that the elements take, including the slots of nested composites.
    public let slotCount: Int
    /// The names of the elements by key path of the struct.
    let names: ManagedKeyPaths

    /// Creates the list from elements in any order.
    public init(_ elements: CompositeElement<Composite>...) {
        list = elements.sorted { StoredText($0.name) < StoredText($1.name) }
        slotCount = list.reduce(0) { $0 + $1.slotCount }
        var names: [AnyKeyPath: String] = [:]
        for element in elements { names[element.keyPath] = element.name }
        self.names = ManagedKeyPaths(names)
    }

    /// The descriptions of the elements in the model.
    public var descriptions: [AttributeDescription] { list.map(\.description) }
}

/// One element of a ``CompositeValue``: its description, and the property that holds it.
public struct CompositeElement<Composite>: Sendable {
    let description: AttributeDescription
    let slotCount: Int
    let keyPath: any PartialKeyPath<Composite> & Sendable
    let access: any ElementAccess<Composite>

    var name: String { description.name }

    private init<Form: ElementForm>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, Form.Value> & Sendable,
        _ form: Form, slotCount: Int = 1
    ) {
        description = form.description(name)
        self.slotCount = slotCount
        self.keyPath = keyPath
        access = FormAccess(keyPath: keyPath, form: form)
    }
}

/// Moves an element between a composite and objects, rows and coders.
protocol ElementAccess<Composite>: Sendable {
    associatedtype Composite

    func read(from object: ManagedObject, at slot: Int, into composite: inout Composite)
    func read(from reader: ValuesReader, at slot: Int, into composite: inout Composite)
    func write(_ composite: Composite, to object: ManagedObject, at slot: Int)
    func stored(_ composite: Composite) throws(CodingFailure) -> [StoredValue]
    func encode(
        _ composite: Composite, to container: inout KeyedEncodingContainer<ElementKey>,
        forKey key: ElementKey) throws
    func decode(
        from container: KeyedDecodingContainer<ElementKey>, forKey key: ElementKey,
        into composite: inout Composite) throws
}

/// The access to a property through a form.
private struct FormAccess<Composite, Form: ElementForm>: ElementAccess {
    let keyPath: any WritableKeyPath<Composite, Form.Value> & Sendable
    let form: Form

    func read(from object: ManagedObject, at slot: Int, into composite: inout Composite) {
        composite[keyPath: keyPath] = form.read(from: object, at: slot)
    }

    func read(from reader: ValuesReader, at slot: Int, into composite: inout Composite) {
        composite[keyPath: keyPath] = form.read(from: reader, at: slot)
    }

    func write(_ composite: Composite, to object: ManagedObject, at slot: Int) {
        form.write(composite[keyPath: keyPath], to: object, at: slot)
    }

    func stored(_ composite: Composite) throws(CodingFailure) -> [StoredValue] {
        try form.stored(composite[keyPath: keyPath])
    }

    func encode(
        _ composite: Composite, to container: inout KeyedEncodingContainer<ElementKey>,
        forKey key: ElementKey
    ) throws { try form.encode(composite[keyPath: keyPath], to: &container, forKey: key) }

    func decode(
        from container: KeyedDecodingContainer<ElementKey>, forKey key: ElementKey,
        into composite: inout Composite
    ) throws { composite[keyPath: keyPath] = try form.decode(from: container, forKey: key) }
}

extension CompositeElement {
    /// Describes an attribute.
    ///
    /// - Parameters:
    ///   - name: The element's name.
    ///   - keyPath: The property of the struct.
    ///   - defaultValue: The value in new objects; nil for none.
    public static func attribute<Value: AttributeValue>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, Value> & Sendable,
        default defaultValue: Value? = nil
    ) -> CompositeElement {
        CompositeElement(name, keyPath, AttributeElement(defaultValue: defaultValue))
    }

    /// Describes an optional attribute.
    ///
    /// - Parameters:
    ///   - name: The element's name.
    ///   - keyPath: The property of the struct.
    ///   - defaultValue: The value in new objects; nil for none.
    public static func attribute<Value: AttributeValue>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, Value?> & Sendable,
        default defaultValue: Value? = nil
    ) -> CompositeElement {
        CompositeElement(name, keyPath, OptionalAttributeElement(defaultValue: defaultValue))
    }

    /// Describes a composite within the composite.
    public static func composite<Value: CompositeValue>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, Value> & Sendable
    ) -> CompositeElement {
        CompositeElement(
            name, keyPath, NestedElement(), slotCount: Value.elements.slotCount)
    }

    /// Describes an optional composite within the composite.
    public static func composite<Value: CompositeValue>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, Value?> & Sendable
    ) -> CompositeElement {
        CompositeElement(
            name, keyPath, OptionalNestedElement(), slotCount: Value.elements.slotCount)
    }

    /// Describes a transformable element; see ``CodableType``.
    ///
    /// - Parameters:
    ///   - name: The element's name.
    ///   - keyPath: The property of the struct.
    ///   - identifier: The identifier of the ``CodableType``.
    ///   - initialValue: The value of the property when nothing is stored.
    ///   - defaultValue: The value in new objects; nil for none.
    public static func codable<Value: Codable & Sendable>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, Value> & Sendable,
        identifier: String, initial initialValue: Value, default defaultValue: Value? = nil
    ) -> CompositeElement {
        let form = CodableElement(
            identifier: identifier, initialValue: initialValue, defaultValue: defaultValue)
        return CompositeElement(name, keyPath, form)
    }

    /// Describes an optional transformable element.
    public static func codable<Value: Codable & Sendable>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, Value?> & Sendable,
        identifier: String
    ) -> CompositeElement {
        CompositeElement(name, keyPath, OptionalCodableElement(identifier: identifier))
    }
}
