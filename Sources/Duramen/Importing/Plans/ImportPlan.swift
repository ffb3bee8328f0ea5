import DuramenModel

/// How elements become objects of one entity: a mapping, checked against the model.
///
/// A relationship has a plan of its own for its destinations, which is made when the feed has some.
final class ImportPlan {
    /// An attribute that the feed can set. Fields are classes because each value of a feed asks for
    /// one, and their contents are expensive to copy.
    final class AttributeField {
        let attribute: Attribute
        let dateFormat: ImportDateFormat
        let missing: ImportMissing

        init(_ attribute: Attribute, _ dateFormat: ImportDateFormat, _ missing: ImportMissing) {
            self.attribute = attribute
            self.dateFormat = dateFormat
            self.missing = missing
        }
    }

    /// A relationship that the feed can set.
    final class RelationshipField {
        let relationship: Relationship
        let missing: ImportMissing

        init(_ relationship: Relationship, _ missing: ImportMissing) {
            self.relationship = relationship
            self.missing = missing
        }
    }

    let model: ManagedObjectModel
    let entity: Entity
    let toMany: ImportToMany
    let attributes: [AttributeField]
    let relationships: [RelationshipField]
    /// The indexes of the natural key in ``attributes``; empty when every element is a new object.
    let key: [Int]
    /// The keys of elements.
    let fields: ImportFields
    private let rules: ImportRules
    private let dateFormat: ImportDateFormat
    /// The objects of all natural keys of the import.
    let tables: ImportedObjectTables
    /// The objects of the natural key, which plans of one key share; nil without a key.
    let objects: ImportedObjects?
    /// The properties that become nil where an element does not have them, by their indexes.
    let nilWhereMissing: (attributes: [Int], relationships: [Int])
    private var destinations: [Int: ImportPlan] = [:]
    private var properties: [ObjectIdentifier: ImportProperties] = [:]
    /// The properties that were asked for last.
    private var last: (plan: EntityPlan, properties: ImportProperties)?

    /// - Throws: ``ImportError`` `.invalidMapping` that names the property.
    init(
        _ entity: Entity, _ rules: ImportRules, in model: ManagedObjectModel,
        dateFormat: ImportDateFormat, relatedBy hint: String? = nil,
        tables: ImportedObjectTables = ImportedObjectTables()
    ) throws(ImportError) {
        self.entity = entity
        self.model = model
        self.rules = rules
        toMany = rules.toMany
        let format = rules.dateFormat ?? dateFormat
        self.dateFormat = format
        attributes = entity.attributes.filter {
            $0.derivation == nil && !rules.ignored.contains($0.name)
        }.map {
            AttributeField(
                $0, rules.dateFormats[$0.name] ?? format, rules.missingOf[$0.name] ?? rules.missing)
        }
        relationships = entity.relationships.filter {
            !$0.isHidden && !rules.ignored.contains($0.name)
        }.map {
            RelationshipField($0, rules.missingOf[$0.name] ?? rules.missing)
        }
        try rules.checkNames(of: entity)
        let names = rules.match ?? hint.map { [$0] } ?? Self.constraint(of: entity) ?? []
        var key: [Int] = []
        for name in names {
            let text = StoredText(name)
            let found = attributes.firstIndex { StoredText($0.attribute.name) == text }
            guard let index = found else {
                throw ImportError(
                    .invalidMapping,
                    "'\(entity.name).\(name)' cannot be part of a natural key: it is not a stored attribute "
                        + "of the application's. Match another attribute.")
            }
            key.append(index)
        }
        self.key = key
        self.tables = tables
        let keyAttributes = key.map { [attributes] in attributes[$0].attribute }
        objects = key.isEmpty ? nil : tables.objects(entity, key: keyAttributes, in: model)
        nilWhereMissing = (
            attributes.indices.filter { [attributes] in attributes[$0].missing == .setNil },
            relationships.indices.filter { [relationships] in relationships[$0].missing == .setNil }
        )
        fields = ImportFields()
        for (index, field) in attributes.enumerated() {
            let attribute = field.attribute
            let source = rules.sources[attribute.name] ?? attribute.userInfo["importName"]
            try fields.add(source ?? attribute.name, as: .attribute(index))
        }
        for (index, field) in relationships.enumerated() {
            let relationship = field.relationship
            let source = rules.sources[relationship.name] ?? relationship.userInfo["importName"]
            try fields.add(source ?? relationship.name, as: .relationship(index))
        }
    }

    /// The plan of a relationship's destinations.
    func destination(of index: Int) throws(ImportError) -> ImportPlan {
        if let known = destinations[index] { return known }
        let relationship = relationships[index].relationship
        let entity = model[relationship.destination]
        let hint =
            relationship.userInfo["relatedByAttribute"] ?? entity.userInfo["relatedByAttribute"]
        let plan = try ImportPlan(
            entity, rules.relationships[relationship.name] ?? ImportRules(), in: model,
            dateFormat: dateFormat, relatedBy: hint, tables: tables)
        destinations[index] = plan
        return plan
    }

    /// The properties as objects of an entity have them: a sub-entity, or that of a store's own
    /// model.
    func properties(of plan: EntityPlan) -> ImportProperties {
        if let last, last.plan === plan { return last.properties }
        let name = ObjectIdentifier(plan)
        if let known = properties[name] {
            last = (plan, known)
            return known
        }
        let own = ImportProperties(
            attributes: attributes.map { field in
                let name = StoredText(field.attribute.name)
                return plan.entity.attributes.first { StoredText($0.name) == name }.map(
                    ImportProperties.Box.init)
            },
            relationships: relationships.map {
                plan.entity.relationship($0.relationship.id).map(ImportProperties.Box.init)
            })
        properties[name] = own
        return own
    }

    /// The first uniqueness constraint of attributes alone.
    private static func constraint(of entity: Entity) -> [String]? {
        let names = Set(entity.attributes.map(\.name))
        return entity.uniquenessConstraints.map(\.properties).first(where: names.isSuperset)
    }
}

/// The properties of a plan as the objects of one entity have them; nil for those that a store
/// leaves to others.
struct ImportProperties {
    /// A property that is expensive to copy.
    final class Box<Property> {
        let property: Property

        init(_ property: Property) { self.property = property }
    }

    let attributes: [Box<Attribute>?]
    let relationships: [Box<Relationship>?]
}

extension ImportRules {
    /// - Throws: ``ImportError`` `.invalidMapping` for a name that the entity does not have.
    fileprivate func checkNames(of entity: Entity) throws(ImportError) {
        let named =
            Set(sources.keys).union(ignored).union(dateFormats.keys).union(missingOf.keys)
            .union(relationships.keys)
        for name in named.sorted() where !entity.hasProperty(named: name) {
            throw ImportError(
                .invalidMapping,
                "The mapping of '\(entity.name)' names '\(name)'. "
                    + NearestName.question(name, among: entity.propertyNames)
                    + "Correct the mapping, or add the property to the model.")
        }
    }
}
