import DuramenModel
import Foundation

/// Writes descriptions as Swift expressions that create them.
struct LiteralWriter {
    let types: TypeNames

    init(_ types: TypeNames) { self.types = types }

    /// Returns the expression of an attribute, without default arguments.
    func attribute(_ attribute: AttributeDescription) -> String {
        var arguments: [String]
        let description = types.library("AttributeDescription")
        var head = description
        if attribute.type == .composite {
            head += ".composite"
            arguments = [SwiftName.quoted(attribute.name)]
            if attribute.isOptional { arguments.append("isOptional: true") }
            let elements = attribute.elements.map { self.attribute($0) }.joined(separator: ", ")
            arguments.append("elements: [\(elements)]")
        } else if let codable = attribute.codableType {
            head += ".codable"
            arguments = [
                "\(codable.identifier)\(attribute.isOptional ? "?" : "").self",
                "name: \(SwiftName.quoted(attribute.name))",
                "identifier: \(SwiftName.quoted(codable.identifier))",
            ]
        } else {
            arguments = [SwiftName.quoted(attribute.name), ".\(attribute.type.swiftName)"]
            if attribute.isOptional { arguments.append("isOptional: true") }
            if !attribute.defaultValue.isNull {
                arguments.append("default: \(stored(attribute.defaultValue))")
            }
            if attribute.isTransient { arguments.append("isTransient: true") }
        }
        arguments += versioning(
            attribute.renamingIdentifier, attribute.versionHashModifier, attribute.userInfo)
        return "\(head)(\(arguments.joined(separator: ", ")))" + modifiers(of: attribute)
    }

    private func modifiers(of attribute: AttributeDescription) -> String {
        var modifiers = ""
        if attribute.allowsExternalBinaryDataStorage { modifiers += ".externallyStored()" }
        if let expression = attribute.derivationExpression {
            modifiers += ".derived(from: \(SwiftName.quoted(expression)))"
        }
        if let name = attribute.valueTransformerName {
            modifiers += ".transformed(by: \(SwiftName.quoted(name)))"
        }
        if attribute.preservesValueInHistoryOnDeletion { modifiers += ".preservedOnDeletion()" }
        let rules = attribute.rules
        if !rules.minimum.isNull || !rules.maximum.isNull {
            let limits = [("minimum", rules.minimum), ("maximum", rules.maximum)]
                .filter { !$0.1.isNull }.map { "\($0.0): \(stored($0.1))" }
            modifiers += ".limited(\(limits.joined(separator: ", ")))"
        }
        let texts =
            [("minimumLength", rules.minimumLength), ("maximumLength", rules.maximumLength)]
            .compactMap { name, length in length.map { "\(name): \($0)" } }
            + (rules.pattern.map { ["pattern: \(SwiftName.quoted($0))"] } ?? [])
        if !texts.isEmpty { modifiers += ".limited(\(texts.joined(separator: ", ")))" }
        for rule in rules.predicates {
            let warning = rule.warning.map { ", warning: \(SwiftName.quoted($0))" } ?? ""
            modifiers += ".validated(by: \(SwiftName.quoted(rule.format))\(warning))"
        }
        return modifiers
    }

    /// Returns the expression of a relationship, without default arguments.
    func relationship(_ relationship: RelationshipDescription) -> String {
        var arguments = [
            SwiftName.quoted(relationship.name),
            "destination: \(SwiftName.quoted(relationship.destination))",
        ]
        if !relationship.isOptional { arguments.append("isOptional: false") }
        if relationship.deleteRule != .nullify {
            arguments.append("deleteRule: .\(relationship.deleteRule.rawValue)")
        }
        if let inverse = relationship.inverse {
            arguments.append("inverse: \(SwiftName.quoted(inverse))")
        }
        if relationship.isOrdered { arguments.append("isOrdered: true") }
        if relationship.minimumCount > 0 {
            arguments.append("minimumCount: \(relationship.minimumCount)")
        }
        if let count = relationship.maximumCount { arguments.append("maximumCount: \(count)") }
        arguments += versioning(
            relationship.renamingIdentifier, relationship.versionHashModifier,
            relationship.userInfo)
        let head =
            types.library("RelationshipDescription")
            + (relationship.isToMany ? ".toMany" : ".toOne")
        return "\(head)(\(arguments.joined(separator: ", ")))"
    }

    /// Returns the expression of a fetched property.
    func fetchedProperty(_ property: FetchedPropertyDescription) -> String {
        var arguments = [
            SwiftName.quoted(property.name),
            "destination: \(SwiftName.quoted(property.destination))",
        ]
        if let format = property.predicateFormat {
            arguments.append("predicateFormat: \(SwiftName.quoted(format))")
        }
        if !property.sortKeys.isEmpty {
            let keys = property.sortKeys.map { key in
                ".init(\(SwiftName.quoted(key.keyPath))\(key.isAscending ? "" : ", isAscending: false"))"
            }
            arguments.append("sortKeys: [\(keys.joined(separator: ", "))]")
        }
        if let limit = property.fetchLimit { arguments.append("fetchLimit: \(limit)") }
        if !property.userInfo.isEmpty { arguments.append("userInfo: \(notes(property.userInfo))") }
        return
            "\(types.library("FetchedPropertyDescription"))(\(arguments.joined(separator: ", ")))"
    }

    /// Returns the expression of an index.
    func index(_ index: IndexDescription) -> String {
        let elements = index.elements.map { element in
            ".init(\(SwiftName.quoted(element.property))\(element.isAscending ? "" : ", isAscending: false"))"
        }
        return "\(types.library("IndexDescription"))(name: \(SwiftName.quoted(index.name)), "
            + "elements: [\(elements.joined(separator: ", "))])"
    }

    func versioning(
        _ renamingIdentifier: String?, _ versionHashModifier: String?, _ userInfo: [String: String]
    ) -> [String] {
        var arguments: [String] = []
        if let renamingIdentifier {
            arguments.append("renamingIdentifier: \(SwiftName.quoted(renamingIdentifier))")
        }
        if let versionHashModifier {
            arguments.append("versionHashModifier: \(SwiftName.quoted(versionHashModifier))")
        }
        if !userInfo.isEmpty { arguments.append("userInfo: \(notes(userInfo))") }
        return arguments
    }

    func notes(_ userInfo: [String: String]) -> String {
        let pairs = userInfo.sorted { StoredText($0.key) < StoredText($1.key) }.map {
            "\(SwiftName.quoted($0.key)): \(SwiftName.quoted($0.value))"
        }
        return "[\(pairs.joined(separator: ", "))]"
    }

    // MARK: - Values

    /// Returns the expression of a stored value.
    func stored(_ value: StoredValue) -> String {
        switch value {
        case .null, .objectID: ".null"
        case .integer(let number): ".integer(\(number))"
        case .double(let number): ".double(\(double(number)))"
        case .decimal(let number): ".decimal(\(decimal(number)))"
        case .text(let text): ".text(\(SwiftName.quoted(text.string)))"
        case .uri(let text): ".uri(\(SwiftName.quoted(text.string)))"
        case .boolean(let flag): ".boolean(\(flag))"
        case .date(let date): ".date(\(self.date(date)))"
        case .binary(let data): ".binary(\(types.foundation("Data"))([\(bytes(data))]))"
        case .uuid(let uuid): ".uuid(\(self.uuid(uuid)))"
        }
    }

    /// Returns the literal of a value in Swift code; nil if there is none.
    func value(_ value: StoredValue) -> String? {
        switch value {
        case .integer(let number): "\(number)"
        case .double(let number): double(number)
        case .decimal(let number): decimal(number)
        case .text(let text): SwiftName.quoted(text.string)
        case .boolean(let flag): "\(flag)"
        case .date(let date): self.date(date)
        case .uuid(let uuid): self.uuid(uuid)
        default: nil
        }
    }

    private func date(_ date: Date) -> String {
        let seconds = double(date.timeIntervalSinceReferenceDate)
        return "\(types.foundation("Date"))(timeIntervalSinceReferenceDate: \(seconds))"
    }

    private func uuid(_ uuid: UUID) -> String {
        let list = withUnsafeBytes(of: uuid.uuid) { bytes(Data($0)) }
        return "\(types.foundation("UUID"))(uuid: (\(list)))"
    }

    private func bytes(_ data: Data) -> String {
        data.map { "\($0)" }.joined(separator: ", ")
    }

    private func double(_ number: Double) -> String {
        if number.isFinite { return "\(number)" }
        return number < 0 ? "-.infinity" : ".infinity"
    }

    /// Returns an exact expression with digits and a power of ten: a literal would be rounded to a
    /// double.
    private func decimal(_ number: Decimal) -> String {
        let digits = "\(number.significand)"
        let sign = number.sign == .minus ? ".minus" : ".plus"
        return
            "\(types.foundation("Decimal"))(sign: \(sign), exponent: \(number.exponent), significand: \(digits))"
    }
}

extension AttributeType {
    /// The name of the static member for the type.
    fileprivate var swiftName: String {
        switch self {
        case .undefined: "undefined"
        case .integer16: "integer16"
        case .integer32: "integer32"
        case .integer64: "integer64"
        case .decimal: "decimal"
        case .double: "double"
        case .float: "float"
        case .string: "string"
        case .boolean: "boolean"
        case .date: "date"
        case .binaryData: "binaryData"
        case .uuid: "uuid"
        case .uri: "uri"
        default: "transformable"
        }
    }
}
