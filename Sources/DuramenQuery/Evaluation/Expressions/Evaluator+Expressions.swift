import DuramenModel

extension Evaluator {
    /// Returns whether a comparison of two expressions is true for an object.
    func holds(
        _ comparison: BoundComparison, _ row: Row, _ id: ManagedObjectID, _ frame: inout Frame
    ) throws(Source.Failure) -> Bool {
        let left =
            comparison.relation.isQuantified
            ? QueryValue.collection(try elements(comparison.left, row, id, &frame))
            : try value(comparison.left, row, id, &frame)
        let right = try value(comparison.right, row, id, &frame)
        return comparison.relation.holds(left, right)
    }

    /// Returns the value of an expression for an object.
    func value(
        _ expression: BoundExpression, _ row: Row, _ id: ManagedObjectID, _ frame: inout Frame
    ) throws(Source.Failure) -> QueryValue {
        switch expression {
        case .constant(let value): return value
        case .selfObject: return .value(.objectID(id))
        case .variable(let place): return frame[place]
        case .path(nil, let steps): return try follow(steps[...], row, id)
        case .path(let base?, let steps):
            return try follow(steps[...], try value(base, row, id, &frame))
        case .list(let parts): return .collection(try values(parts, row, id, &frame))
        case .function(let function, let arguments):
            return function.call(try values(arguments, row, id, &frame))
        case .cast(let inner, let type):
            return .value(type.value(of: try value(inner, row, id, &frame).scalar) ?? .null)
        case .assignment(let place, let inner):
            let value = try value(inner, row, id, &frame)
            frame[place] = value
            return value
        case .conditional(let condition, let first, let second):
            return try value(
                try holds(condition, row, id, &frame) ? first : second, row, id, &frame)
        case .subquery(let collection, let place, let condition):
            let source = try value(collection, row, id, &frame)
            var found: [QueryValue] = []
            for element in source.elements ?? [source] where element != .null {
                frame[place] = element
                if try holds(condition, row, id, &frame) { found.append(element) }
            }
            return .collection(found)
        }
    }

    private func values(
        _ parts: [BoundExpression], _ row: Row, _ id: ManagedObjectID, _ frame: inout Frame
    ) throws(Source.Failure) -> [QueryValue] {
        var values: [QueryValue] = []
        values.reserveCapacity(parts.count)
        for part in parts { values.append(try value(part, row, id, &frame)) }
        return values
    }

    // MARK: - Quantifiers

    /// Returns the elements for a quantifier: each value at the end of a path, including null.
    private func elements(
        _ expression: BoundExpression, _ row: Row, _ id: ManagedObjectID, _ frame: inout Frame
    ) throws(Source.Failure) -> [QueryValue] {
        guard case .path(let base, let steps) = expression else {
            let value = try value(expression, row, id, &frame)
            return value.elements ?? [value]
        }
        guard let base else { return try elements(steps[...], row, id) }
        return try elements(steps[...], try value(base, row, id, &frame))
    }

    private func elements(
        _ steps: ArraySlice<BoundStep>, _ value: QueryValue
    ) throws(Source.Failure) -> [QueryValue] {
        switch value {
        case .collection(let elements):
            var found: [QueryValue] = []
            for element in elements { found += try self.elements(steps, element) }
            return found
        case .value(.objectID(let id)) where !steps.isEmpty:
            guard let row = try source.row(for: id) else { return behindNull(steps).elementsOrNull }
            return try elements(steps, row, id)
        default: return try follow(steps, value).elementsOrNull
        }
    }

    private func elements(
        _ steps: ArraySlice<BoundStep>, _ row: Row, _ id: ManagedObjectID
    ) throws(Source.Failure) -> [QueryValue] {
        let rest = steps.dropFirst()
        switch steps.first {
        case .toOne(let reference)?:
            guard let next = reference.destination(row, model, store) else {
                return behindNull(rest).elementsOrNull
            }
            return try elements(rest, .value(.objectID(next)))
        case .toMany(let relationship)?:
            var found: [QueryValue] = []
            for destination in try source.destinations(of: relationship, from: id) {
                guard let row = try source.row(for: destination) else { continue }
                found += try elements(rest, row, destination)
            }
            return found
        default: return try follow(steps, row, id).elementsOrNull
        }
    }

    // MARK: - Paths

    /// Continues a path from a value, or from each of several values.
    private func follow(
        _ steps: ArraySlice<BoundStep>, _ value: QueryValue
    ) throws(Source.Failure) -> QueryValue {
        guard let first = steps.first else { return value }
        switch value {
        case .value(.objectID(let id)):
            guard let row = try source.row(for: id) else { return behindNull(steps) }
            return try follow(steps, row, id)
        case .value: return behindNull(steps)
        case .dictionary(let values):
            guard case .named(let name) = first else { return .null }
            return try follow(steps.dropFirst(), values[name] ?? .null)
        case .collection(let elements):
            var found: [QueryValue] = []
            for element in elements { add(try follow(steps, element), to: &found) }
            return .collection(found)
        }
    }

    private func follow(
        _ steps: ArraySlice<BoundStep>, _ row: Row, _ id: ManagedObjectID
    ) throws(Source.Failure) -> QueryValue {
        guard let first = steps.first else { return .value(.objectID(id)) }
        let rest = steps.dropFirst()
        switch first {
        case .attribute(let slot, let kind): return .value(row.value(slot, kind))
        case .entity:
            return .value(.text(StoredText(model[row.entityID].name)))
        case .named: return .null
        case .toOne(let reference):
            guard let next = reference.destination(row, model, store) else {
                return behindNull(rest)
            }
            return try follow(rest, .value(.objectID(next)))
        case .toMany(let relationship):
            var found: [QueryValue] = []
            for destination in try source.destinations(of: relationship, from: id) {
                // Missing destinations are left out; only a count includes them.
                guard let row = try source.row(for: destination) else { continue }
                add(try follow(rest, row, destination), to: &found)
            }
            return .collection(found)
        }
    }

    /// Returns the value of a path after null: null, or an empty collection if a to-many follows.
    private func behindNull(_ steps: ArraySlice<BoundStep>) -> QueryValue {
        for case .toMany in steps { return .collection([]) }
        return .null
    }

    /// Adds a value to a collection. Nested collections are flattened, and nulls are left out.
    private func add(_ value: QueryValue, to found: inout [QueryValue]) {
        switch value {
        case .collection(let elements): found += elements
        case .null: break
        default: found.append(value)
        }
    }
}

extension QueryValue {
    /// The elements, or the single value, which may be null.
    fileprivate var elementsOrNull: [QueryValue] { elements ?? [self] }
}

extension ComparisonLaw {
    /// Returns whether the comparison holds between values, or between a value and several values.
    /// Several values equal several others if they are equal one by one.
    func holds(_ left: QueryValue, _ right: QueryValue) -> Bool {
        switch (`operator`, left, right) {
        case (_, .value(let a), .value(let b)):
            if `operator` == .isIn {
                return ComparisonLaw(operator: .contains, options: options).holds(b, a)
            }
            return holds(a, b)
        case (.isIn, .value(let value), _), (.between, .value(let value), _):
            return holds(value, list: (right.elements ?? []).map(\.scalar))
        case (.contains, _, .value(let value)):
            return ComparisonLaw(operator: .isIn, options: options)
                .holds(value, list: (left.elements ?? []).map(\.scalar))
        case (.equal, _, _): return areEqual(left, right)
        case (.notEqual, _, _): return !areEqual(left, right)
        default: return false
        }
    }

    private func areEqual(_ a: QueryValue, _ b: QueryValue) -> Bool {
        switch (a, b) {
        case (.value(let x), .value(let y)): holds(x, y) == (`operator` == .equal)
        case (.collection(let x), .collection(let y)):
            x.count == y.count && zip(x, y).allSatisfy { areEqual($0, $1) }
        case (.dictionary(let x), .dictionary(let y)):
            x.count == y.count
                && x.allSatisfy { name, value in y[name].map { areEqual(value, $0) } ?? false }
        default: false
        }
    }
}
