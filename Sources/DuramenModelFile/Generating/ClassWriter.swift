import DuramenModel

/// Writes the class of an entity, or the extension of a class that the application writes.
struct ClassWriter {
    let generated: GeneratedClass
    let file: SourceWriter

    init(_ generated: GeneratedClass, _ file: SourceWriter) {
        self.generated = generated
        self.file = file
    }

    private var types: TypeNames { file.types }
    private var isCategory: Bool { generated.codeGeneration == .category }
    /// Properties cannot be overridden, so that a read needs no dynamic dispatch.
    private var finality: String { generated.isFinal || isCategory ? "" : "final " }

    func write(to code: inout CodeWriter) {
        code.line()
        code.line("/// An object of the entity '\(SwiftName.commentable(generated.entity.name))'.")
        if isCategory { writeInstructions(to: &code) }
        let head =
            isCategory
            ? "nonisolated extension \(generated.escaped)\(conformance(after: ": "))"
            : "nonisolated \(file.prefix)\(generated.isFinal ? "final " : "")class "
                + "\(generated.escaped): \(generated.superclass)\(conformance(after: ", "))"
        code.block(head) { code in
            if generated.parent == nil, generated.hidesIdentity {
                code.line("\(file.prefix)typealias ID = \(types.library("ManagedObjectID"))")
            }
            for property in generated.properties + generated.fetchedProperties {
                write(property, to: &code)
            }
            writeLayout(to: &code)
            writeNames(to: &code)
            writeDescription(to: &code)
            if !isCategory { writeHooks(to: &code) }
            writeFinders(to: &code)
            ValuesStructWriter(generated, file).write(to: &code)
        }
    }

    /// Only classes that inherit directly from `ManagedObject` declare the conformance.
    private func conformance(after separator: String) -> String {
        generated.parent == nil ? separator + types.standard("Identifiable") : ""
    }

    /// Writes the part that the application's class must have, since an extension cannot override.
    private func writeInstructions(to code: inout CodeWriter) {
        code.line("///")
        code.line("/// The class itself is the application's, and says:")
        code.line("/// ```swift")
        let name = generated.name
        for line in [
            "nonisolated \(generated.isFinal ? "final " : "")class \(generated.escaped): \(generated.superclass) {",
            "    override class var entityName: String { managedEntityName_\(name) }",
            "    override class var entityDescription: EntityDescription { managedEntityDescription_\(name) }",
            "    override class func propertyName(for keyPath: AnyKeyPath) -> String? {",
            "        managedPropertyName_\(name)(for: keyPath)", "    }", "}",
        ] {
            code.line("/// \(line)")
        }
        code.line("/// ```")
    }

    private func write(_ property: GeneratedProperty, to code: inout CodeWriter) {
        if property.identifier != property.name {
            code.line("/// The property '\(SwiftName.commentable(property.name))' of the entity.")
        }
        let head = "\(file.prefix)\(finality)var \(property.escaped): \(declaredType(of: property))"
        guard let setter = property.setter else {
            return code.line("\(head) { \(property.getter) }")
        }
        code.block(head) { code in
            code.line("get { \(property.getter) }")
            code.line("set { \(setter) }")
        }
    }

    private func declaredType(of property: GeneratedProperty) -> String {
        switch property.form {
        case .toMany: "\(types.library("ToMany"))<\(property.type)>"
        case .orderedToMany: "\(types.library("OrderedToMany"))<\(property.type)>"
        default: property.declaredType
        }
    }

    // MARK: - Class requirements

    private func writeLayout(to code: inout CodeWriter) {
        let slots =
            generated.entity.attributes.count
            + generated.entity.relationships.count { !$0.isToMany && !$0.isHidden }
        let toManys = generated.entity.toManyRelationships.count { !$0.isHidden }
        let transients = generated.entity.transientAttributes.count
        let type = types.library("ManagedLayout")
        code.line()
        code.block("\(file.prefix)static var managedLayout_\(generated.name): \(type)") { code in
            code.line("\(type)(slots: \(slots), toManys: \(toManys), transients: \(transients))")
        }
    }

    /// `\Derived.code` and `\Base.code` are different keys, although they name one property. So a
    /// class lists its key paths for any root below it, and has one table with all of them for its
    /// own root.
    private func writeNames(to code: inout CodeWriter) {
        let name = generated.name
        let anyKeyPath = types.standard("AnyKeyPath")
        let string = types.standard("String")
        code.line()
        code.line(
            "\(file.prefix)static func managedPropertyNames_\(name)<Root: \(generated.escaped)>(")
        code.line("    rootedAt root: Root.Type")
        code.block(") -> [\(anyKeyPath): \(string)]") { code in
            let inherited = parentNames("root")
            let pairs = generated.properties.map {
                "\\Root.\($0.escaped): \(SwiftName.quoted($0.name))"
            }
            if pairs.isEmpty { return code.line(inherited ?? "[:]") }
            guard let inherited else { return code.list("", pairs) }
            code.list("\(inherited).merging(", pairs, ") { _, own in own }")
        }
        let table = types.library("ManagedKeyPaths")
        code.line()
        code.line("private static let managedKeyPaths_\(name) = \(table)(")
        code.line("    managedPropertyNames_\(name)(rootedAt: \(generated.escaped).self))")
        code.line()
        let head =
            isCategory
            ? "\(file.prefix)static func managedPropertyName_\(name)"
            : "\(file.prefix)override class func propertyName"
        code.block("\(head)(for keyPath: \(anyKeyPath)) -> \(string)?") { code in
            let rest = isCategory ? "" : " ?? super.propertyName(for: keyPath)"
            code.line("managedKeyPaths_\(name)[keyPath]\(rest)")
        }
    }

    private func parentNames(_ root: String) -> String? {
        generated.parent.map { parent in
            let name = file.plan.className(of: parent.id) ?? ""
            return "\(name).managedPropertyNames_\(SwiftName.unescaped(name))(rootedAt: \(root))"
        }
    }

    private func writeDescription(to code: inout CodeWriter) {
        let string = types.standard("String")
        // An extension cannot have a member that another extension above it has, so names end with
        // that of the class.
        let head = isCategory ? "static var managedEntity" : "override class var entity"
        let end = isCategory ? "_\(generated.name)" : ""
        code.line()
        code.block("\(file.prefix)\(head)Name\(end): \(string)") { code in
            code.line(SwiftName.quoted(generated.entity.name))
        }
        code.line()
        let description = types.library("EntityDescription")
        code.block("\(file.prefix)\(head)Description\(end): \(description)") { code in
            DescriptionWriter(types).write(
                generated.description, className: isCategory ? generated.escaped : nil, to: &code)
        }
    }

    /// A class without this member would have all hooks called for each of its objects.
    private func writeHooks(to code: inout CodeWriter) {
        let object = types.library("ManagedObject")
        let hooks = types.library("LifecycleHooks")
        code.line()
        code.block(
            "\(file.prefix)override class func overriddenHooks(of type: \(object).Type) -> \(hooks)"
        ) { code in
            let none =
                generated.parent == nil
                ? "[]" : "super.overriddenHooks(of: \(generated.superclass).self)"
            code.line(
                "type == \(generated.escaped).self ? \(none) : super.overriddenHooks(of: type)")
        }
    }

    // MARK: - Finders

    /// Writes a function for each uniqueness constraint, which finds the single object.
    private func writeFinders(to code: inout CodeWriter) {
        for constraint in generated.description.uniquenessConstraints {
            let parts = constraint.compactMap { name in
                finderParameter(name)
            }
            guard parts.count == constraint.count else { continue }
            let parameters = parts.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
            let condition = parts.map { "$0.\($0.name) == \($0.name)" }.joined(separator: " && ")
            let context = types.library("ManagedObjectContext")
            let request = types.library("FetchRequest")
            code.line()
            code.line(
                "/// The object with \(constraint.joined(separator: " and ")), of which there is one at most."
            )
            code.block(
                "\(file.prefix)static func find(\(parameters), in context: \(context)) throws -> \(generated.escaped)?"
            ) { code in
                code.line(
                    "try context.fetch(\(request)<\(generated.escaped)>().where { \(condition) }.limit(1)).first"
                )
            }
        }
    }

    private func finderParameter(_ name: String) -> (name: String, type: String)? {
        guard !name.contains("."),
            let identifier = file.plan.identifier(of: name, in: generated.entity)
        else { return nil }
        switch generated.entity.property(named: name) {
        case .attribute(let attribute) where attribute.codableType == nil:
            return (SwiftName.escaped(identifier), types.name(of: attribute.type))
        case .relationship(let relationship):
            let type = file.plan.destinationName(of: relationship.destination)
            return (SwiftName.escaped(identifier), type)
        case .attribute, nil: return nil
        }
    }
}

extension SwiftName {
    /// Returns a name without its backticks.
    static func unescaped(_ name: String) -> String { name.filter { $0 != "`" } }
}
