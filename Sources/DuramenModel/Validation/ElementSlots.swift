/// Numbers the slots of one attribute: one, or those of all elements of a composite.
///
/// The slots of a composite are neighbours, in the order of its elements' names, so that an
/// accessor finds all of them from the first.
struct ElementSlots {
    private let first: Int
    private let entity: EntityID
    private let transformers: ValueTransformers
    /// The attributes that have slots, in their order.
    private(set) var attributes: [Attribute] = []

    /// - Parameter first: The next free slot.
    init(first: Int, entity: EntityID, transformers: ValueTransformers) {
        self.first = first
        self.entity = entity
        self.transformers = transformers
    }

    /// Adds an attribute, which has passed all checks before.
    ///
    /// - Returns: The composite; nil for any other attribute.
    mutating func add(_ description: AttributeDescription) -> CompositeAttribute? {
        let element = add(description, in: nil, mayBeNull: false)
        if case .composite(let composite)? = element { return composite }
        return nil
    }

    /// - Parameters:
    ///   - path: The name of the composite around it, and its name in an earlier version.
    ///   - mayBeNull: Whether a composite around it is optional.
    private mutating func add(
        _ description: AttributeDescription, in path: (name: String, earlier: String?)?,
        mayBeNull: Bool
    ) -> CompositeAttribute.Element? {
        let name = path.map { "\($0.name).\(description.name)" } ?? description.name
        let earlier = Self.earlierName(of: description, in: path)
        if description.type == .composite {
            let start = first + attributes.count
            var elements: [CompositeAttribute.Element] = []
            for element in description.elements.sorted(by: {
                StoredText($0.name) < StoredText($1.name)
            }) {
                let added = add(
                    element, in: (name, earlier), mayBeNull: mayBeNull || description.isOptional)
                if let added { elements.append(added) }
            }
            return .composite(
                CompositeAttribute(
                    name: name, isOptional: description.isOptional, elements: elements,
                    slots: start..<(first + attributes.count), declaringEntity: entity,
                    renamingIdentifier: earlier, userInfo: description.userInfo))
        }
        guard let kind = SlotKind(description.type) else { return nil }
        let codableType = description.codableType?.transformed(
            by: description.valueTransformerName.flatMap { transformers[$0] })
        func attribute(isOptional: Bool) -> Attribute {
            Attribute(
                name: name, type: description.type, isOptional: isOptional,
                defaultValue: codableType?.transformed(description.defaultValue)
                    ?? description.type.stored(description.defaultValue),
                slot: first + attributes.count, kind: kind, declaringEntity: entity,
                allowsExternalBinaryDataStorage: description.allowsExternalBinaryDataStorage,
                preservesValueInHistoryOnDeletion: description.preservesValueInHistoryOnDeletion,
                isConfidential: description.isConfidential,
                derivation: description.derivationExpression.flatMap(DerivationExpression.init),
                codableType: codableType, valueTransformerName: description.valueTransformerName,
                renamingIdentifier: earlier, userInfo: description.userInfo,
                rules: description.rules)
        }
        let declared = attribute(isOptional: description.isOptional)
        attributes.append(attribute(isOptional: description.isOptional || mayBeNull))
        return .attribute(declared)
    }

    /// The path in an earlier version of the model, if it or a composite around it had another
    /// name.
    private static func earlierName(
        of description: AttributeDescription, in path: (name: String, earlier: String?)?
    ) -> String? {
        guard let path else { return description.renamingIdentifier }
        guard path.earlier != nil || description.renamingIdentifier != nil else { return nil }
        return (path.earlier ?? path.name) + "."
            + (description.renamingIdentifier ?? description.name)
    }
}

extension CodableType {
    /// A default value in the form of the transformer; nil when there is nothing to transform.
    fileprivate func transformed(_ value: StoredValue) -> StoredValue? {
        guard isTransformed, case .binary(let data) = value, let value = try? self.value(of: data),
            let data = try? self.data(of: value)
        else { return nil }
        return .binary(data)
    }
}
