/// Builds the model that has both a version and the additions of the next version.
struct BridgeBuilder {
    private let current: ManagedObjectModel
    private let next: ManagedObjectModel
    /// The converted attributes, as `Entity.attribute` of the next version.
    private let converted: Set<StoredText>
    private let change: SchemaChange
    private let currentLineage: Lineage
    private let nextLineage: Lineage
    /// The bridging entities, in the order of the current version; added entities come last.
    private(set) var descriptions: [EntityDescription]
    private var places: [StoredText: Int]
    /// The bridging name of each entity, by entity of the next version.
    private(set) var names: [String]
    /// The bridging paths of attributes by their own paths, by entity of the next version.
    private(set) var paths: [[StoredText: String]]
    /// The old names of converted attributes by their names, by entity of the next version.
    private(set) var conversions: [[StoredText: String]]
    /// The converted attributes: the entity that declares one in the next version, its name and its
    /// bridging name.
    private var renamings: [(entity: StoredText, name: StoredText, between: String)] = []

    init(
        _ current: ManagedObjectModel, _ next: ManagedObjectModel, _ converted: Set<StoredText>
    ) {
        self.current = current
        self.next = next
        self.converted = converted
        let change = SchemaChange(from: current, to: next)
        self.change = change
        currentLineage = Lineage(current.descriptions)
        nextLineage = Lineage(next.descriptions)
        descriptions = current.descriptions.map { description in
            var description = description
            description.managedObjectClass = nil
            return description
        }
        places = Dictionary(
            descriptions.enumerated().map { (StoredText($1.name), $0) },
            uniquingKeysWith: { first, _ in first })
        names = next.entities.map { entity in
            change.sourceEntities[entity.id.index].map { current[$0].name } ?? entity.name
        }
        paths = next.descriptions.map { _ in [:] }
        conversions = paths
    }

    mutating func build() {
        let parentsFirst = nextLineage.parentsFirst
        for place in parentsFirst { addEntity(place) }
        for place in parentsFirst { bringToHierarchy(place) }
        for place in parentsFirst { addAttributes(of: place) }
        addRelationships()
    }

    // MARK: - Entities

    private func place(_ name: String) -> Int? { places[StoredText(name)] }

    private func nextPlace(_ name: String) -> Int? { nextLineage.place(of: name) }

    /// Returns the entity of the current version for an entity of the next; nil for an added
    /// entity.
    private func old(_ place: Int) -> Entity? {
        change.sourceEntities[place].map { current[$0] }
    }

    private mutating func addEntity(_ place: Int) {
        let new = next.descriptions[place]
        let parent = new.superentity.flatMap(nextPlace)
        guard let old = old(place), let own = self.place(old.name) else {
            var added = EntityDescription(
                name: new.name, superentity: parent.map { names[$0] }, isAbstract: new.isAbstract)
            added.renamingIdentifier = new.renamingIdentifier
            places[StoredText(new.name)] = descriptions.count
            descriptions.append(added)
            return
        }
        // Added parents are already there.
        guard let parent, self.old(parent) == nil else { return }
        var above: Int? = parent
        while let place = above, self.old(place) == nil {
            above = next.descriptions[place].superentity.flatMap(nextPlace)
        }
        if above.flatMap({ self.old($0)?.id }) == old.superentity {
            descriptions[own].superentity = names[parent]
        }
    }

    /// Moves an added root entity into the hierarchy of its sub-entities in the next version. They
    /// then stay in one hierarchy when they move below it.
    private mutating func bringToHierarchy(_ place: Int) {
        guard old(place) != nil, let own = self.place(names[place]),
            let root = lineage(descriptions[own].name).last,
            case let top = nextLineage.root(of: place), old(top) == nil,
            let added = self.place(names[top]), added != root,
            descriptions[added].superentity == nil
        else { return }
        descriptions[added].superentity = descriptions[root].name
    }

    /// Returns the places of a bridging entity and of all its super-entities.
    private func lineage(_ name: String) -> [Int] {
        var result: [Int] = []
        var name: String? = name
        while let known = name, let place = place(known), !result.contains(place) {
            result.append(place)
            name = descriptions[place].superentity
        }
        return result
    }

    /// Returns whether a bridging entity, or one above or below it, has a property of that name.
    private func isTaken(_ property: String, at place: Int) -> Bool {
        let name = StoredText(property)
        func has(_ place: Int) -> Bool {
            let description = descriptions[place]
            return description.attributes.contains { StoredText($0.name) == name }
                || description.relationships.contains { StoredText($0.name) == name }
                || description.fetchedProperties.contains { StoredText($0.name) == name }
        }
        if lineage(descriptions[place].name).contains(where: has) { return true }
        return descriptions.indices.contains { other in
            other != place && has(other) && lineage(descriptions[other].name).contains(place)
        }
    }

    /// Returns the entity that declares a new property: the one of the next version unless the name
    /// is taken there.
    private func owner(of property: String, declaredBy entity: String, at place: Int) -> Int? {
        let own = self.place(names[place])
        let declaring = nextPlace(entity).flatMap { self.place(names[$0]) }
        if let own, let declaring, lineage(descriptions[own].name).contains(declaring),
            !isTaken(property, at: declaring)
        {
            return declaring
        }
        return own.flatMap { isTaken(property, at: $0) ? nil : $0 }
    }

    // MARK: - Attributes

    private mutating func addAttributes(of place: Int) {
        let new = next.descriptions[place]
        let news = nextLineage.attributes(of: new.name)
        let olds = old(place).map { currentLineage.attributes(of: $0.name) } ?? []
        let pairs = Pairing(
            olds, news, name: \.attribute.name, renamingIdentifier: \.attribute.renamingIdentifier)
        var known: [StoredText: String] = [:]
        for (declaring, attribute) in news {
            if let old = pairs.old(of: attribute.name) {
                if isConverted(attribute, of: [place, nextPlace(declaring) ?? place]) {
                    conversions[place][StoredText(attribute.name)] = old.attribute.name
                    convert(attribute, declaring, &known)
                } else {
                    join(old, attribute, &known)
                }
            } else {
                add(attribute, declaring, place, &known)
            }
        }
        paths[place] = known
    }

    /// Returns whether a step names the attribute, by an entity of either version.
    private func isConverted(_ attribute: AttributeDescription, of entities: [Int]) -> Bool {
        entities.flatMap { [next.descriptions[$0].name, names[$0]] }
            .contains { converted.contains(StoredText("\($0).\(attribute.name)")) }
    }

    /// Adds an attribute that only the next version has.
    private mutating func add(
        _ attribute: AttributeDescription, _ declaring: String, _ place: Int,
        _ known: inout [StoredText: String]
    ) {
        if attribute.derivationExpression != nil { return }
        // An inherited attribute may have another bridging name.
        if let above = nextPlace(declaring), above != place,
            let owner = self.place(names[above]), lineage(names[place]).contains(owner)
        {
            let inherited = attribute.storedPaths.compactMap { path in
                paths[above][StoredText(path)].map { (StoredText(path), $0) }
            }
            if !inherited.isEmpty {
                known.merge(inherited) { first, _ in first }
                return
            }
        }
        // A super-entity already has the attribute, or its name belongs to another property.
        let isThere = lineage(names[place]).contains { place in
            descriptions[place].attributes.contains { $0 == attribute.between }
        }
        if !isThere {
            guard let owner = owner(of: attribute.name, declaredBy: declaring, at: place) else {
                return
            }
            descriptions[owner].attributes.append(attribute.between)
        }
        for path in attribute.storedPaths { known[StoredText(path)] = path }
    }

    /// Joins an attribute of both versions, which may have new elements.
    private mutating func join(
        _ old: (declaring: String, attribute: AttributeDescription), _ new: AttributeDescription,
        _ known: inout [StoredText: String]
    ) {
        var joined = old.attribute
        joined.join(new, at: "", "", &known)
        guard joined != old.attribute, let owner = place(old.declaring),
            let own = descriptions[owner].attributes.firstIndex(where: { $0 == old.attribute })
        else { return }
        descriptions[owner].attributes[own] = joined
    }

    /// Adds a converted attribute beside its old attribute.
    private mutating func convert(
        _ attribute: AttributeDescription, _ declaring: String,
        _ known: inout [StoredText: String]
    ) {
        let key = (StoredText(declaring), StoredText(attribute.name))
        if let before = renamings.first(where: { ($0.entity, $0.name) == key }) {
            known[StoredText(attribute.name)] = before.between
            return
        }
        var name = attribute.name + "Converted"
        guard let owner = nextPlace(declaring).flatMap({ self.place(names[$0]) }) else { return }
        while isTaken(name, at: owner) { name += "_" }
        var beside = attribute.between
        beside.name = name
        beside.renamingIdentifier = nil
        beside.defaultValue = .null
        descriptions[owner].attributes.append(beside)
        renamings.append((key.0, key.1, name))
        known[StoredText(attribute.name)] = name
    }

    // MARK: - Relationships

    private mutating func addRelationships() {
        for relationship in next.relationships where !relationship.isHidden {
            let inverse = next[relationship.inverse]
            let isNew = [relationship.id, inverse.id].allSatisfy {
                change.sourceRelationships[$0.index].isEmpty
            }
            if isNew, inverse.isHidden || relationship.id <= inverse.id {
                add(relationship, inverse)
            }
        }
    }

    private mutating func add(_ relationship: Relationship, _ inverse: Relationship) {
        func place(_ relationship: Relationship) -> Int? {
            self.place(names[relationship.declaringEntity.index])
        }
        let ends =
            inverse.isHidden || relationship.isSelfInverse
            ? [relationship] : [relationship, inverse]
        for end in ends {
            guard let owner = place(end), !isTaken(end.name, at: owner) else { return }
        }
        for end in ends {
            guard let owner = place(end) else { return }
            let description = next.descriptions[end.declaringEntity.index].relationships
                .first { StoredText($0.name) == StoredText(end.name) }
            guard var added = description else { return }
            added.destination = names[end.destination.index]
            added.isOptional = true
            added.minimumCount = 0
            added.maximumCount = nil
            added.deleteRule = .nullify
            descriptions[owner].relationships.append(added)
        }
    }

    // MARK: - Names

    /// Returns the next version twice: with the bridging names of converted attributes, and with
    /// their own names.
    func renamed() throws(ModelError) -> (first: ManagedObjectModel, last: ManagedObjectModel)? {
        if renamings.isEmpty { return nil }
        func model(
            _ change: (EntityDescription) -> EntityDescription
        ) throws(ModelError) -> ManagedObjectModel {
            try ManagedObjectModel(
                next.descriptions.map(change), configurations: next.configurations,
                versionIdentifiers: next.versionIdentifiers, transformers: next.transformers)
        }
        return (
            try model { between($0) },
            try model { description in
                editingConverted(description) { attribute, between in
                    attribute.renamingIdentifier = between
                }
            }
        )
    }

    /// Changes the converted attributes of an entity of the next version. `edit` gets each
    /// attribute and its bridging name.
    private func editingConverted(
        _ description: EntityDescription, _ edit: (inout AttributeDescription, String) -> Void
    ) -> EntityDescription {
        var description = description
        for renaming in renamings where renaming.entity == StoredText(description.name) {
            for place in description.attributes.indices
            where StoredText(description.attributes[place].name) == renaming.name {
                edit(&description.attributes[place], renaming.between)
            }
        }
        return description
    }

    /// Returns an entity of the next version whose converted attributes have their bridging names.
    /// It has no indexes, fetched properties or derivations, and no constraints of these
    /// attributes.
    private func between(_ description: EntityDescription) -> EntityDescription {
        var description = editingConverted(description) { attribute, between in
            attribute.name = between
            attribute.renamingIdentifier = nil
        }
        let gone = Set(renamings.map(\.name))
        description.uniquenessConstraints.removeAll { names in
            names.contains { gone.contains(StoredText($0)) }
        }
        description.indexes = []
        description.fetchedProperties = []
        for place in description.attributes.indices
        where description.attributes[place].derivationExpression != nil {
            description.attributes[place].derivationExpression = nil
            description.attributes[place].isOptional = true
        }
        return description
    }
}

extension AttributeDescription {
    /// The attribute as the bridging model has it when only the next version has it.
    fileprivate var between: AttributeDescription {
        var copy = self
        copy.isOptional = true
        copy.rules = AttributeRules()
        copy.elements = elements.map(\.between)
        return copy
    }

    /// The paths of the attribute's values: its own name, or the paths of its elements.
    fileprivate var storedPaths: [String] {
        elements.isEmpty ? [name] : elements.flatMap { $0.storedPaths.map { "\(name).\($0)" } }
    }

    /// Adds the elements that the attribute has only in the next version.
    fileprivate mutating func join(
        _ new: AttributeDescription, at oldPath: String, _ newPath: String,
        _ known: inout [StoredText: String]
    ) {
        let (own, theirs) = (oldPath + name, newPath + new.name)
        if new.elements.isEmpty || elements.isEmpty {
            if new.elements.isEmpty, elements.isEmpty { known[StoredText(theirs)] = own }
            return
        }
        let pairs = Pairing(
            elements, new.elements, name: \.name, renamingIdentifier: \.renamingIdentifier)
        for element in new.elements {
            if let old = pairs.old(of: element.name),
                let place = elements.firstIndex(where: { $0 == old })
            {
                elements[place].join(element, at: own + ".", theirs + ".", &known)
            } else if !elements.contains(where: { StoredText($0.name) == StoredText(element.name) })
            {
                elements.append(element.between)
                for path in element.storedPaths {
                    known[StoredText("\(theirs).\(path)")] = "\(own).\(path)"
                }
            }
        }
    }
}

/// The entities of one version by their names, with what they inherit.
private struct Lineage {
    private let descriptions: [EntityDescription]
    private let places: [StoredText: Int]
    private let hierarchy: Hierarchy

    init(_ descriptions: [EntityDescription]) {
        self.descriptions = descriptions
        let places = Dictionary(
            descriptions.enumerated().map { (StoredText($1.name), $0) },
            uniquingKeysWith: { first, _ in first })
        self.places = places
        hierarchy = Hierarchy(
            parents: descriptions.map { $0.superentity.flatMap { places[StoredText($0)] } })
    }

    func place(of name: String) -> Int? { places[StoredText(name)] }

    private func parent(_ place: Int) -> Int? {
        descriptions[place].superentity.flatMap { places[StoredText($0)] }
    }

    /// The places of all entities, each after its parent's.
    var parentsFirst: [Int] { hierarchy.order }

    /// Returns the place of an entity's root entity.
    func root(of place: Int) -> Int { hierarchy.roots[place] }

    /// Returns the stored attributes of an entity, with inherited ones, and the entities that
    /// declare them.
    func attributes(of name: String) -> [(declaring: String, attribute: AttributeDescription)] {
        var result: [(declaring: String, attribute: AttributeDescription)] = []
        var place = place(of: name)
        while let known = place {
            let description = descriptions[known]
            result += description.attributes.filter { !$0.isTransient }
                .map { (description.name, $0) }
            place = parent(known)
        }
        return result
    }
}
