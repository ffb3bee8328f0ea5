public import DuramenModel
import Foundation

/// Writes predicates in the spelling of Core Data's format strings.
///
/// It works with a stack of its own, since predicates are also printed before their depth is checked.
struct PredicatePrinter {
    /// Whether all values are left out.
    private let isRedacted: Bool
    /// Whether the values are left out that are compared with confidential attributes.
    private let secrets: ConfidentialPaths?

    private enum Work {
        case text(String)
        case predicate(FetchPredicate, isTight: Bool)
        /// What follows is printed by a printer for another entity.
        case turn(PredicatePrinter)
    }

    init(isRedacted: Bool, secrets: ConfidentialPaths? = nil) {
        self.isRedacted = isRedacted
        self.secrets = secrets
    }

    func string(_ predicate: FetchPredicate) -> String {
        var output = ""
        var printer = self
        var work: [Work] = [.predicate(predicate, isTight: false)]
        while let next = work.popLast() {
            switch next {
            case .text(let text): output += text
            case .turn(let other): printer = other
            case .predicate(let predicate, let isTight):
                printer.expand(predicate, isTight: isTight, &work)
            }
        }
        return output
    }

    /// Puts the parts of a predicate on the stack, last one first.
    ///
    /// - Parameter isTight: Whether a chain needs parentheses where the predicate stands.
    private func expand(_ predicate: FetchPredicate, isTight: Bool, _ work: inout [Work]) {
        switch predicate {
        case .constant(let value): work.append(.text(value ? "TRUEPREDICATE" : "FALSEPREDICATE"))
        case .comparison(let comparison): work.append(.text(string(comparison)))
        case .not(let inner):
            work.append(.predicate(inner, isTight: true))
            work.append(.text("NOT "))
        case .and(let parts): chain(parts, " AND ", empty: "TRUEPREDICATE", isTight, &work)
        case .or(let parts): chain(parts, " OR ", empty: "FALSEPREDICATE", isTight, &work)
        case .quantified(let quantifier, let keyPath, let inner):
            work.append(.turn(self))
            work.append(.text(")"))
            work.append(.predicate(inner, isTight: false))
            let prefix = quantifier.rawValue.uppercased() + " "
            if case .comparison(let comparison) = inner,
                case .keyPath(let names) = comparison.left, comparison.right.isValue
            {
                // Core Data's own form, where it can say it: ANY tags.name == "felt".
                work.removeLast(3)
                var whole = comparison
                whole.left = .keyPath(keyPath + names)
                work.append(.text(prefix + string(whole)))
            } else {
                let secrets = secrets.map { $0.following(keyPath) }
                work.append(.turn(PredicatePrinter(isRedacted: isRedacted, secrets: secrets)))
                work.append(.text(prefix + name(keyPath) + " ("))
            }
        }
    }

    private func chain(
        _ parts: [FetchPredicate], _ separator: String, empty: String, _ isTight: Bool,
        _ work: inout [Work]
    ) {
        if parts.isEmpty { return work.append(.text(empty)) }
        if parts.count == 1 { return work.append(.predicate(parts[0], isTight: isTight)) }
        if isTight { work.append(.text(")")) }
        for (index, part) in parts.enumerated().reversed() {
            work.append(.predicate(part, isTight: true))
            if index > 0 { work.append(.text(separator)) }
        }
        if isTight { work.append(.text("(")) }
    }

    // MARK: - Comparisons

    private func string(_ comparison: PredicateComparison) -> String {
        if !isRedacted, let secrets,
            [comparison.left, comparison.right].contains(where: secrets.contain)
        {
            return PredicatePrinter(isRedacted: true).string(comparison)
        }
        var options = ""
        if comparison.options.contains(.caseInsensitive) { options += "c" }
        if comparison.options.contains(.diacriticInsensitive) { options += "d" }
        if !options.isEmpty { options = "[\(options)]" }
        return string(comparison.left) + " " + comparison.operator.formatSpelling + options + " "
            + string(comparison.right)
    }

    private func string(_ expression: FetchExpression) -> String {
        switch expression {
        case .constant(let value): return string(value)
        case .list(let values) where isRedacted && values.count > 2 && !values.contains(.null):
            return "{? * \(values.count)}"
        case .list(let values):
            return "{" + values.map(string).joined(separator: ", ") + "}"
        case .keyPath(let names): return name(names)
        case .selfObject: return "SELF"
        case .count(let names): return name(names) + ".@count"
        }
    }

    private func name(_ names: [String]) -> String {
        names.map { name in
            let name = UnmanagedKeyPath.description(of: name) ?? name
            return reservedWords.contains(name.uppercased()) ? "#" + name : name
        }.joined(separator: ".")
    }

    // Null is printed even when redacted: which statement is needed depends on it.
    private func string(_ value: StoredValue) -> String {
        if value.isNull { return "nil" }
        if isRedacted { return "?" }
        switch value {
        case .null: return "nil"
        case .integer(let number): return String(number)
        case .double(let number): return String(number)
        case .decimal(let number): return number.description
        case .boolean(let flag): return flag ? "TRUE" : "FALSE"
        case .text(let text), .uri(let text): return quoted(text.string)
        case .date(let date):
            return "CAST(\(date.timeIntervalSinceReferenceDate), \"NSDate\")"
        case .binary(let data): return "<\(data.count) bytes>"
        case .uuid(let uuid): return quoted(uuid.uuidString)
        case .objectID(let id): return "<\(id)>"
        }
    }

    private func quoted(_ text: String) -> String {
        var output = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": output += "\\\(scalar)"
            case "\n": output += "\\n"
            case "\t": output += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                output += "\\x" + String(repeating: "0", count: 2 - digits.count) + digits
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output + "\""
    }
}

private let reservedWords: Set<String> = [
    "AND", "OR", "IN", "NOT", "ALL", "ANY", "SOME", "NONE", "LIKE", "CASEINSENSITIVE", "CI",
    "MATCHES", "CONTAINS", "BEGINSWITH", "ENDSWITH", "BETWEEN", "NULL", "NIL", "SELF", "TRUE",
    "YES",
    "FALSE", "NO", "FIRST", "LAST", "SIZE", "ANYKEY", "SUBQUERY", "FETCH", "CAST", "TRUEPREDICATE",
    "FALSEPREDICATE", "UTI-CONFORMS-TO", "UTI-EQUALS", "FUNCTION", "TERNARY", "UNION", "INTERSECT",
    "MINUS",
]

extension FetchExpression {
    fileprivate var isValue: Bool {
        switch self {
        case .constant, .list: true
        default: false
        }
    }
}

extension PredicateComparison.Operator {
    /// The operator as format strings spell it.
    fileprivate var formatSpelling: String {
        switch self {
        case .equal: "=="
        case .notEqual: "!="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        case .between: "BETWEEN"
        case .isIn: "IN"
        case .contains: "CONTAINS"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .like: "LIKE"
        }
    }
}

extension FetchPredicate: CustomStringConvertible {
    /// The predicate as a Core Data format string, values and all.
    ///
    /// Under a quantifier, conditions that the format has no short form for stand in parentheses.
    public var description: String { PredicatePrinter(isRedacted: false).string(self) }

    /// The predicate as a Core Data format string, with `?` for every value that is compared with a
    /// confidential attribute of an entity or of what its relationships lead to, and with what is unknown.
    public func description(for entity: Entity, in model: ManagedObjectModel) -> String {
        PredicatePrinter(
            isRedacted: false, secrets: ConfidentialPaths(model: model, entity: entity)
        )
        .string(self)
    }

    /// The predicate with `?` for every value but null, for logs and as a key of prepared statements.
    ///
    /// Predicates of one shape differ in nothing but their values and the values' types. Lists of
    /// different lengths have different shapes.
    public var shape: String { PredicatePrinter(isRedacted: true).string(self) }
}
