public import DuramenModel

extension ModelDocument {
    /// An attribute as written in a model file. Values are texts of the file, whose meaning depends
    /// on the type. Invalid values are reported, not lost.
    public struct Attribute: Sendable, Hashable {
        /// The element of the file.
        public let element: MarkupElement

        /// The attribute's name.
        public var name: String { element["name"] ?? "" }
        /// The type as the file spells it; nil for none.
        public var typeName: String? { element["attributeType"].nonEmpty }
        /// The type; nil for an unknown spelling.
        public var type: AttributeType? {
            typeName.map { AttributeType(modelFileName: $0) } ?? .undefined
        }
        /// Whether null may be saved.
        public var isOptional: Bool { element.flag("optional") }
        /// Whether the attribute is never stored.
        public var isTransient: Bool { element.flag("transient") }
        /// Whether the attribute is marked for an index, in files of older tools.
        public var isIndexed: Bool { element.flag("indexed") }
        /// Whether stores compute the value.
        public var isDerived: Bool { element.flag("derived") }
        /// The expression of a derived attribute, or nil for other attributes.
        public var derivation: String? { element["derivationExpression"].nonEmpty }
        /// The name of a composite attribute's composite; nil for none.
        public var composite: String? { element["composite"].nonEmpty }
        /// The name of the Swift type of a transformable attribute's values; nil for none.
        public var customClassName: String? { element["customClassName"].nonEmpty }
        /// The name of the transformer that encodes a transformable attribute's values on Apple's
        /// platforms; nil for none.
        public var valueTransformerName: String? { element["valueTransformerName"].nonEmpty }
        /// The value of new objects; nil for none. Old tools wrote a readable copy beside the
        /// number of a date.
        public var defaultValue: String? {
            element["defaultDateTimeInterval"] ?? element["defaultValueString"]
        }
        /// The smallest value, or the smallest length of text; nil for none.
        public var minimum: String? { element["minDateTimeInterval"] ?? element["minValueString"] }
        /// The largest value, or the largest length of text; nil for none.
        public var maximum: String? { element["maxDateTimeInterval"] ?? element["maxValueString"] }
        /// The regular expression that text must match; nil for none.
        public var pattern: String? { element["regularExpressionString"].nonEmpty }
    }
}

extension AttributeType {
    /// Creates the type with a name of model files; nil for an unknown name.
    init?(modelFileName name: String) {
        let known = Self.supported + [.undefined, .transformable, .objectID, .composite]
        let type = known.first { $0.modelFileName == name }
        guard let type else { return nil }
        self = type
    }

    /// The name of the type in model files.
    var modelFileName: String {
        switch self {
        case .binaryData: "Binary"
        default: description
        }
    }
}
