import Duramen
import DuramenModel

/// An object of a dump: its values, and the objects that it refers to by their indexes.
struct DumpObject {
    /// The values of one relationship.
    struct Link {
        let name: String
        let isToMany: Bool
        let isOrdered: Bool
        /// The indexes of the destinations; in their order if there is one.
        var destinations: [Int]
    }

    let entity: String
    /// The values of the natural key; empty for an object without one.
    let key: [StoredValue]
    /// The texts of the natural key.
    let keyTexts: [String]
    /// The texts of the attributes that are shown, by names.
    let attributes: [(name: String, text: String)]
    /// The values that tell objects apart: those that are shown.
    let values: [StoredValue]
    /// The relationships, by names.
    var links: [Link] = []
}

extension DumpObject {
    /// Reads the values of an object.
    init(_ object: ManagedObject, _ form: DumpForm) throws {
        entity = form.entity.name
        var attributes: [(String, String)] = []
        var values: [StoredValue] = []
        for attribute in form.attributes {
            let value = try object.storedValue(forKey: attribute.name)
            let isMasked = form.isMasked(attribute) && !value.isNull
            attributes.append((attribute.name, isMasked ? "•••" : ValueText.of(value, attribute)))
            // A masked value may differ from run to run, so it decides nothing.
            values.append(isMasked ? .boolean(true) : value)
        }
        self.attributes = attributes
        self.values = values
        let key = try form.key.map { try object.storedValue(forKey: $0.name) }
        let isKnown = !key.contains(where: \.isNull)
        self.key = isKnown ? key : []
        keyTexts = isKnown ? zip(key, form.key).map { ValueText.of($0, $1) } : []
    }
}

/// How the objects of one entity are dumped.
struct DumpForm {
    let entity: Entity
    /// The attributes to show, by names.
    let attributes: [Attribute]
    /// The relationships to show, by names.
    let relationships: [Relationship]
    /// The attributes of the natural key; empty for none, or if one of them must not be shown.
    let key: [Attribute]
    private let options: DumpOptions

    init(_ entity: Entity, _ options: DumpOptions) {
        self.entity = entity
        self.options = options
        func isWanted(_ name: String) -> Bool {
            !options.ignoredProperties.contains(name)
                && !options.ignoredProperties.contains("\(entity.name).\(name)")
        }
        attributes = entity.attributes.filter { attribute in
            guard isWanted(attribute.name) else { return false }
            guard let derivation = attribute.derivation else { return true }
            return options.showsDerived && derivation.function != .now
        }.sorted { StoredText($0.name) < StoredText($1.name) }
        relationships = entity.relationships.filter { !$0.isHidden && isWanted($0.name) }
            .sorted { StoredText($0.name) < StoredText($1.name) }
        let shown = attributes.filter { !$0.isConfidential || options.showsConfidential }
        let key = Self.naturalKey(of: entity).map { name in
            shown.first { StoredText($0.name) == StoredText(name) }
        }
        self.key = key.contains { $0 == nil } ? [] : key.compactMap { $0 }
    }

    func isMasked(_ attribute: Attribute) -> Bool {
        attribute.isConfidential && !options.showsConfidential
    }

    /// The names of the attributes of the natural key, as imports choose them.
    private static func naturalKey(of entity: Entity) -> [String] {
        if let hint = entity.userInfo["relatedByAttribute"] { return [hint] }
        let names = Set(entity.attributes.map { StoredText($0.name) })
        let constraints = entity.uniquenessConstraints.map(\.properties)
        return constraints.first { $0.allSatisfy { names.contains(StoredText($0)) } } ?? []
    }
}
