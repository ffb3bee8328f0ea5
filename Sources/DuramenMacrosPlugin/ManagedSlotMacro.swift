import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@_ManagedSlot(n)`: turns a stored property into accessors over the object's row.
///
/// Mistakes are reported by `@Managed`, so this role does not report what it cannot expand.
struct ManagedSlotMacro: AccessorMacro {
    /// The number of a property that has a mistake.
    static let none = "-1"

    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        if node.labeledArguments.first?.expression.trimmedDescription == none {
            return ["get { fatalError() }", "set {}"]
        }
        var reader = PropertyReader()
        guard let variable = declaration.as(VariableDeclSyntax.self),
            let property = reader.property(of: variable),
            let number = node.labeledArguments.first?.expression.trimmedDescription
        else { return [] }
        let index = { (count: String) in
            guard let layout = node.layoutOfSuperclass else { return number }
            return "\(layout).\(count) &+ \(number)"
        }
        switch property.kind {
        case .attribute(let options) where options.transientOption != nil:
            let initial = property.initialValue?.trimmedDescription ?? "nil"
            return [
                "get { transient(at: \(raw: index("transients")), default: \(raw: initial)) }",
                "set { setTransient(newValue, at: \(raw: index("transients"))) }",
            ]
        case .attribute(let options) where options.form == .composite:
            return [
                "get { composite(at: \(raw: index("slots"))) }",
                "set { setComposite(newValue, at: \(raw: index("slots"))) }",
            ]
        case .attribute(let options) where options.form != .plain:
            let initial = property.initialArgument("default")
            return [
                "get { codable(at: \(raw: index("slots"))\(raw: initial)) }",
                "set { setCodable(newValue, at: \(raw: index("slots"))) }",
            ]
        case .attribute(let options) where options.derivedOption != nil:
            return ["get { attribute(at: \(raw: index("slots"))) }"]
        case .attribute:
            return [
                "get { attribute(at: \(raw: index("slots"))) }",
                "set { setAttribute(newValue, at: \(raw: index("slots"))) }",
            ]
        case .toOne:
            return [
                "get { toOne(at: \(raw: index("slots"))) }",
                "set { setToOne(newValue, at: \(raw: index("slots"))) }",
            ]
        case .toMany(_, let isOrdered, _):
            let function = isOrdered ? "orderedToMany" : "toMany"
            return ["get { \(raw: function)(at: \(raw: index("toManys"))) }"]
        }
    }
}

extension AttributeSyntax {
    /// The layout for the argument `after: Base.self`.
    fileprivate var layoutOfSuperclass: String? {
        let argument = labeledArguments.first { $0.label?.text == "after" }
        guard let metatype = argument?.expression.as(MemberAccessExprSyntax.self),
            let base = metatype.base
        else { return nil }
        return TypeSyntax("\(raw: base.trimmedDescription)").layoutReference
    }
}
