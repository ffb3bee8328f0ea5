import DuramenArchives
package import DuramenModel
package import DuramenStore

/// Writes the content of `Z_MODELCACHE`: a model as Core Data archives it.
///
/// ```
///   raw DEFLATE stream of a binary property list, a keyed archive:
///
///   NSManagedObjectModel ── NSEntities ──► NSEntityDescription ── NSProperties ──► NS…Description
///                                                  ▲                                     │
///                                                  └────────────── NSEntity ─────────────┘
/// ```
/// Classes, fields and numbers are those of caches that Core Data wrote. An entity has its own
/// object for each property, also for inherited ones. `ModelCacheReader` reads the result.
package struct ModelCacheWriter {
    typealias Part = KeyedArchiveBuilder.Part
    typealias Fields = KeyedArchiveBuilder.Fields

    /// A property that an entity declares itself.
    struct PropertyKey: Hashable {
        let owner: Int
        let name: StoredText

        init(_ owner: Int, _ name: String) {
            self.owner = owner
            self.name = StoredText(name)
        }
    }

    let model: ManagedObjectModel
    var archive = KeyedArchiveBuilder()
    /// The objects of all declared relationships, to which inverses refer.
    private(set) var relationshipObjects: [PropertyKey: Int] = [:]
    private let root: Int
    private var entityObjects: [Int] = []
    private let places: [StoredText: Int]
    private let attributes: FlatAttributes
    private let hierarchy: Hierarchy

    /// Returns the compressed cache of a model.
    ///
    /// - Throws: ``StoreError`` `.tooLarge` for a model whose cache is not read: one of more than
    ///   10 000 entities or 200 000 properties, counting inherited ones again. Leave the cache out
    ///   then, as in stores before 2015.
    /// - Complexity: O(*n*) for *n* properties, counting inherited ones again. Nothing recurses
    ///   into entities.
    package static func packed(_ model: ManagedObjectModel) throws(StoreError) -> [UInt8] {
        var writer = ModelCacheWriter(model)
        guard writer.isSmallEnough else { throw tooLarge }
        writer.write()
        let bytes = writer.archive.bytes(root: writer.root)
        // Readers also limit the number of objects, which the list counts.
        guard bytes.count <= ModelCacheReader.maximumBytes,
            (try? BinaryPropertyList(bytes, mostDecodedBytes: 0)) != nil
        else { throw tooLarge }
        return try Deflation.deflate(bytes)
    }

    private init(_ model: ManagedObjectModel) {
        self.model = model
        attributes = FlatAttributes(model)
        hierarchy = Hierarchy(parents: model.entities.map { $0.superentity?.index })
        places = Dictionary(
            model.entities.map { (StoredText($0.name), $0.id.index) },
            uniquingKeysWith: { first, _ in first })
        root = archive.reserve()
    }

    private static var tooLarge: StoreError {
        StoreError(
            .tooLarge,
            "The model has too many entities and properties for a copy in the store's table "
                + "'Z_MODELCACHE'. Split the model.")
    }

    /// Whether a reader accepts this many entities and properties.
    private var isSmallEnough: Bool {
        if model.entities.count > ModelCacheReader.mostEntities { return false }
        var counts = [Int](repeating: 0, count: model.entities.count)
        var total = 0
        for place in hierarchy.order {
            let entity = model.descriptions[place]
            counts[place] =
                attributes.attributes(of: place).count + entity.relationships.count
                + entity.fetchedProperties.count
            if let parent = hierarchy.parents[place] { counts[place] += counts[parent] }
            total += counts[place]
        }
        return total <= ModelCacheReader.mostProperties
    }

    // MARK: - The model

    private mutating func write() {
        for (place, entity) in model.descriptions.enumerated() {
            entityObjects.append(archive.reserve())
            for relationship in entity.relationships {
                let key = PropertyKey(place, relationship.name)
                relationshipObjects[key] = archive.reserve()
            }
        }
        let noNotes = archive.notes([:])
        var properties = [[Property]](repeating: [], count: model.entities.count)
        for place in hierarchy.order {
            let inherited = hierarchy.parents[place].map { properties[$0] } ?? []
            properties[place] = inherited + self.properties(of: place)
            write(properties[place], of: place, noNotes: noNotes)
        }
        var fields: Fields = [
            ("NSEntities", entityList()),
            // No known cache has a template, and models of this library have none.
            ("NSFetchRequestTemplates", KeyedArchiveBuilder.null),
            ("NSVersionIdentifiers", archive.list(.set, texts(model.versionIdentifiers))),
        ]
        if !model.configurations.isEmpty { fields.append(("NSConfigurations", configurations())) }
        archive.fill(root, .model, fields)
    }

    /// The entities by their names, in the bytewise order of the names.
    private mutating func entityList() -> Part {
        let keys = archive.list(.array, texts(model.entities.map(\.name)))
        let count = Int64(model.entities.count)
        let mapping = archive.add(
            .knownKeysMapping,
            [("keys", keys), ("length", .integer(count)), ("version", .integer(1))])
        let values = archive.list(.array, entityObjects.map { .uid($0) })
        // The placeholder for a key without a value; the same text in all known caches.
        let token = archive.text("__empty_slot_token_4c24_98dc_ac1e_b773__")
        return archive.add(
            .knownKeysDictionary,
            [
                ("searchMapping", mapping), ("values", values), ("emptyToken", token),
                ("version", .integer(1)),
            ])
    }

    private mutating func configurations() -> Part {
        var entries: [(key: Part, value: Part)] = []
        for configuration in model.configurations {
            let entities = configuration.entities.compactMap { place(of: $0) }
                .map { reference(toEntity: $0) }
            entries.append((archive.text(configuration.name), archive.list(.set, entities)))
        }
        return archive.dictionary(.mutableDictionary, entries)
    }

    private mutating func texts(_ texts: [String]) -> [Part] { texts.map { archive.text($0) } }

    /// The index of an entity in the model.
    func place(of entity: String) -> Int? { places[StoredText(entity)] }

    /// A reference to the object of an entity; nil stays nil.
    func reference(toEntity place: Int?) -> Part {
        place.map { .uid(entityObjects[$0]) } ?? KeyedArchiveBuilder.null
    }

    // MARK: - Entities

    private mutating func write(_ properties: [Property], of place: Int, noNotes: Part) {
        let entity = model.descriptions[place]
        let name = archive.text(entity.name)
        var fields: Fields = [
            ("NSEntityName", name), ("NSManagedObjectModel", .uid(root)),
            // Nil, as in caches that a migration wrote: Core Data has no classes for Duramen's
            // objects.
            ("NSClassNameForEntity", KeyedArchiveBuilder.null),
            ("NSRenamingIdentifier", archive.text(entity.renamingIdentifier ?? entity.name)),
            ("NSVersionHashModifier", archive.text(entity.versionHashModifier)),
            ("NSUserInfo", entity.userInfo.isEmpty ? noNotes : archive.notes(entity.userInfo)),
            ("NSSuperentity", reference(toEntity: hierarchy.parents[place])),
            ("NSSubentities", subentities(of: place)),
            ("NSProperties", list(properties, of: place)),
        ]
        if entity.isAbstract { fields.append(("NSIsAbstract", .boolean(true))) }
        let constraints = constraints(of: entity, at: place)
        if !constraints.isEmpty {
            fields.append(("NSUniqueTuples", archive.list(.mutableArray, constraints)))
        }
        fields += indexes(of: entity, at: place)
        archive.fill(entityObjects[place], .entity, fields)
    }

    private mutating func subentities(of place: Int) -> Part {
        let entries = model.entities[place].subentities.map { id in
            (key: archive.text(model[id].name), value: reference(toEntity: id.index))
        }
        return archive.dictionary(.mutableDictionary, entries)
    }

    /// Writes an entity's own object for each property.
    private mutating func list(_ properties: [Property], of place: Int) -> Part {
        var entries: [(key: Part, value: Part)] = []
        entries.reserveCapacity(properties.count)
        for property in properties {
            let isOwn = property.owner == place
            let object = isOwn ? property.object : archive.reserve()
            let entity = reference(toEntity: place)
            archive.fill(object, property.type, property.fields + [("NSEntity", entity)])
            entries.append((property.name, .uid(object)))
        }
        return archive.dictionary(.mutableDictionary, entries)
    }

    /// The properties that an entity declares itself.
    private mutating func properties(of place: Int) -> [Property] {
        let entity = model.descriptions[place]
        let indexed = entity.indexes.filter { $0.elements.count == 1 && $0.elements[0].isAscending }
            .compactMap { attributes.name(of: $0.elements[0].property, in: place) }
        let indexedNames = Set(indexed.map { StoredText($0) })
        var properties: [Property] = []
        for attribute in attributes.attributes(of: place) {
            let isIndexed = indexedNames.contains(StoredText(attribute.name))
            properties.append(self.attribute(attribute, of: place, isIndexed: isIndexed))
        }
        for relationship in entity.relationships {
            properties.append(self.relationship(relationship, of: place))
        }
        for property in entity.fetchedProperties {
            if let known = fetchedProperty(property, of: place) { properties.append(known) }
        }
        return properties
    }

    /// The names as texts; nil if one of them has no property in the cache.
    private mutating func names(_ paths: [String], at place: Int) -> [Part]? {
        let names = paths.compactMap { attributes.name(of: $0, in: place) }
        return names.count < paths.count ? nil : texts(names)
    }

    /// The constraints that an entity declares itself.
    private mutating func constraints(of entity: EntityDescription, at place: Int) -> [Part] {
        var constraints: [Part] = []
        for paths in entity.uniquenessConstraints {
            guard let names = names(paths, at: place) else { continue }
            constraints.append(archive.list(.mutableArray, names))
        }
        return constraints
    }

    /// The fields of an entity's indexes; empty for an entity without indexes.
    ///
    /// For each ascending index over one attribute, Core Data adds a second index named like the
    /// attribute. It is left out, because reading the model back would add the index.
    private mutating func indexes(of entity: EntityDescription, at place: Int) -> Fields {
        var indexes: [Part] = []
        var compound: [Part] = []
        for index in entity.indexes {
            guard let names = names(index.elements.map(\.property), at: place) else { continue }
            let object = archive.reserve()
            let elements = zip(names, index.elements).map { name, element in
                archive.add(
                    .fetchIndexElement,
                    [
                        ("NSPropertyName", name), ("NSAscending", .boolean(element.isAscending)),
                        ("NSFetchIndexElementType", .integer(0)),
                        ("NSFetchIndexDescription", .uid(object)),
                    ])
            }
            let fields: Fields = [
                ("NSIndexName", archive.text(index.name)),
                ("NSIndexElements", archive.list(.array, elements)),
                ("NSEntity", reference(toEntity: place)),
                ("NSPartialIndexPredicate", KeyedArchiveBuilder.null),
            ]
            archive.fill(object, .fetchIndex, fields)
            indexes.append(.uid(object))
            if names.count > 1 { compound.append(archive.list(.mutableArray, names)) }
        }
        if indexes.isEmpty { return [] }
        return [
            ("NSFetchIndexDescriptions", archive.list(.mutableArray, indexes)),
            ("NSCompoundIndexes", archive.list(.mutableArray, compound)),
        ]
    }
}
