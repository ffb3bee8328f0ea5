import DuramenModel
import Foundation

extension PredicateExpressions.KeyPath: ConvertibleExpression {
    func isConstant(in conversion: PredicateConversion) -> Bool { conversion.isConstant(root) }

    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        // First, so that an error names the innermost expression that is to blame.
        let start = try conversion.node(root)
        if let part = try collectionPart() {
            return try part.converted(try start.expression, isText: isOfText)
        }
        if Root.Output.self == Data.self, keyPath == \Data.count {
            return .expression(.function(.length, [try start.expression]))
        }
        if let type = Root.Output.self as? any QueryableObject.Type {
            if type.isObjectID(keyPath) { return start }
            guard let name = type.propertyName(for: keyPath) else {
                throw unsupported(
                    "no managed property of \(type). Declare it as an attribute or relationship")
            }
            return .expression(try start.expression.appending(name))
        }
        if let type = Root.Output.self as? any QueryableComposite.Type {
            guard let name = type.elementName(for: keyPath) else {
                throw unsupported("no element of the composite \(type). Declare it there")
            }
            return .expression(try start.expression.appending(name))
        }
        throw unsupported(
            "a property of a value, and stores know whole values only. Compare the attribute itself"
        )
    }

    private var isOfText: Bool { Root.Output.self is any StringProtocol.Type }

    /// What the key path asks of a collection; nil when its root is none.
    private func collectionPart() throws(ConversionFailure) -> CollectionPart? {
        if let type = Root.Output.self as? any ToManyCollection.Type {
            switch type.property(for: keyPath) {
            case .count: return .count
            case .isEmpty: return .isEmpty
            case nil: break
            }
        }
        switch kind {
        case .collectionCount: return .count
        case .collectionIsEmpty: return .isEmpty
        case .collectionFirst, .bidirectionalCollectionLast, nil: break
        @unknown default: break
        }
        if Root.Output.self is any ToManyCollection.Type || kind != nil {
            throw unsupported(
                "no property of a collection that stores know. Use count, isEmpty, contains(where:), "
                    + "allSatisfy(_:) or filter(_:)")
        }
        return nil
    }

    private func unsupported(_ problem: String) -> ConversionFailure {
        .refused(
            PredicateConversionError(
                .unsupportedKeyPath, node: "KeyPath", "'\(keyPath)' is \(problem)."))
    }
}

/// What can be asked of a collection by a key path.
private enum CollectionPart {
    case count
    case isEmpty

    func converted(_ collection: FetchExpression, isText: Bool) throws(ConversionFailure)
        -> ConvertedNode
    {
        switch (self, isText) {
        case (.count, false): .expression(.count(of: collection))
        case (.count, true): .expression(.function(.length, [collection]))
        case (.isEmpty, false): .predicate(.isEmpty(collection))
        case (.isEmpty, true):
            .predicate(.comparison(PredicateComparison(collection, .equal, .constant(.text("")))))
        }
    }
}

extension FetchPredicate {
    /// Whether a collection has no elements.
    static func isEmpty(_ collection: FetchExpression) -> FetchPredicate {
        .comparison(
            PredicateComparison(.count(of: collection), .equal, .constant(.integer(0))))
    }
}

extension FetchExpression {
    /// A property of what the expression leads to.
    func appending(_ name: String) -> FetchExpression {
        switch form {
        case .selfObject: .keyPath([name])
        case .keyPath(let names): .keyPath(names + [name])
        case .property(let base, let names): .property(base, names + [name])
        default: .property(self, [name])
        }
    }
}
