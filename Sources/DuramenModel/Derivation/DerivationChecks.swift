/// Finds derived attributes whose expressions cannot be computed.
///
/// It works on descriptions, so that it also finds mistakes in models that have other mistakes.
struct DerivationChecks {
    private(set) var mistakes: [ModelError.Mistake] = []
    private let descriptions: [EntityDescription]
    private let properties: DeclaredProperties
    /// Returns the place of an entity; nil if the entity is missing or declared twice.
    private let place: (String) -> Int?
    /// Whether everything that an entity inherits is known, by entity.
    private let isKnown: [Bool]

    /// Checks the derived attributes of all entities.
    ///
    /// - Complexity: O(*n* log *n*) in the number of names in the paths.
    init(
        _ descriptions: [EntityDescription], _ properties: DeclaredProperties, isKnown: [Bool],
        place: @escaping (String) -> Int?
    ) {
        self.descriptions = descriptions
        self.properties = properties
        self.place = place
        self.isKnown = isKnown
        for (index, description) in descriptions.enumerated() where isKnown[index] {
            for attribute in description.attributes where attribute.mayBeDerived {
                guard
                    let expression = attribute.derivationExpression.flatMap({
                        DerivationExpression($0)
                    })
                else { continue }
                check(attribute, expression, at: index)
            }
        }
    }

    /// The result of following the path of an expression.
    private enum Outcome {
        case found(AttributeDescription?)
        /// A name in the path does not exist.
        case missing(String)
        /// A name in the path has the wrong kind of property.
        case unsuitable(String)
        /// Another mistake makes the result unknown.
        case unknown
    }

    private mutating func check(
        _ attribute: AttributeDescription, _ expression: DerivationExpression, at index: Int
    ) {
        let entity = descriptions[index].name
        func note(_ code: ModelError.Code, _ problem: String) {
            mistakes.append(
                .init(
                    code, entity: entity, property: attribute.name,
                    "it is derived from '\(expression)', but " + problem))
        }
        switch outcome(of: expression, from: index) {
        case .found(let source):
            if let problem = Self.problem(attribute, expression.function, source) {
                note(.invalidDerivation, problem)
            }
        case .missing(let problem): note(.unknownProperty, problem)
        case .unsuitable(let problem): note(.invalidDerivation, problem)
        case .unknown: break
        }
    }

    // MARK: - Paths

    private func outcome(of expression: DerivationExpression, from start: Int) -> Outcome {
        var entity = start
        var names = expression.path[...]
        switch expression.function {
        case .now: return .found(nil)
        case .count, .sum:
            let name = names.removeFirst()
            let declaration = properties.declaration(of: StoredText(name), in: entity)
            guard case .relationship(let relationship)? = declaration?.kind,
                relationship.isToMany, !relationship.isHidden
            else {
                let problem =
                    "'\(name)' is not a to-many of '\(descriptions[entity].name)'; name one."
                return declaration == nil ? .missing(problem) : .unsuitable(problem)
            }
            if expression.function == .count {
                return names.isEmpty
                    ? .found(nil)
                    : .unsuitable(
                        "only a to-many of the entity itself can be counted; end the path "
                            + "behind '\(name)'.")
            }
            guard let next = place(relationship.destination) else { return .unknown }
            entity = next
        case .copy, .uppercase, .lowercase, .canonical, .localized:
            while let name = names.first, names.count > 1,
                case .relationship(let relationship)? =
                    properties.declaration(of: StoredText(name), in: entity)?.kind,
                !relationship.isToMany, !relationship.isHidden
            {
                guard let next = place(relationship.destination) else { return .unknown }
                entity = next
                names.removeFirst()
            }
        }
        return source(names, of: entity)
    }

    /// Returns the attribute at the end of a path.
    ///
    /// - Parameters:
    ///   - names: The rest of the path. Elements of composites are named by paths.
    ///   - entity: The place of the entity that has the rest of the path.
    private func source(_ names: ArraySlice<String>, of entity: Int) -> Outcome {
        let path = names.joined(separator: ".")
        let declaration = properties.declaration(of: StoredText(path), in: entity)
        if case .attribute(let source)? = declaration?.kind, !source.isTransient,
            source.type != .composite
        {
            return .found(source)
        }
        if !isKnown[entity] { return .unknown }
        let problem =
            "'\(path)' is not a stored attribute of '\(descriptions[entity].name)' or of an object "
            + "behind its to-ones; correct the path."
        let first = names.first.flatMap { properties.declaration(of: StoredText($0), in: entity) }
        return declaration == nil && first == nil ? .missing(problem) : .unsuitable(problem)
    }

    // MARK: - Types

    private static func problem(
        _ attribute: AttributeDescription, _ function: DerivationExpression.Function,
        _ source: AttributeDescription?
    ) -> String? {
        if let source, source.derivationExpression != nil {
            return "'\(source.name)' is derived itself; name what that is derived from."
        }
        // An attribute without a kind is a separate mistake.
        guard let kind = SlotKind(attribute.type) else { return nil }
        let sourceKind = source.flatMap { SlotKind($0.type) }
        if source != nil, sourceKind == nil { return nil }
        switch function {
        case .now:
            return kind == .date ? nil : "is not a date; make it one."
        case .count:
            return kind == .integer ? nil : "counts are integers; make it one."
        case .uppercase, .lowercase, .canonical, .localized:
            return kind == .text && sourceKind == .text
                ? nil
                : "only text is changed so; make it and what it is derived from strings."
        case .sum:
            return kind == sourceKind && kind.isNumber
                ? nil
                : "a sum is a number of the kind that is summed; give both the same type."
        case .copy:
            return kind == sourceKind && source?.codableType == attribute.codableType
                ? nil : "that is of another type; give both the same one."
        }
    }
}

extension AttributeDescription {
    /// Whether the derivation counts; a derivation of another kind of attribute is a separate
    /// mistake.
    fileprivate var mayBeDerived: Bool {
        derivationExpression != nil && !isTransient && type != .composite
    }
}

extension SlotKind {
    fileprivate var isNumber: Bool {
        switch self {
        case .integer, .double, .float, .decimal: true
        default: false
        }
    }
}
