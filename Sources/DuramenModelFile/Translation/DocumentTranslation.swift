import DuramenModel

/// The translation of a document to ``EntityDescription`` values, with every decision.
struct DocumentTranslation {
    private(set) var findings: [ModelFinding] = []
    private(set) var descriptions: [EntityDescription] = []
    let configurations: [ConfigurationDescription]
    /// The model; nil if the descriptions have mistakes, which are among the findings.
    private(set) var model: ManagedObjectModel?
    private let places: PropertyPlaces

    init(
        _ document: ModelDocument, codableTypes: [CodableType],
        transformers: ValueTransformers = ValueTransformers()
    ) {
        places = PropertyPlaces(document)
        var reader = ForeignModelBuilder(document)
        let foreign = reader.model()
        var translation = ForeignModelTranslation(foreign, codableTypes: codableTypes)
        configurations = document.configurations.map {
            ConfigurationDescription($0.name, entities: $0.entities)
        }
        let duplicates = DuplicateNames(document).findings
        findings += duplicates
        do {
            let made = try translation.model(
                configurations: configurations, versionIdentifiers: document.versionIdentifiers,
                transformers: transformers)
            if duplicates.isEmpty { model = made }
            for problem in made.configurationProblems {
                note(.warning, problem.entity, problem.property, problem.message)
            }
        } catch {
            for mistake in error.mistakes {
                note(.error, mistake.entity, mistake.property, mistake.message)
            }
        }
        descriptions = translation.descriptions
        for finding in reader.findings + translation.findings {
            note(
                finding.isNote ? .note : .warning, finding.entity, finding.property,
                finding.message)
        }
    }

    /// Returns the entities of a document for comparisons. They are not checked, and every
    /// transformable attribute stays transformable, whether its type is known or not.
    static func comparableDescriptions(of document: ModelDocument) -> [EntityDescription] {
        var reader = ForeignModelBuilder(document)
        return ForeignModelTranslation(
            reader.model(), codableTypes: document.comparableTypes, keepsTransformables: true
        ).descriptions
    }

    private mutating func note(
        _ severity: ModelFinding.Severity, _ entity: String, _ property: String?, _ message: String
    ) {
        findings.append(
            ModelFinding(
                severity: severity, entity: entity, property: property, message: message,
                place: places.place(of: property, in: entity)))
    }
}

/// The positions of entities and their properties in a file.
private struct PropertyPlaces {
    private var entities: [String: SourcePlace] = [:]
    private var properties: [[String]: SourcePlace] = [:]

    init(_ document: ModelDocument) {
        for element in document.root.children {
            // A missing name is treated as an empty name.
            let isEntity = element.name == "entity"
            guard let name = element["name"] ?? (isEntity ? "" : nil) else { continue }
            // Of two elements with one name, the second is reported.
            entities[name] = element.place
            for child in element.children {
                let isProperty = ["attribute", "relationship"].contains(child.name)
                guard let property = child["name"] ?? (isProperty ? "" : nil) else { continue }
                properties[[name, property]] = child.place
            }
        }
    }

    /// Returns the position of a property or entity.
    ///
    /// - Parameters:
    ///   - property: A name, or a path that begins with one; nil for the entity.
    ///   - entity: The name of the entity.
    func place(of property: String?, in entity: String) -> SourcePlace {
        guard let property else { return entities[entity] ?? .none }
        let first = property.split(separator: ".").first.map(String.init) ?? property
        return properties[[entity, property]] ?? properties[[entity, first]] ?? entities[entity]
            ?? .none
    }
}
