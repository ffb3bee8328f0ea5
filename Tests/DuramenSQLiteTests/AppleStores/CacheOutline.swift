import DuramenArchives
import DuramenModel

/// What a model cache says, as lines that can be compared.
struct CacheOutline {
    private(set) var lines: Set<String> = []
    private let archive: CacheArchive

    /// Texts that say what a property is.
    private static let texts = [
        "NSPropertyName", "NSRenamingIdentifier", "NSAttributeValueClassName",
        "NSValueTransformerName", "NSVersionHashModifier", "_NSDestinationEntityName",
        "_NSInverseRelationshipName", "_NSFetchRequestEntityName",
    ]

    init(packed: [UInt8]) throws {
        archive = try CacheArchive(packed: packed)
        for object in archive.objects.values {
            lines.insert("class \(object.hierarchy.joined(separator: " < "))")
        }
        lines.insert("model has \(Self.keys(of: archive.root))")
        for identifier in try archive.elements(archive.root.fields["NSVersionIdentifiers"]) {
            lines.insert("model is '\(try archive.text(identifier) ?? "nil")'")
        }
        for (name, entity) in try archive.entries(archive.root.fields["NSEntities"]) {
            try add(entity, named: name)
        }
        // Each of these has fields of one form, wherever it is.
        for object in archive.objects.values where object.className.hasSuffix("Operator") {
            lines.insert("\(object.className): \(Self.numbers(of: object))")
        }
        for object in archive.objects.values where Self.isNamedByFields(object) {
            lines.insert("\(object.className) has \(Self.keys(of: object))")
            lines.insert("\(object.className): \(Self.numbers(of: object))")
        }
    }

    private static func isNamedByFields(_ object: CacheArchive.Object) -> Bool {
        object.className.hasSuffix("Expression") || object.className.hasSuffix("Predicate")
            || ["NSFetchRequest", "NSSortDescriptor", "NSKnownKeysDictionary1"]
                .contains(object.className)
    }

    private static func keys(of object: CacheArchive.Object) -> String {
        object.fields.keys.sorted().joined(separator: " ")
    }

    /// The fields that hold numbers and Booleans.
    private static func numbers(of object: CacheArchive.Object) -> String {
        object.fields.sorted { $0.key < $1.key }.compactMap { name, value in
            switch value {
            case .integer(let number): "\(name)=\(number)"
            case .boolean(let flag): "\(name)=\(flag)"
            default: nil
            }
        }.joined(separator: " ")
    }

    private mutating func add(_ entity: CacheArchive.Object, named name: String) throws {
        lines.insert("\(name) has \(Self.keys(of: entity))")
        lines.insert("\(name): \(Self.numbers(of: entity))")
        for key in ["NSEntityName", "NSRenamingIdentifier", "NSVersionHashModifier"] {
            lines.insert("\(name) \(key)=\(try archive.text(entity.fields[key]) ?? "nil")")
        }
        if let parent = archive.object(entity.fields["NSSuperentity"]) {
            let text = try archive.text(parent.fields["NSEntityName"]) ?? "nil"
            lines.insert("\(name) inherits from \(text)")
        }
        for (child, _) in try archive.entries(entity.fields["NSSubentities"]) {
            lines.insert("\(name) is above \(child)")
        }
        for (property, object) in try archive.entries(entity.fields["NSProperties"]) {
            try add(object, named: "\(name).\(property)", of: name)
        }
        for tuple in try archive.elements(entity.fields["NSUniqueTuples"]) {
            let names = try archive.elements(tuple).map { try archive.text($0) ?? "nil" }
            lines.insert("\(name) is unique by \(names.joined(separator: " "))")
        }
        for value in try archive.elements(entity.fields["NSFetchIndexDescriptions"]) {
            try addIndex(value, of: name)
        }
        for value in try archive.elements(entity.fields["NSCompoundIndexes"]) {
            let names = try archive.elements(value).map { try archive.text($0) ?? "nil" }
            lines.insert("\(name) has the compound index \(names.joined(separator: " "))")
        }
    }

    private mutating func addIndex(_ value: BinaryPropertyList.Object, of entity: String) throws {
        guard let index = archive.object(value) else { return }
        var parts: [String] = []
        for value in try archive.elements(index.fields["NSIndexElements"]) {
            guard let element = archive.object(value) else { continue }
            let name = try archive.text(element.fields["NSPropertyName"]) ?? "nil"
            parts.append("\(name) \(Self.numbers(of: element))")
            lines.insert("\(element.className) has \(Self.keys(of: element))")
        }
        let name = try archive.text(index.fields["NSIndexName"]) ?? "nil"
        lines.insert("\(entity) has the index \(name) of \(parts.joined(separator: ", "))")
        lines.insert("\(index.className) has \(Self.keys(of: index))")
    }

    private mutating func add(
        _ property: CacheArchive.Object, named path: String, of entity: String
    ) throws {
        lines.insert("\(path) is \(property.className)")
        lines.insert("\(path) has \(Self.keys(of: property))")
        for (key, value) in property.fields {
            switch value {
            case .integer(let number): lines.insert("\(path) \(key)=\(number)")
            case .boolean(let flag): lines.insert("\(path) \(key)=\(flag)")
            default: break
            }
        }
        for key in Self.texts where property.fields[key] != nil {
            lines.insert("\(path) \(key)=\(try archive.text(property.fields[key]) ?? "nil")")
        }
        let owner = archive.object(property.fields["NSEntity"])?.fields["NSEntityName"]
        lines.insert("\(path) belongs to \(try archive.text(owner) ?? "nil")")
        if property.fields["NSDefaultValue"] != nil {
            lines.insert("\(path) is at first \(try describe(property.fields["NSDefaultValue"]))")
        }
        try addInverse(of: property, named: path)
    }

    private func describe(_ value: BinaryPropertyList.Object?) throws -> String {
        if let text = try archive.text(value) { return "'\(text)'" }
        if let object = archive.object(value) { return object.className }
        return try archive.plain(value).map { "\($0)" } ?? "nil"
    }

    /// The other end must be the object of the destination itself, and lead back.
    private mutating func addInverse(
        of property: CacheArchive.Object, named path: String
    ) throws {
        guard let inverse = archive.object(property.fields["NSInverseRelationship"]) else { return }
        let entity = archive.object(inverse.fields["NSEntity"])?.fields["NSEntityName"]
        let name = try archive.text(inverse.fields["NSPropertyName"]) ?? "nil"
        lines.insert("\(path) is the inverse of \(try archive.text(entity) ?? "nil").\(name)")
        let back = archive.object(inverse.fields["NSInverseRelationship"])
        let backName = try archive.text(back?.fields["NSPropertyName"]) ?? "nil"
        lines.insert("\(path) is led back to as \(backName)")
    }
}
