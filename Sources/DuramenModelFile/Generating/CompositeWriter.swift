import DuramenModel

/// Writes the struct of a composite, as `@Composite` does.
struct CompositeWriter {
    private struct Element {
        let name: String
        /// The Swift name, as a declaration writes it.
        let escaped: String
        /// The library function that describes the element.
        let function: String
        let type: String
        /// The value in a new struct, as an expression.
        let initialValue: String
        /// Further arguments of the function.
        let arguments: String
    }

    private let composite: ModelDocument.Composite
    private let file: SourceWriter

    init(_ composite: ModelDocument.Composite, _ file: SourceWriter) {
        self.composite = composite
        self.file = file
    }

    func write(to code: inout CodeWriter) {
        let elements = self.elements
        guard let name = file.plan.compositeName(composite.name), !elements.isEmpty else { return }
        let prefix = file.prefix
        code.line()
        code.line("/// The composite '\(SwiftName.commentable(composite.name))'.")
        let conformance = file.types.library("CompositeValue")
        code.block("nonisolated \(prefix)struct \(name): \(conformance)") { code in
            for element in elements {
                code.line(
                    "\(prefix)var \(element.escaped): \(element.type) = \(element.initialValue)")
            }
            code.line()
            code.line(
                "\(prefix)static let elements = \(file.types.library("CompositeElements"))<\(name)>("
            )
            code.within { code in
                for (index, element) in elements.enumerated() {
                    let separator = index + 1 < elements.count ? "," : ")"
                    code.line(
                        ".\(element.function)(\(SwiftName.quoted(element.name)), "
                            + "\\.\(element.escaped)\(element.arguments))\(separator)")
                }
            }
            code.line()
            code.line("\(prefix)init() {}")
            code.line()
            let parameters = elements.map { "\($0.escaped): \($0.type) = \($0.initialValue)" }
            code.block("\(prefix)init(\(parameters.joined(separator: ", ")))") { code in
                for element in elements {
                    code.line("self.\(element.escaped) = \(element.escaped)")
                }
            }
        }
    }

    private var elements: [Element] {
        var taken: Set<String> = ["elements", "init", "self"]
        return composite.attributes.compactMap { attribute in
            let identifier = SwiftName.unique(attribute.name, besides: taken)
            taken.insert(identifier)
            return element(attribute, named: SwiftName.escaped(identifier))
        }
    }

    /// Returns an element; nil if the model leaves it out, too.
    private func element(_ attribute: ModelDocument.Attribute, named escaped: String) -> Element? {
        guard let type = attribute.type else { return nil }
        if type == .composite {
            guard let name = attribute.composite.flatMap({ file.plan.compositeName($0) }) else {
                return nil
            }
            return Element(
                name: attribute.name, escaped: escaped, function: "composite",
                type: attribute.isOptional ? "\(name)?" : name,
                initialValue: attribute.isOptional ? "nil" : "\(name)()", arguments: "")
        }
        if type == .transformable, let name = attribute.customClassName,
            file.document.codableTypeNames.contains(name)
        {
            return Element(
                name: attribute.name, escaped: escaped, function: "codable", type: "\(name)?",
                initialValue: "nil", arguments: ", identifier: \(SwiftName.quoted(name))")
        }
        guard AttributeType.supported.contains(type) || type == .transformable else { return nil }
        let literals = LiteralWriter(file.types)
        let standard = attribute.defaultValue
            .flatMap { ForeignValue($0, type: type).stored(as: type) }.flatMap {
                literals.value($0)
            }
        let zero = attribute.isOptional ? nil : literals.zero(of: type)
        let name = file.types.name(of: type)
        return Element(
            name: attribute.name, escaped: escaped, function: "attribute",
            type: zero == nil ? "\(name)?" : name, initialValue: standard ?? zero ?? "nil",
            arguments: standard.map { ", default: \($0)" } ?? "")
    }
}

extension LiteralWriter {
    /// Returns the empty value of an attribute type; nil if the type has none.
    func zero(of type: AttributeType) -> String? {
        switch type {
        case .integer16, .integer32, .integer64, .double, .float, .decimal: "0"
        case .string: "\"\""
        case .boolean: "false"
        case .date: "\(types.foundation("Date"))(timeIntervalSinceReferenceDate: 0)"
        case .binaryData, .transformable: "\(types.foundation("Data"))()"
        default: nil
        }
    }
}
