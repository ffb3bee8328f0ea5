import DuramenModel

/// Combines the parts of a generated file.
struct SourceWriter {
    let document: ModelDocument
    /// The model's name.
    let name: String
    let model: ManagedObjectModel
    let plan: CodePlan
    let requests: [PlannedRequest]
    let access: ModelCodeGenerator.Options.Access

    init(
        _ document: ModelDocument, name: String, model: ManagedObjectModel, plan: CodePlan,
        requests: [PlannedRequest], access: ModelCodeGenerator.Options.Access
    ) {
        self.document = document
        self.name = name
        self.model = model
        self.plan = plan
        self.requests = requests
        self.access = access
    }

    var types: TypeNames { plan.types }
    /// The access modifier of visible declarations.
    var prefix: String { access == .internal ? "" : "\(access.rawValue) " }

    var source: String {
        var code = CodeWriter()
        code.line("// swift-format-ignore-file")
        code.line(
            "// Generated from the model '\(SwiftName.commentable(name))'. Do not edit: changes are overwritten."
        )
        code.line()
        code.line("\(prefix)import Duramen")
        writeImportOfFoundation(to: &code)
        writeModel(to: &code)
        for composite in plan.composites {
            CompositeWriter(composite, self).write(to: &code)
        }
        for generated in plan.classes { ClassWriter(generated, self).write(to: &code) }
        for request in requests { RequestWriter(request, self).write(to: &code) }
        return code.text
    }

    private func writeImportOfFoundation(to code: inout CodeWriter) {
        let shown =
            plan.classes.flatMap { $0.properties.map(\.type) }
            + plan.composites.flatMap { composite in
                composite.attributes.map { types.name(of: $0.type ?? .undefined) }
            }
        if shown.contains(where: TypeNames.isOfFoundation) {
            if access == .internal { return code.line("import Foundation") }
            // Types in public declarations are imported from the module that declares them.
            code.line("#if canImport(FoundationEssentials)")
            code.line("    \(prefix)import FoundationEssentials")
            code.line("#else")
            code.line("    \(prefix)import Foundation")
            code.line("#endif")
        } else if model.descriptions.flatMap(\.attributes).contains(where: {
            TypeNames.isOfFoundation(types.name(of: $0.type))
        }) {
            // Only for default values in descriptions.
            code.line("import Foundation")
        }
    }

    // MARK: - The model

    private func writeModel(to code: inout CodeWriter) {
        let property = SwiftName.lowercasedFirst(SwiftName.identifier(name))
        let holder = "GeneratedModel_\(SwiftName.identifier(name))"
        let modelType = types.library("ManagedObjectModel")
        let error = types.library("ModelError")
        code.line()
        code.block("nonisolated extension \(modelType)") { code in
            code.line("/// The model '\(SwiftName.commentable(name))', made once.")
            code.block(
                "\(prefix)static var \(SwiftName.escaped(property)): \(modelType)"
            ) { code in
                code.line("get throws(\(error)) { try \(holder).model.get() }")
            }
        }
        code.line()
        code.block("nonisolated private enum \(holder)") { code in
            code.line("static let model = Result<\(modelType), \(error)>(catching: make)")
            code.line()
            code.block("static func make() throws(\(error)) -> \(modelType)") { code in
                code.line("try \(modelType)(")
                code.within { code in
                    code.list("", descriptions, ",")
                    code.list("configurations: ", configurations, ",")
                    let identifiers = model.versionIdentifiers.map(SwiftName.quoted)
                    code.line("versionIdentifiers: [\(identifiers.joined(separator: ", "))])")
                }
            }
            for entity in describedHere {
                code.line()
                writeDescription(of: entity, to: &code)
            }
        }
    }

    /// The entities without a generated class.
    private var describedHere: [Entity] {
        let generated = Set(plan.classes.map(\.entity.id))
        return model.entities.filter { !generated.contains($0.id) }
    }

    private var descriptions: [String] {
        model.entities.map { entity in
            if let generated = plan.classes.first(where: { $0.entity.id == entity.id }) {
                return generated.codeGeneration == .class
                    ? "\(types.library("EntityDescription")).of(\(generated.escaped).self)"
                    : "\(generated.escaped).managedEntityDescription_\(generated.name)"
            }
            return "entity\(entity.id.index)"
        }
    }

    private var configurations: [String] {
        model.configurations.map { configuration in
            let entities = configuration.entities.map(SwiftName.quoted).joined(separator: ", ")
            return "\(types.library("ConfigurationDescription"))("
                + "\(SwiftName.quoted(configuration.name)), entities: [\(entities)])"
        }
    }

    private func writeDescription(of entity: Entity, to code: inout CodeWriter) {
        code.block(
            "static var entity\(entity.id.index): \(types.library("EntityDescription"))"
        ) { code in
            let name = plan.className(of: entity.id)
            DescriptionWriter(types).write(
                model.descriptions[entity.id.index], className: name, to: &code)
        }
    }
}

extension SwiftName {
    /// Returns a text as a comment of one line.
    static func commentable(_ text: String) -> String {
        String(text.unicodeScalars.map { $0.properties.isWhitespace ? " " : Character($0) })
    }
}
