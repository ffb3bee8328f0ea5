public import DuramenModel

/// A source of objects' properties by name.
public protocol NamedProperties {
    /// Returns the value of a property: one object or null for a to-one, a collection of objects
    /// for a to-many, null for an unknown name.
    func value(of id: ManagedObjectID, named name: String) -> QueryValue

    /// Returns whether a key path from an object goes through a to-many.
    func leadsOverToMany(_ path: ArraySlice<String>, from id: ManagedObjectID) -> Bool
}

/// Evaluates predicates directly, by names: slowly, and without any preparation.
///
/// Values that cannot be compared are unequal and have no order. Recursion is safe unless
/// ``FetchPredicate/isTooComplex`` is true.
public struct ValueEvaluator<Objects: NamedProperties> {
    private let objects: Objects
    private var variables: [String: QueryValue]

    /// Creates an evaluator for objects.
    public init(_ objects: Objects, variables: [String: QueryValue] = [:]) {
        self.objects = objects
        self.variables = variables
    }

    /// Returns whether a predicate is true for a value.
    public mutating func holds(_ predicate: FetchPredicate, _ subject: QueryValue) -> Bool {
        switch predicate.form {
        case .constant(let value): return value
        case .not(let part): return !holds(part, subject)
        case .and(let parts):
            for part in parts where !holds(part, subject) { return false }
            return true
        case .or(let parts):
            for part in parts where holds(part, subject) { return true }
            return false
        case .comparison(let comparison): return holds(comparison, subject)
        case .quantified(let quantifier, let path, let inner):
            return quantifier.holds(of: elements(path[...], of: subject)) { holds(inner, $0) }
        }
    }

    /// Returns whether a comparison is true for a value.
    public mutating func holds(_ comparison: PredicateComparison, _ subject: QueryValue) -> Bool {
        let law = ComparisonLaw(operator: comparison.operator, options: comparison.options)
        let quantifier = comparison.quantifier ?? (comparison.left == .anyKey ? .any : nil)
        guard let quantifier else {
            let left = value(comparison.left, subject)
            return law.holds(left, value(comparison.right, subject))
        }
        let left: [QueryValue]
        switch comparison.left.form {
        case .keyPath(let path): left = elements(path[...], of: subject)
        case .property(let base, let path): left = elements(path[...], of: value(base, subject))
        default:
            let value = value(comparison.left, subject)
            left = value.elements ?? [value]
        }
        let right = value(comparison.right, subject)
        return quantifier.holds(of: left) { law.holds($0, right) }
    }

    // MARK: - Expressions

    /// Returns the value of an expression for a given value.
    public mutating func value(
        _ expression: FetchExpression, _ subject: QueryValue
    ) -> QueryValue {
        switch expression.form {
        case .constant(let value): return .value(value)
        case .list(let values): return QueryValue(values)
        case .selfObject: return subject
        case .keyPath(let path): return follow(path[...], subject)
        case .count(let path): return FetchFunction.count.call([follow(path[...], subject)])
        case .anyKey: return .collection(subject.elements ?? [])
        case .variable(let name): return variables[name] ?? .null
        case .property(let base, let path): return follow(path[...], value(base, subject))
        case .aggregate(let parts): return .collection(values(parts, subject))
        case .function(let function, let arguments):
            return function.call(values(arguments, subject))
        case .cast(let inner, let type):
            return .value(type.value(of: value(inner, subject).scalar) ?? .null)
        case .assignment(let name, let inner):
            let value = value(inner, subject)
            variables[name] = value
            return value
        case .conditional(let condition, let first, let second):
            return value(holds(condition, subject) ? first : second, subject)
        case .subquery(let collection, let variable, let condition):
            let outside = variables
            defer { variables = outside }
            let source = value(collection, subject)
            return .collection(
                (source.elements ?? [source]).filter { element in
                    if element == .null { return false }
                    variables[variable] = element
                    return holds(condition, subject)
                })
        }
    }

    private mutating func values(
        _ parts: [FetchExpression], _ subject: QueryValue
    ) -> [QueryValue] {
        var values: [QueryValue] = []
        for part in parts { values.append(value(part, subject)) }
        return values
    }

    // MARK: - Paths

    /// Returns the value at the end of a path: several values, without nulls, if the path goes
    /// through several.
    private func follow(_ path: ArraySlice<String>, _ value: QueryValue) -> QueryValue {
        guard let name = path.first else { return value }
        switch value {
        case .value(.objectID(let id)):
            let next = objects.value(of: id, named: name)
            if next == .null {
                return objects.leadsOverToMany(path, from: id) ? .collection([]) : .null
            }
            return follow(path.dropFirst(), next)
        case .value:
            return name == "length" && path.count == 1 ? FetchFunction.length.call([value]) : .null
        case .dictionary(let values):
            return follow(path.dropFirst(), values[name] ?? .null)
        case .collection(let elements):
            var found: [QueryValue] = []
            for element in elements {
                switch follow(path, element) {
                case .collection(let inner): found += inner
                case .null: break
                case let value: found.append(value)
                }
            }
            return .collection(found)
        }
    }

    /// Returns the elements for a quantifier: each value at the end of a path, including null.
    private func elements(_ path: ArraySlice<String>, of value: QueryValue) -> [QueryValue] {
        if case .collection(let elements) = value {
            return elements.flatMap { self.elements(path, of: $0) }
        }
        guard let name = path.first else { return [value] }
        switch value {
        case .value(.objectID(let id)):
            let next = objects.value(of: id, named: name)
            if next == .null { return objects.leadsOverToMany(path, from: id) ? [] : [.null] }
            return elements(path.dropFirst(), of: next)
        case .dictionary(let values): return elements(path.dropFirst(), of: values[name] ?? .null)
        default: return [follow(path, value)]
        }
    }
}
