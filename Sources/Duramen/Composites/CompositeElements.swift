import DuramenModel

/// The elements of a ``CompositeValue``, in the order of their slots, which is that of their names.
public struct CompositeElements<Composite>: Sendable {
    let list: [CompositeElement<Composite>]
    /// How many slots they take, those of composites within included.
    public let slotCount: Int
    /// Their names by key paths of the struct.
    let names: ManagedKeyPaths

    /// Lists the elements, in any order.
    public init(_ elements: CompositeElement<Composite>...) {
        list = elements.sorted { StoredText($0.name) < StoredText($1.name) }
        slotCount = list.reduce(0) { $0 + $1.slotCount }
        var names: [AnyKeyPath: String] = [:]
        for element in elements { names[element.keyPath] = element.name }
        self.names = ManagedKeyPaths(names)
    }

    /// The descriptions of the elements for a model.
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

/// How an element gets from a composite to objects, rows and coders, and back.
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

/// An element of one form, in one property.
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
    /// An attribute.
    ///
    /// - Parameter defaultValue: The value in new objects; nil for none.
    public static func attribute<Value: AttributeValue>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, Value> & Sendable,
        default defaultValue: Value? = nil
    ) -> CompositeElement {
        CompositeElement(name, keyPath, AttributeElement(defaultValue: defaultValue))
    }

    /// An optional attribute.
    ///
    /// - Parameter defaultValue: The value in new objects; nil for none.
    public static func attribute<Value: AttributeValue>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, Value?> & Sendable,
        default defaultValue: Value? = nil
    ) -> CompositeElement {
        CompositeElement(name, keyPath, OptionalAttributeElement(defaultValue: defaultValue))
    }

    /// A composite within the composite.
    public static func composite<Value: CompositeValue>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, Value> & Sendable
    ) -> CompositeElement {
        CompositeElement(
            name, keyPath, NestedElement(), slotCount: Value.elements.slotCount)
    }

    /// An optional composite within the composite.
    public static func composite<Value: CompositeValue>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, Value?> & Sendable
    ) -> CompositeElement {
        CompositeElement(
            name, keyPath, OptionalNestedElement(), slotCount: Value.elements.slotCount)
    }

    /// A transformable element; see ``CodableType``.
    ///
    /// - Parameters:
    ///   - initialValue: What is read when there is no value.
    ///   - defaultValue: The value in new objects; nil for none.
    public static func codable<Value: Codable & Sendable>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, Value> & Sendable,
        identifier: String, initial initialValue: Value, default defaultValue: Value? = nil
    ) -> CompositeElement {
        let form = CodableElement(
            identifier: identifier, initialValue: initialValue, defaultValue: defaultValue)
        return CompositeElement(name, keyPath, form)
    }

    /// An optional transformable element.
    public static func codable<Value: Codable & Sendable>(
        _ name: String, _ keyPath: any WritableKeyPath<Composite, Value?> & Sendable,
        identifier: String
    ) -> CompositeElement {
        CompositeElement(name, keyPath, OptionalCodableElement(identifier: identifier))
    }
}
