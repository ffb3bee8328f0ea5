import DuramenModel
import DuramenQuery
import Foundation

/// A node of a predicate, with its children. The parser limits the depth of trees.
struct PredicateTree {
    let node: String
    var children: [PredicateTree] = []

    /// The node and its indented children, one per line.
    var lines: [String] { [node] + children.flatMap { $0.lines.map { "  " + $0 } } }

    private init(_ node: String, _ children: [PredicateTree] = []) {
        self.node = node
        self.children = children
    }

    init(_ predicate: FetchPredicate) {
        switch predicate.form {
        case .constant(let value): self.init(value ? "TRUEPREDICATE" : "FALSEPREDICATE")
        case .comparison(let comparison): self.init(comparison)
        case .not(let part): self.init("NOT", [PredicateTree(part)])
        case .and(let parts): self.init("AND", parts.map { PredicateTree($0) })
        case .or(let parts): self.init("OR", parts.map { PredicateTree($0) })
        case .quantified(let quantifier, let keyPath, let part):
            self.init(
                "\(quantifier.rawValue.uppercased()) of \(FetchExpression.keyPath(keyPath))",
                [PredicateTree(part)])
        }
    }

    private init(_ comparison: PredicateComparison) {
        var node = comparison.operator.formatSpelling
        if let quantifier = comparison.quantifier {
            node = quantifier.rawValue.uppercased() + " " + node
        }
        var options: [String] = []
        if comparison.options.contains(.caseInsensitive) { options.append("case insensitive") }
        if comparison.options.contains(.diacriticInsensitive) {
            options.append("diacritic insensitive")
        }
        if comparison.options.contains(.normalized) { options.append("normalized") }
        if comparison.options.contains(.localeSensitive) { options.append("locale sensitive") }
        if comparison.options.contains(.numeric) { options.append("numeric") }
        if !options.isEmpty { node += ", " + options.joined(separator: ", ") }
        self.init(node, [PredicateTree(comparison.left), PredicateTree(comparison.right)])
    }

    private init(_ expression: FetchExpression) {
        switch expression.form {
        case .constant(let value): self.init(value)
        case .list(let values): self.init("list", values.map { PredicateTree($0) })
        case .aggregate(let parts): self.init("list", parts.map { PredicateTree($0) })
        case .keyPath(let names) where !names.isEmpty: self.init("key path \(expression)")
        case .keyPath, .selfObject: self.init("SELF")
        case .anyKey: self.init("ANYKEY")
        case .count(let names): self.init("count of \(FetchExpression.keyPath(names))")
        case .variable(let name): self.init("variable $\(name)")
        case .property(let base, let names):
            self.init("key path \(FetchExpression.keyPath(names)) of", [PredicateTree(base)])
        case .function(let function, let arguments):
            self.init("function \(function.rawValue)", arguments.map { PredicateTree($0) })
        case .subquery(let collection, let variable, let predicate):
            self.init(
                "SUBQUERY with $\(variable)", [PredicateTree(collection), PredicateTree(predicate)])
        case .conditional(let predicate, let first, let second):
            self.init(
                "TERNARY", [PredicateTree(predicate), PredicateTree(first), PredicateTree(second)])
        case .cast(let value, let type):
            self.init("CAST to \(type.rawValue)", [PredicateTree(value)])
        case .assignment(let name, let value):
            self.init("assignment to $\(name)", [PredicateTree(value)])
        }
    }

    private init(_ value: StoredValue) {
        let text = FetchExpression.constant(value).description
        switch value {
        case .null: self.init("nil")
        case .integer: self.init("integer \(text)")
        case .double: self.init("double \(text)")
        case .text: self.init("text \(text)")
        case .boolean: self.init("boolean \(text)")
        case .binary(let data): self.init("data of \(data.count) bytes")
        case .decimal: self.init("decimal \(value.exactText)")
        case .date: self.init("date \(value.exactText)")
        case .uuid: self.init("UUID \(value.exactText)")
        case .uri: self.init("URL \(value.exactText)")
        case .objectID: self.init("object ID \(value.exactText)")
        }
    }
}

extension PredicateTree: Encodable {
    private enum CodingKeys: CodingKey { case node, children }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(node, forKey: .node)
        if !children.isEmpty { try container.encode(children, forKey: .children) }
    }
}
