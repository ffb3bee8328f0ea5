import Foundation

/// Checks whether stores can keep each attribute and relationship as it is described.
struct PropertyChecks {
    private(set) var mistakes: [ModelError.Mistake] = []
    /// The types of the transformable attributes checked so far, by their identifiers.
    var codableTypes: [StoredText: CodableType] = [:]

    let transformers: ValueTransformers

    init(_ descriptions: [EntityDescription], _ transformers: ValueTransformers) {
        self.transformers = transformers
        for description in descriptions {
            for attribute in description.attributes { check(attribute, in: description.name) }
            for relationship in description.relationships {
                check(relationship, in: description.name)
            }
        }
    }

    mutating func check(_ attribute: AttributeDescription, in entity: String) {
        if let problem = attribute.problemWithDerivation {
            note(.invalidDerivation, entity, attribute.name, problem)
        }
        if checkComposite(attribute, in: entity) || checkTransformable(attribute, in: entity) {
            return
        }
        if attribute.type == .undefined, attribute.isTransient {
            if let problem = attribute.problemWithRules {
                note(.invalidRule, entity, attribute.name, problem)
            }
            if !attribute.defaultValue.isNull {
                note(
                    .invalidDefault, entity, attribute.name,
                    "an attribute of undefined type has no default value; take it away.")
            }
            return
        }
        guard AttributeType.supported.contains(attribute.type) else {
            note(
                .unsupported, entity, attribute.name,
                attribute.type == .undefined
                    ? "an attribute that is stored has a type; give it one, or make it transient."
                    : "attributes of type \(attribute.type) are not supported yet.")
            return
        }
        if attribute.allowsExternalBinaryDataStorage,
            attribute.isTransient || SlotKind(attribute.type) != .binary
        {
            note(
                .unsupported, entity, attribute.name,
                "only stored attributes with binary values may have files of their own; take "
                    + "allowsExternalBinaryDataStorage away.")
        }
        if let problem = attribute.type.problem(with: attribute.defaultValue) {
            note(
                .invalidDefault, entity, attribute.name,
                "its default value \(problem); correct the default.")
        }
        if let problem = attribute.problemWithRules {
            note(.invalidRule, entity, attribute.name, problem)
        }
    }

    private mutating func check(_ relationship: RelationshipDescription, in entity: String) {
        if relationship.isOrdered, !relationship.isToMany {
            note(
                .invalidCount, entity, relationship.name,
                "a to-one has at most one object, so it cannot be ordered; remove the order.")
        }
        if let problem = relationship.problemWithCounts {
            note(.invalidCount, entity, relationship.name, problem)
        }
    }

    mutating func note(
        _ code: ModelError.Code, _ entity: String, _ property: String, _ message: String
    ) {
        mistakes.append(.init(code, entity: entity, property: property, message))
    }
}

extension AttributeDescription {
    fileprivate var problemWithDerivation: String? {
        guard let derivationExpression else { return nil }
        if isTransient || type == .composite || allowsExternalBinaryDataStorage {
            return
                "a derived attribute is stored as one value in its row; make it neither transient nor a composite, "
                + "without files of its own."
        }
        if DerivationExpression(derivationExpression) != nil { return nil }
        return
            "'\(derivationExpression)' does not have a known form; write path, uppercase:(path), lowercase:(path), "
            + "canonical:(path), localized:(path), toMany.@count, toMany.attribute.@sum or now()."
    }
}

extension RelationshipDescription {
    fileprivate var problemWithCounts: String? {
        if !isToMany {
            return minimumCount == 0 && maximumCount == nil
                ? nil : "a to-one has at most one object; remove its counts."
        }
        if minimumCount < 0 { return "its minimum count is negative; give 0 or more." }
        guard let maximumCount, maximumCount < max(minimumCount, 1) else { return nil }
        return "its maximum count is below \(max(minimumCount, 1)); raise it, or give none."
    }
}

extension AttributeType {
    /// Returns the value as attributes of this type store it. A double is rounded once to the
    /// nearest float, so that a predicate finds the value that the property has.
    public func stored(_ value: StoredValue) -> StoredValue {
        guard self == .float, case .double(let number) = value else { return value }
        return .double(Double(Float(number)))
    }

    /// Returns why `value` cannot be stored in an attribute of this type, or nil if it fits. The
    /// text is the end of a sentence and contains no values. Null fits every type.
    public func problem(with value: StoredValue) -> String? {
        switch (self, value) {
        case (_, .null): nil
        case (.integer16, .integer(let number)):
            Int16(exactly: number) == nil ? "is out of the range of 16 bits" : nil
        case (.integer32, .integer(let number)):
            Int32(exactly: number) == nil ? "is out of the range of 32 bits" : nil
        case (.integer64, .integer), (.string, .text), (.boolean, .boolean),
            (.binaryData, .binary), (.transformable, .binary), (.uuid, .uuid):
            nil
        case (.double, .double(let number)): number.isNaN ? "is not a number" : nil
        case (.float, .double(let number)):
            if number.isNaN {
                "is not a number"
            } else if number.isFinite, Float(number).isInfinite {
                "is out of the range of 32 bits"
            } else {
                nil
            }
        case (.decimal, .decimal(let number)): number.isNaN ? "is not a number" : nil
        case (.date, .date(let date)):
            date.timeIntervalSinceReferenceDate.isNaN ? "is not a point in time" : nil
        case (.uri, .uri(let text)):
            URL(string: text.string) == nil ? "is not a valid URI" : nil
        default: "is of another type than \(self)"
        }
    }
}
