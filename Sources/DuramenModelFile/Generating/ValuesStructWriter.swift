import DuramenModel

/// Writes the nested struct `Values` of a generated class, as `@Managed` does.
///
/// All members are accessed with `self`, so that a property may have any name.
struct ValuesStructWriter {
    private let generated: GeneratedClass
    private let file: SourceWriter
    private let properties: [GeneratedProperty]
    private let superValues: String?

    init(_ generated: GeneratedClass, _ file: SourceWriter) {
        self.generated = generated
        self.file = file
        properties = generated.stored
        superValues = generated.parent.flatMap { file.plan.className(of: $0.id) }.map {
            "\($0).Values"
        }
    }

    private var types: TypeNames { file.types }
    private var prefix: String { file.prefix }
    private var objectID: String { types.library("ManagedObjectID") }

    func write(to code: inout CodeWriter) {
        code.line()
        code.line(
            "/// The stored values of \(generated.name) objects, free to leave their context.")
        if superValues != nil { code.line("@dynamicMemberLookup") }
        code.block("nonisolated \(prefix)struct Values: \(types.library("ManagedValues"))") {
            code in
            code.line("\(prefix)typealias Object = \(generated.escaped)")
            writeStorage(to: &code)
            writeInitializers(to: &code)
            writeComparing(to: &code)
            writeCoding(to: &code)
        }
        // A property cannot override a superclass's property of another type.
        guard generated.isFinal else { return }
        code.line()
        code.line("/// The stored values with unsaved changes, free to leave the object's context.")
        code.line("\(prefix)var values: Values { Values(self) }")
    }

    private func type(of property: GeneratedProperty) -> String {
        property.form == .toOne ? "\(objectID)?" : property.declaredType
    }

    private func writeStorage(to code: inout CodeWriter) {
        if let superValues {
            code.line("/// The values of the superclass; these values have all of its members too.")
            code.line("\(prefix)var superValues: \(superValues)")
            writeForwarded("objectID", objectID, to: &code)
            // The protocol's default would hide a property of this name in `superValues`.
            if ownID == nil { writeForwarded("id", "\(superValues).ID", to: &code) }
            code.line("\(prefix)subscript<Value>(")
            code.line("    dynamicMember keyPath: WritableKeyPath<\(superValues), Value>")
            code.block(") -> Value") { code in
                code.line("get { superValues[keyPath: keyPath] }")
                code.line("set { superValues[keyPath: keyPath] = newValue }")
            }
        } else {
            code.line("\(prefix)var objectID: \(objectID)")
        }
        if let ownID, !ownID.isIdentity { code.line("\(prefix)typealias ID = \(objectID)") }
        for property in properties {
            code.line("\(prefix)var \(property.escaped): \(type(of: property))")
        }
    }

    private var ownID: GeneratedProperty? { properties.first { $0.identifier == "id" } }

    private func writeForwarded(_ name: String, _ type: String, to code: inout CodeWriter) {
        code.block("\(prefix)var \(name): \(type)") { code in
            code.line("get { superValues.\(name) }")
            code.line("set { superValues.\(name) = newValue }")
        }
    }

    /// Returns the default value of a property in `Values`, which equals that in new objects.
    private func standard(of property: GeneratedProperty) -> String? {
        let attribute = generated.description.attributes.first { $0.name == property.name }
        if property.form == .attribute, let attribute,
            let literal = LiteralWriter(types).value(attribute.defaultValue)
        {
            return literal
        }
        return type(of: property).hasSuffix("?") ? "nil" : nil
    }

    // MARK: - Rows and objects

    private func writeInitializers(to code: inout CodeWriter) {
        let handle = types.library("EntityHandle")
        let temporary =
            ".temporary(entity: \(handle)(name: \(SwiftName.quoted(generated.entity.name))))"
        let first =
            superValues.map { "superValues: \($0)" } ?? "objectID: \(objectID) = \(temporary)"
        let parameters = properties.map { property in
            let standard = standard(of: property).map { " = \($0)" } ?? ""
            return "\(property.escaped): \(type(of: property))\(standard)"
        }
        code.line()
        code.block("\(prefix)init(\(([first] + parameters).joined(separator: ", ")))") { code in
            code.line(
                superValues == nil ? "self.objectID = objectID" : "self.superValues = superValues")
            for property in properties {
                code.line("self.\(property.escaped) = \(property.escaped)")
            }
        }
        code.line()
        code.block("\(prefix)init(reading reader: \(types.library("ValuesReader")))") { code in
            code.line(
                superValues.map { "self.superValues = \($0)(reading: reader)" }
                    ?? "self.objectID = reader.objectID")
            for property in properties {
                code.line("self.\(property.escaped) = reader.\(property.getter)")
            }
        }
        code.line()
        code.block("\(prefix)func write(to writer: \(types.library("ValuesWriter")))") { code in
            if superValues != nil { code.line("self.superValues.write(to: writer)") }
            for property in properties where !property.isDerived {
                let setter =
                    switch property.form {
                    case .codable: "setCodable"
                    case .composite: "setComposite"
                    case .toOne: "setToOne"
                    default: "set"
                    }
                code.line("writer.\(setter)(self.\(property.escaped), at: \(property.place))")
            }
        }
    }

    // MARK: - Comparing

    private func writeComparing(to code: inout CodeWriter) {
        let bool = types.standard("Bool")
        let whole = superValues == nil ? "objectID" : "superValues"
        code.line()
        code.block("\(prefix)static func == (a: Self, b: Self) -> \(bool)") { code in
            code.line("if a.\(whole) != b.\(whole) { return false }")
            for property in properties {
                let name = property.escaped
                switch property.form {
                case .toOne: code.line("if a.\(name) != b.\(name) { return false }")
                case .codable:
                    code.line("if !isSameEncoded(a.\(name), b.\(name)) { return false }")
                default: code.line("if !isSame(a.\(name), b.\(name)) { return false }")
                }
            }
            code.line("return true")
        }
        code.line()
        code.block("\(prefix)func hash(into hasher: inout Hasher)") { code in
            code.line("hasher.combine(self.\(whole))")
            for property in properties {
                let value = "self.\(property.escaped)"
                switch property.form {
                case .toOne: code.line("hasher.combine(\(value))")
                case .codable: code.line("Self.hashEncoded(\(value), into: &hasher)")
                default: code.line("Self.hash(\(value), into: &hasher)")
                }
            }
        }
    }

    // MARK: - Coding

    private func writeCoding(to code: inout CodeWriter) {
        let decoder = "\(prefix)init(from decoder: any Decoder) throws"
        let encoder = "\(prefix)func encode(to encoder: any Encoder) throws"
        code.line()
        // An enum of keys must have at least one case.
        if let superValues, properties.isEmpty {
            code.block(decoder) { $0.line("self.superValues = try \(superValues)(from: decoder)") }
            code.block(encoder) { $0.line("try self.superValues.encode(to: encoder)") }
            return
        }
        code.block("private enum CodingKeys: \(types.standard("String")), CodingKey") { code in
            let keys = (superValues == nil ? ["objectID"] : []) + properties.map(\.escaped)
            code.line("case \(keys.joined(separator: ", "))")
        }
        code.line()
        code.block(decoder) { code in
            code.line("let container = try decoder.container(keyedBy: CodingKeys.self)")
            writeDecodingOfID(to: &code)
            for property in properties {
                code.line("self.\(property.escaped) = try \(decoding(property))")
            }
        }
        code.line()
        code.block(encoder) { code in
            code.line("var container = encoder.container(keyedBy: CodingKeys.self)")
            code.line(
                superValues == nil
                    ? "try container.encode(self.objectID, forKey: .objectID)"
                    : "try self.superValues.encode(to: encoder)")
            for property in properties { code.line("try \(encoding(property))") }
        }
    }

    private func writeDecodingOfID(to code: inout CodeWriter) {
        if let superValues {
            return code.line("self.superValues = try \(superValues)(from: decoder)")
        }
        let name = SwiftName.quoted(generated.entity.name)
        code.line(
            "self.objectID = try container.decodeIfPresent(\(objectID).self, forKey: .objectID) "
                + "?? .temporary(entity: \(types.library("EntityHandle"))(name: \(name)))")
    }

    private func decoding(_ property: GeneratedProperty) -> String {
        let condition = property.isOptional ? "IfPresent" : ""
        let key = "forKey: .\(property.escaped)"
        return switch property.form {
        case .toOne: "container.decodeIfPresent(\(objectID).self, \(key))"
        case .codable: "container.decodeIfPresent(\(property.type).self, \(key))"
        default: "Self.decode\(condition)(\(property.type).self, from: container, \(key))"
        }
    }

    private func encoding(_ property: GeneratedProperty) -> String {
        let value = "self.\(property.escaped)"
        let key = "forKey: .\(property.escaped)"
        return switch property.form {
        case .toOne, .codable: "container.encodeIfPresent(\(value), \(key))"
        default: "Self.encode(\(value), to: &container, \(key))"
        }
    }
}
