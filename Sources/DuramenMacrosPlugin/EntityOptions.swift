import SwiftSyntax

/// The arguments of `@Managed(…)`.
struct EntityOptions {
    var entityName: String?
    var isAbstract = false
    var renamedFrom: String?
    var unique: [[NameLiteral]] = []
    var indexes: [[NameLiteral]] = []
    var userInfo = "[:]"
    var hasValues = true

    init(_ attribute: AttributeSyntax, findings: inout Findings) {
        for argument in attribute.labeledArguments {
            let label = argument.label?.text ?? argument.expression.trimmedDescription
            switch label {
            case "entity": entityName = argument.string(findings: &findings)
            case "abstract": isAbstract = argument.boolean(findings: &findings) ?? false
            case "renamedFrom": renamedFrom = argument.string(findings: &findings)
            case "unique": unique = Self.nameLists(argument, &findings)
            case "indexes": indexes = Self.nameLists(argument, &findings)
            case "values": hasValues = argument.boolean(findings: &findings) ?? true
            case "userInfo": userInfo = argument.dictionary(findings: &findings) ?? "[:]"
            default:
                findings.report(
                    .unknownArgument(
                        label, of: "Managed",
                        known: [
                            "entity", "abstract", "renamedFrom", "unique", "indexes", "values",
                            "userInfo",
                        ]), at: argument)
            }
        }
    }

    private static func nameLists(
        _ argument: LabeledExprSyntax, _ findings: inout Findings
    ) -> [[NameLiteral]] {
        if let lists = argument.expression.nameListsLiteral { return lists }
        findings.report(
            .needsLiteral(argument.label?.text ?? "", "a literal list of lists of property names"),
            at: argument.expression)
        return []
    }
}
