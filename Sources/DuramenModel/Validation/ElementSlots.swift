/// Numbers the slots of one attribute: one slot, or the slots of all elements of a composite.
///
/// The slots of a composite are adjacent, in the order of its elements' names. An accessor can
/// therefore find all of them from the first.
struct ElementSlots {
    private let first: Int
    private let entity: EntityID
    private let transformers: ValueTransformers
    /// The attributes that have slots, in the order of their slots.
    private(set) var attributes: [Attribute] = []

    /// Creates a numbering without attributes.
    ///
    /// - Parameters:
    ///   - first: The next free slot.
    ///   - entity: The entity that declares the attribute.
    ///   - transformers: The transformers of the model.
    init(first: Int, entity: EntityID, transformers: ValueTransformers) {
        self.first = first
        self.entity = entity
        self.transformers = transformers
    }

    /// Adds an attribute that has passed all checks.
    ///
    /// - Returns: The composite; nil for any other attribute.
    mutating func add(_ description: AttributeDescription) -> CompositeAttribute? {
        let element = add(description, in: nil, mayBeNull: false)
        if case .composite(let composite)? = element { return composite }
        return nil
    }

    /// Adds an attribute or an element.
    ///
    /// - Parameters:
    ///   - description: The attribute or element.
    ///   - path: The name of the composite around it, and that composite's name in an earlier
    ///     version.
    ///   - mayBeNull: Whether a composite around it is optional.
    /// - Returns: The element; nil if its type has no slot.
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

    /// Returns the path in an earlier version of the model; nil if neither the attribute nor a
    /// composite around it was renamed.
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
    /// Returns a default value in the form of the transformer; nil if it needs no transformation.
    fileprivate func transformed(_ value: StoredValue) -> StoredValue? {
        guard isTransformed, case .binary(let data) = value, let value = try? self.value(of: data),
            let data = try? self.data(of: value)
        else { return nil }
        return .binary(data)
    }
}
