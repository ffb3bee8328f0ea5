import DuramenModel
import DuramenQuery

extension PredicateCompiler {
    /// A condition for the rows after a position in an ascending order, as in ``FetchPosition``: `a
    /// >= v AND (a > v OR …)`, ending with the object itself.
    ///
    /// One comparison of rows, `(a, b, key) > (v, w, k)`, is equivalent. It uses all columns of an
    /// index, whereas the long form reads all entries with an equal first column. With a null, both
    /// forms are null or false.
    /// - Returns: Nil for any other condition.
    mutating func position(_ parts: [FetchPredicate], _ scope: inout SQLScope) -> String? {
        guard let first = nextValue, let place = OrderPlace(parts) else { return nil }
        defer { currentValue = nil }
        return attempt(&scope) { compiler, scope in
            guard compiler.entities(at: place.object, .greater, scope).isEmpty else { return nil }
            var columns: [String] = []
            var marks: [String] = []
            var value = first
            for key in place.keys {
                compiler.currentValue = value
                guard
                    case .attribute(let column, let kind)? = compiler.target(of: key.path, &scope),
                    let mark = compiler.placeholder(key.value, compiler.form(of: kind))
                else { return nil }
                columns.append(column)
                marks.append(mark)
                value += 2
            }
            compiler.currentValue = value
            columns.append("\(scope.alias).\(compiler.mapping.keyColumn)")
            marks.append(compiler.placeholder(keyOf: place.object))
            compiler.nextValue = value + 1
            compiler.equalValues += stride(from: first, to: value, by: 2)
            return "((\(columns.joined(separator: ", "))) > (\(marks.joined(separator: ", "))))"
        }
    }
}

/// A position in an ascending order of keys that are not null.
private struct OrderPlace {
    private(set) var keys: [(path: [String], value: StoredValue)] = []
    let object: ManagedObjectID

    /// Engines limit the columns of a row comparison.
    private static let mostKeys = 16

    /// Matches the parts of a conjunction; nil for any other condition.
    init?(_ parts: [FetchPredicate]) {
        var parts = parts
        while true {
            guard keys.count < Self.mostKeys, parts.count == 2,
                let bound = Self.bound(parts[0], .greaterOrEqual),
                case .or(let ways) = parts[1].form, ways.count == 2,
                let above = Self.bound(ways[0], .greater), above.path == bound.path,
                above.value == bound.value
            else { return nil }
            keys.append(bound)
            switch ways[1].form {
            case .and(let ties): parts = ties
            case .comparison(let comparison):
                guard case .selfObject = comparison.left.form, comparison.operator == .greater,
                    case .constant(.objectID(let id)) = comparison.right.form,
                    PredicateShape.valueCount(of: comparison) == 1
                else { return nil }
                object = id
                return
            default: return nil
            }
        }
    }

    private static func bound(
        _ predicate: FetchPredicate, _ relation: PredicateComparison.Operator
    ) -> (path: [String], value: StoredValue)? {
        guard case .comparison(let comparison) = predicate.form, comparison.operator == relation,
            case .keyPath(let path) = comparison.left.form,
            case .constant(let value) = comparison.right.form,
            PredicateShape.valueCount(of: comparison) == 1
        else { return nil }
        return (path, value)
    }
}
