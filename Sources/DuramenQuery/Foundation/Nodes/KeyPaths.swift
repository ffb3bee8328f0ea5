import DuramenModel
import Foundation

extension PredicateExpressions.KeyPath: ConvertibleExpression {
    func isConstant(in conversion: PredicateConversion) -> Bool { conversion.isConstant(root) }

    func converted(by conversion: PredicateConversion) throws(ConversionFailure) -> ConvertedNode {
        // The root comes first, so that an error names the innermost expression that causes it.
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

    /// Returns the property of a collection for the key path; nil if the root is not a collection.
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

/// A property of a collection that a key path can name.
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
    /// Returns a condition that a collection is empty.
    static func isEmpty(_ collection: FetchExpression) -> FetchPredicate {
        .comparison(
            PredicateComparison(.count(of: collection), .equal, .constant(.integer(0))))
    }
}

extension FetchExpression {
    /// Returns the expression of a property of this expression's object.
    func appending(_ name: String) -> FetchExpression {
        switch form {
        case .selfObject: .keyPath([name])
        case .keyPath(let names): .keyPath(names + [name])
        case .property(let base, let names): .property(base, names + [name])
        default: .property(self, [name])
        }
    }
}
