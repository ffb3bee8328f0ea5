public import DuramenModel
import DuramenQuery

/// Checks the literals of Swift sources against a model: format strings of predicates, names of
/// entities, and key paths for sorting, sections and prefetching.
///
/// It examines tokens and does not parse the language. A literal is checked against the entity of
/// the request whose chain of calls has it. If that entity is unknown, the literal must fit some
/// entity of the model.
public struct SourceCheck {
    private let model: ManagedObjectModel
    private let entities: [String: Entity]

    /// Creates a check against a model.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - classNames: The names of classes by the names of their entities, if they differ.
    public init(_ model: ManagedObjectModel, classNames: [String: String] = [:]) {
        self.model = model
        var entities: [String: Entity] = [:]
        for entity in model.entities { entities[entity.name] = entity }
        for entity in model.entities {
            if let name = classNames[entity.name] { entities[name] = entity }
        }
        self.entities = entities
    }

    /// Returns the problems in a source file.
    public func findings(in source: String) -> [ModelFinding] {
        SourceLiterals(source).all().compactMap { literal in
            problem(with: literal).map { message in
                ModelFinding(
                    severity: .error, entity: nil, property: nil, message: message,
                    place: literal.place)
            }
        }
    }

    private func problem(with literal: SourceLiteral) -> String? {
        let subject = literal.subject.flatMap { entities[$0] }
        switch literal.kind {
        case .entityName:
            return model.entity(named: literal.text) == nil
                ? "the model has no entity '\(literal.text)'" : nil
        case .keyPath:
            return problem(
                withPaths: [literal.text.split(separator: ".").map(String.init)], subject)
        case .format: return problem(withFormat: literal.text, subject)
        }
    }

    private func problem(withFormat format: String, _ subject: Entity?) -> String? {
        let placeholders = PlaceholderArguments(for: format)
        let predicate: FetchPredicate
        do throws(PredicateFormatError) {
            predicate = try FetchPredicate(format: format, arguments: placeholders.arguments)
        } catch {
            return "the condition is not a predicate: \(error.message) (at \(error.offset))"
        }
        var paths = KeyPaths()
        paths.visit(predicate)
        return problem(
            withPaths: paths.found.filter { !placeholders.hasKeyPath || $0 != ["argument"] },
            subject)
    }

    /// Returns why key paths do not fit an entity or, if it is unknown, any entity; nil if they
    /// fit.
    private func problem(withPaths paths: [[String]], _ subject: Entity?) -> String? {
        if let subject {
            return paths.first { !fits($0[...], subject) }.map {
                "'\(subject.name)' has no '\($0.joined(separator: "."))'"
            }
        }
        if model.entities.contains(where: { entity in paths.allSatisfy { fits($0[...], entity) } })
        {
            return nil
        }
        let names = paths.map { $0.joined(separator: ".") }.joined(separator: ", ")
        return "no entity of the model has \(names)"
    }

    private func fits(_ path: ArraySlice<String>, _ entity: Entity) -> Bool {
        guard let name = path.first, !name.utf8.starts(with: "@".utf8) else { return true }
        // Elements of composites are named by paths.
        let rest = path.dropFirst()
        switch entity.property(named: name) {
        case .relationship(let relationship)?: return fits(rest, model[relationship.destination])
        case .attribute?: return rest.allSatisfy { $0.utf8.starts(with: "@".utf8) }
        case nil:
            if entity.transientAttribute(named: name) != nil { return rest.isEmpty }
            if entity.composite(named: name) == nil { return false }
            return rest.isEmpty || entity.property(named: path.joined(separator: ".")) != nil
                || entity.composite(named: path.joined(separator: ".")) != nil
        }
    }
}

/// The key paths of a predicate that begin at the object to which it applies.
private struct KeyPaths {
    private(set) var found: [[String]] = []

    mutating func visit(_ predicate: FetchPredicate, behind prefix: [String] = []) {
        switch predicate.form {
        case .constant: break
        case .comparison(let comparison):
            visit(comparison.left, prefix)
            visit(comparison.right, prefix)
        case .not(let part): visit(part, behind: prefix)
        case .and(let parts), .or(let parts): for part in parts { visit(part, behind: prefix) }
        case .quantified(_, let keyPath, let part):
            found.append(prefix + keyPath)
            visit(part, behind: prefix + keyPath)
        }
    }

    private mutating func visit(_ expression: FetchExpression, _ prefix: [String]) {
        switch expression.form {
        case .keyPath(let names), .count(let names): found.append(prefix + names)
        // A variable in the condition is an element, whose paths do not begin at the object.
        case .subquery(let collection, _, _): visit(collection, prefix)
        case .conditional(let condition, let first, let second):
            visit(condition, behind: prefix)
            visit(first, prefix)
            visit(second, prefix)
        default: for operand in expression.operands { visit(operand, prefix) }
        }
    }
}
