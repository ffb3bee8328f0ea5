import SwiftDiagnostics
import SwiftSyntax

/// The arguments of `@Attribute(…)`.
struct AttributeOptions {
    var isUnique = false
    var isIndexed = false
    /// The calls after the description, in the order of the options.
    var modifiers = ""
    /// The form in which the attribute is stored, if it is.
    var form = AttributeForm.plain
    /// All options with their names, for diagnostics.
    var all: [(name: String, node: ExprSyntax)] = []
    /// The option `.derived`; nil if the application sets the attribute.
    var derivedOption: ExprSyntax?
    /// The option `.transient`; nil if the attribute is stored.
    var transientOption: ExprSyntax?
    var originalName: String?
    var userInfo: String?
    /// The arguments of `limited` for limits.
    var limits: [String] = []
    /// The arguments of `limited` for lengths and a pattern.
    var textRules: [String] = []
    /// The argument of a rule, for a diagnostic.
    var ruleArgument: LabeledExprSyntax?
    /// All arguments with labels, for diagnostics.
    var otherArguments: [LabeledExprSyntax] = []

    init() {}

    init(_ marker: AttributeSyntax, findings: inout Findings) {
        for argument in marker.labeledArguments {
            if argument.label != nil { otherArguments.append(argument) }
            switch argument.label?.text {
            case nil: readOption(argument.expression, &findings)
            case "originalName":
                originalName = argument.string(findings: &findings)
            case "userInfo":
                userInfo = argument.dictionary(findings: &findings)
            case let label? where ["minimum", "maximum"].contains(label):
                limits.append("\(label): \(argument.expression.trimmedDescription)")
                ruleArgument = argument
            case let label? where ["minimumLength", "maximumLength", "pattern"].contains(label):
                textRules.append("\(label): \(argument.expression.trimmedDescription)")
                ruleArgument = argument
            case let label?:
                findings.report(
                    .unknownArgument(
                        label, of: "Attribute",
                        known: [
                            "originalName", "minimum", "maximum", "minimumLength", "maximumLength",
                            "pattern", "userInfo",
                        ],
                        options: [
                            "unique", "indexed", "transient", "composite", "externalStorage",
                            "preservesValueOnDeletion", "confidential",
                        ]), at: argument)
            }
        }
    }

    private mutating func readOption(_ option: ExprSyntax, _ findings: inout Findings) {
        let call = option.as(FunctionCallExprSyntax.self)
        let name = (call?.calledExpression ?? option).memberName
        all.append((name ?? "", option))
        switch name {
        case "codable" where call != nil: readCodable(call, &findings)
        case "derived" where call != nil:
            derivedOption = option
            if let text = call?.arguments.first?.string(findings: &findings) {
                modifiers += ".derived(from: \(quoted(text)))"
            }
        case "composite": form = .composite
        case "unique": isUnique = true
        case "indexed": isIndexed = true
        case "externalStorage": modifiers += ".externallyStored()"
        case "preservesValueOnDeletion": modifiers += ".preservedOnDeletion()"
        case "confidential": modifiers += ".confidential()"
        case "transient": transientOption = option
        default:
            findings.report(
                .unknownOption(
                    option.trimmedDescription, of: "Attribute",
                    known: [
                        ".unique", ".indexed", ".transient", ".composite", ".codable(…)",
                        ".derived(…)", ".externalStorage", ".preservesValueOnDeletion",
                        ".confidential",
                    ]),
                at: option)
        }
    }

    private mutating func readCodable(
        _ call: FunctionCallExprSyntax?, _ findings: inout Findings
    ) {
        guard let argument = call?.arguments.first else { return }
        // The compiler reports a wrong number of arguments.
        form = .codable(argument.string(findings: &findings) ?? "")
    }
}

/// The form in which stores keep an attribute's values.
enum AttributeForm: Equatable {
    /// One slot.
    case plain
    /// A slot for each element.
    case composite
    /// JSON of a type with this identifier.
    case codable(String)
}

/// The arguments of `@Relationship(…)`.
struct RelationshipOptions {
    var isRequired = false
    var isOwnInverse = false
    var inverse: String?
    var deleteRule = "nullify"
    var originalName: String?
    var minimumCount = 0
    var maximumCount: Int?
    /// The argument that includes the relationship in the values; nil if there is none.
    var valuesArgument: LabeledExprSyntax?
    /// The argument of a count, for a diagnostic.
    var countArgument: LabeledExprSyntax?
    /// The option `.required`, for a diagnostic.
    var requiredOption: LabeledExprSyntax?

    private static let deleteRules: Set<String> = ["nullify", "cascade", "deny", "noAction"]

    init(_ marker: AttributeSyntax, findings: inout Findings) {
        for argument in marker.labeledArguments {
            switch argument.label?.text {
            case nil: readOption(argument, &findings)
            case "inverse": readInverse(argument.expression, &findings)
            case "deleteRule": readDeleteRule(argument.expression, &findings)
            case "minimumCount":
                minimumCount = argument.count(findings: &findings) ?? 0
                countArgument = argument
            case "maximumCount":
                maximumCount = argument.count(findings: &findings)
                countArgument = argument
            case "values":
                if argument.boolean(findings: &findings) == true { valuesArgument = argument }
            case "originalName":
                originalName = argument.string(findings: &findings)
            case let label?:
                findings.report(
                    .unknownArgument(
                        label, of: "Relationship",
                        known: [
                            "inverse", "deleteRule", "minimumCount", "maximumCount", "values",
                            "originalName",
                        ], options: ["required", "ownInverse"]), at: argument)
            }
        }
    }

    private mutating func readOption(_ argument: LabeledExprSyntax, _ findings: inout Findings) {
        switch argument.expression.memberName {
        case "required":
            isRequired = true
            requiredOption = argument
        case "ownInverse": isOwnInverse = true
        default:
            findings.report(
                .unknownOption(
                    argument.expression.trimmedDescription, of: "Relationship",
                    known: [".required", ".ownInverse"]),
                at: argument.expression)
        }
    }

    private mutating func readInverse(_ expression: ExprSyntax, _ findings: inout Findings) {
        // The root must be written: otherwise the generated call could not name the entity.
        guard let keyPath = expression.as(KeyPathExprSyntax.self), keyPath.root != nil,
            keyPath.components.count == 1,
            case .property = keyPath.components.first?.component
        else { return findings.report(.inverseNotKeyPath(), at: expression) }
        inverse = keyPath.trimmedDescription
    }

    private mutating func readDeleteRule(_ expression: ExprSyntax, _ findings: inout Findings) {
        guard let name = expression.memberName, Self.deleteRules.contains(name) else {
            return findings.report(.unknownDeleteRule(), at: expression)
        }
        deleteRule = name
    }
}

extension LabeledExprSyntax {
    /// Returns the argument's text; nil and a finding if it is not a plain string literal.
    func string(findings: inout Findings) -> String? {
        if let text = expression.stringLiteral, !text.isEmpty { return text }
        findings.report(
            .needsLiteral(label?.text ?? "", "a string literal that is not empty"), at: expression)
        return nil
    }

    /// Returns the argument's flag; nil and a finding if it is not a literal.
    func boolean(findings: inout Findings) -> Bool? {
        if let value = expression.booleanLiteral { return value }
        findings.report(.needsLiteral(label?.text ?? "", "'true' or 'false'"), at: expression)
        return nil
    }

    /// Returns the argument's number; nil and a finding if it is not a plain integer.
    func count(findings: inout Findings) -> Int? {
        if let number = expression.integerLiteral { return number }
        findings.report(
            .needsLiteral(label?.text ?? "", "a whole number, 0 or more"), at: expression)
        return nil
    }

    /// Returns the argument's dictionary literal as written; nil and a finding if it is not a
    /// literal.
    func dictionary(findings: inout Findings) -> String? {
        if let literal = expression.dictionaryLiteral { return literal }
        findings.report(.needsLiteral(label?.text ?? "", "a dictionary literal"), at: expression)
        return nil
    }
}
