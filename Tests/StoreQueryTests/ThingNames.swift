import DuramenModel
import DuramenQuery

/// Gives the names of a predicate such endings that its comparisons compare.
enum ThingNames {
    private static let ends = ["Text", "Number", "Flag", "Date", "Double", "One", "Many"]
    private static let mostTries = 5_000

    /// The predicate with names of ``Things``; nil when no types make it fit.
    static func fitting(_ predicate: FetchPredicate) -> FetchPredicate? {
        var isFitting = true
        let result = predicate.mapping { comparison -> FetchPredicate in
            guard let fitting = fitting(comparison) else {
                isFitting = false
                return .comparison(comparison)
            }
            return fitting
        }
        return isFitting ? result : nil
    }

    /// Tries one combination of endings after another.
    private static func fitting(_ comparison: PredicateComparison) -> FetchPredicate? {
        var paths: Set<[String]> = []
        _ = renamed(.comparison(comparison)) { path in
            paths.insert(path)
            return path
        }
        let sorted = paths.sorted { $0.joined(separator: ".") < $1.joined(separator: ".") }
        let choices = sorted.map(candidates)
        for number in 0..<min(choices.reduce(1) { $0 * $1.count }, mostTries) {
            var rest = number
            var chosen: [[String]: [String]] = [:]
            for (path, choice) in zip(sorted, choices) {
                chosen[path] = choice[rest % choice.count]
                rest /= choice.count
            }
            let candidate = renamed(.comparison(comparison)) { chosen[$0] ?? $0 }
            if (try? candidate.bound(to: Things.thing, in: Things.model)) != nil {
                return candidate
            }
        }
        return nil
    }

    private static func candidates(_ path: [String]) -> [[String]] {
        var paths: [[String]] = [[]]
        for (place, name) in path.enumerated() {
            let endings = place == path.count - 1 ? ends : ["One", "Many"]
            if name == "$" { continue }
            let name = Things.names.contains(name) ? name : "other"
            // What every text has stays as it is.
            let isLength = place > 0 && name == "length"
            paths = paths.flatMap { path in
                isLength
                    ? [path.dropLast() + [(path.last?.dropLast(3) ?? "") + "Text", "length"]]
                    : endings.map { path + [name + $0] }
            }
        }
        return paths
    }

    // MARK: - Renaming

    private static func renamed(
        _ predicate: FetchPredicate, _ name: ([String]) -> [String]
    ) -> FetchPredicate {
        predicate.mapping { comparison in
            var copy = comparison
            copy.left = renamed(comparison.left, name)
            copy.right = renamed(comparison.right, name)
            return .comparison(copy)
        }
    }

    private static func renamed(
        _ expression: FetchExpression, _ name: ([String]) -> [String]
    ) -> FetchExpression {
        switch expression.form {
        case .keyPath(let path): .keyPath(name(path))
        case .count(let path): .count(keyPath: name(path))
        case .property(let base, let path):
            // Of another object than a path of the same names.
            .property(renamed(base, name), Array(name(["$"] + path).drop { $0 == "$" }))
        default:
            expression.mapping(
                operands: { renamed($0, name) }, condition: { renamed($0, name) })
        }
    }
}
