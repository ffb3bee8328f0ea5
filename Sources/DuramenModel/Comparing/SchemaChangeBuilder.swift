/// Pairs the entities, properties and relationships of two resolved models.
struct SchemaChangeBuilder {
    private let source: ManagedObjectModel
    private let target: ManagedObjectModel
    private let fills: [StoredText: StoredValue]
    private(set) var rows: [RowChange?]
    private(set) var sourceEntities: [EntityID?]
    private(set) var sourceRelationships: [[RelationshipID]]
    private(set) var links: [LinkChange] = []
    /// To-ones of the new model that links set, not a slot of the object's own old row.
    private var relinked: Set<RelationshipID> = []
    private var targetEntities: [EntityID?]
    /// Changes that only the resolved models show.
    private(set) var problems: [ModelChange] = []

    init(
        _ source: ManagedObjectModel, _ target: ManagedObjectModel, _ fills: [String: StoredValue]
    ) {
        self.source = source
        self.target = target
        self.fills = Dictionary(
            fills.map { (StoredText($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
        rows = Array(repeating: nil, count: source.entities.count)
        targetEntities = Array(repeating: nil, count: source.entities.count)
        sourceEntities = Array(repeating: nil, count: target.entities.count)
        sourceRelationships = Array(repeating: [], count: target.relationships.count)
    }

    mutating func build() {
        let pairs = Pairing(
            source.entities, target.entities, name: \.name,
            renamingIdentifier: \.renamingIdentifier)
        for entity in target.entities {
            guard let old = pairs.old(of: entity.name)?.id else { continue }
            sourceEntities[entity.id.index] = old
            targetEntities[old.index] = entity.id
        }
        pairRelationships()
        partLinks()
        judgeLinks()
        for entity in target.entities {
            guard let old = sourceEntities[entity.id.index] else { continue }
            rows[old.index] = change(of: source[old], to: entity)
        }
    }

    // MARK: - Attributes

    private mutating func change(of old: Entity, to new: Entity) -> RowChange {
        var sources = [RowChange.Source](
            repeating: .value(.null), count: new.layout.slotCount)
        let (olds, news) = (PropertyNode.roots(of: old), PropertyNode.roots(of: new))
        let pairs = Pairing(
            olds, news, name: \.name, renamingIdentifier: \.renamingIdentifier)
        for (node, before) in pairs.ambiguous {
            noteAmbiguous(node.name, in: node.declaringEntity, from: before.name)
        }
        fill(&sources, old, new, pairs, news)
        for relationship in new.relationships { fill(&sources, relationship, old) }
        return RowChange(entity: new.id, sources: sources)
    }

    private func fill(
        _ sources: inout [RowChange.Source], _ old: Entity, _ new: Entity,
        _ pairs: Pairing<PropertyNode>, _ news: [PropertyNode]
    ) {
        for node in news {
            switch (pairs.old(of: node.name)?.kind, node.kind) {
            case (.attribute(let before)?, .attribute(let attribute)):
                sources[attribute.slot] = source(of: attribute, in: new, before)
            case (.composite(let before)?, .composite(let composite)):
                let elements = PropertyNode.elements(of: composite)
                let pairs = Pairing(
                    PropertyNode.elements(of: before), elements, name: \.name,
                    renamingIdentifier: \.renamingIdentifier)
                fill(&sources, old, new, pairs, elements)
            case (_, .attribute(let attribute)):
                sources[attribute.slot] = added(attribute, in: new)
            case (_, .composite(let composite)):
                for attribute in composite.attributes {
                    sources[attribute.slot] = added(attribute, in: new)
                }
            }
        }
    }

    /// Returns the value for objects that have none.
    private func filling(_ attribute: Attribute, in entity: Entity) -> StoredValue {
        let owners = [target[attribute.declaringEntity], entity]
        for owner in owners {
            if let value = fills[StoredText("\(owner.name).\(attribute.name)")] { return value }
        }
        return attribute.defaultValue
    }

    private func added(_ attribute: Attribute, in entity: Entity) -> RowChange.Source {
        let value = filling(attribute, in: entity)
        return attribute.derivation == nil ? .value(value) : .derived(.value(value))
    }

    private func source(
        of attribute: Attribute, in entity: Entity, _ old: Attribute
    ) -> RowChange.Source {
        if attribute.derivation != nil, attribute.derivation != old.derivation {
            return old.type == attribute.type
                ? .derived(.slot(old.slot)) : added(attribute, in: entity)
        }
        guard let conversion = ValueConversion(from: old.type, to: attribute.type) else {
            return added(attribute, in: entity)
        }
        return .slot(
            old.slot, old.type == attribute.type ? nil : conversion,
            ifNull: attribute.isOptional || !old.isOptional
                ? .null : filling(attribute, in: entity))
    }

    // MARK: - Relationships

    private mutating func pairRelationships() {
        for entity in target.entities {
            guard let old = sourceEntities[entity.id.index].map({ source[$0] }) else { continue }
            let pairs = Pairing(
                old.relationships.filter { !$0.isHidden },
                entity.relationships.filter { !$0.isHidden }, name: \.name,
                renamingIdentifier: \.renamingIdentifier)
            for (relationship, before) in pairs.ambiguous {
                noteAmbiguous(
                    relationship.name, in: relationship.declaringEntity, from: before.name)
            }
            for relationship in entity.relationships where !relationship.isHidden {
                guard let before = pairs.old(of: relationship.name) else { continue }
                add(before.id, to: relationship.id)
            }
        }
        // An inverse is paired with the inverse of its pair, unless it is paired already.
        let taken = Set(sourceRelationships.joined())
        for relationship in target.relationships
        where sourceRelationships[relationship.id.index].isEmpty {
            for forth in sourceRelationships[relationship.inverse.index] {
                let back = source[forth].inverse
                if source[back].isHidden || !taken.contains(back) { add(back, to: relationship.id) }
            }
        }
    }

    private mutating func add(_ old: RelationshipID, to new: RelationshipID) {
        if !sourceRelationships[new.index].contains(old) {
            sourceRelationships[new.index].append(old)
        }
    }

    /// Sets the sources of a to-one's slots to its slots in the old entity.
    private func fill(
        _ sources: inout [RowChange.Source], _ relationship: Relationship, _ old: Entity
    ) {
        guard case .toOne(let slot, let entitySlot) = relationship.storage,
            !relinked.contains(relationship.id)
        else { return }
        let before = sourceRelationships[relationship.id.index].lazy
            .compactMap { old.relationship($0) }.first
        guard let before, case .toOne(let oldSlot, let oldEntitySlot) = before.storage else {
            return
        }
        sources[slot] = .reference(
            oldSlot, entitySlot: oldEntitySlot, destination: before.destination)
        if let entitySlot {
            sources[entitySlot] = .referenceEntity(
                oldSlot, entitySlot: oldEntitySlot, destination: before.destination)
        }
        if let order = relationship.orderSlot, let oldOrder = before.orderSlot {
            sources[order] = .order(oldOrder)
        }
    }

    /// Unpairs relationships of equal name whose inverse or destination is different.
    private mutating func partLinks() {
        for relationship in target.relationships where !relationship.isHidden {
            for id in sourceRelationships[relationship.id.index] {
                let old = source[id]
                let members = survivors(of: old.destination)
                if !sourceRelationships[relationship.inverse.index].contains(old.inverse) {
                    note(
                        relationship,
                        "its inverse was '\(source[old.inverse].name)', which is something else now",
                        "no object has one")
                    links.append(LinkChange(relationship: id, demand: .none))
                } else if members.isEmpty
                    || !members.isDisjoint(with: target[relationship.destination].family)
                {
                    continue
                }
                for place in sourceRelationships.indices {
                    sourceRelationships[place].removeAll { $0 == id || $0 == old.inverse }
                }
            }
        }
    }

    /// Finds the links that must be checked in the store, and the to-ones that a single row cannot
    /// set.
    private mutating func judgeLinks() {
        for relationship in target.relationships {
            let olds = sourceRelationships[relationship.id.index]
            // A hidden inverse follows the visible relationship, and may have fewer objects.
            if !relationship.isHidden {
                for id in olds where isNarrowed(source[id], to: relationship) {
                    links.append(
                        LinkChange(relationship: id, demand: .within(relationship.destination)))
                }
            }
            guard relationship.slot != nil, isRelinked(relationship, olds) else { continue }
            relinked.insert(relationship.id)
            links += olds.map { LinkChange(relationship: $0, demand: .single(relationship.id)) }
            let visible = relationship.isHidden ? target[relationship.inverse] : relationship
            if relationship.isHidden {
                note(visible, "is kept in another way now", "no object belongs to two")
            } else if olds.contains(where: { !source[$0].isToMany }) {
                note(visible, "is kept at this end now", "no object has two")
            }
        }
    }

    /// Returns whether the old relationship allows destinations that the new relationship does not.
    private func isNarrowed(_ old: Relationship, to relationship: Relationship) -> Bool {
        !survivors(of: old.destination).isSubset(of: target[relationship.destination].family)
    }

    /// Returns whether a to-one cannot take its destinations from one slot of the old row. They
    /// were in another place, in several slots, or together with destinations that the to-one does
    /// not allow.
    private func isRelinked(_ relationship: Relationship, _ olds: [RelationshipID]) -> Bool {
        if olds.contains(where: { source[$0].slot == nil }) { return true }
        if relationship.isHidden, olds.contains(where: { isNarrowed(source[$0], to: relationship) })
        {
            return true
        }
        return olds.indices.contains { place in
            olds[..<place].contains { other in
                let (a, b) = (
                    source[source[olds[place]].declaringEntity],
                    source[source[other].declaringEntity]
                )
                return a.isKind(of: b) || b.isKind(of: a)
            }
        }
    }

    /// Returns the entities that remain of an old entity and its sub-entities.
    private func survivors(of entity: EntityID) -> Set<EntityID> {
        Set(source[entity].family.compactMap { targetEntities[$0.index] })
    }

    private mutating func note(
        _ relationship: Relationship, _ message: String, _ condition: String
    ) {
        problems.append(
            ModelChange(
                entity: target[relationship.declaringEntity].name, property: relationship.name,
                message: message, effect: .checked(condition)))
    }

    /// Notes an ambiguous property. It may be inherited, which descriptions of one entity do not
    /// show.
    private mutating func noteAmbiguous(_ property: String, in entity: EntityID, from old: String) {
        let change = ModelChange.ambiguousRenaming(
            of: property, in: target[entity].name, from: old)
        if !problems.contains(change) { problems.append(change) }
    }

    /// Marks the changes that fills settle.
    func settle(_ changes: [ModelChange]) -> [ModelChange] {
        if fills.isEmpty { return changes }
        return changes.map { change in
            guard change.isUnsettled, change.property != nil,
                fills[StoredText(change.name)] != nil, change.isAboutMissingValue
            else { return change }
            return ModelChange(
                entity: change.entity, property: change.property, message: change.message,
                effect: .inferred, loss: change.loss)
        }
    }
}

/// A property at one level of an entity or of a composite.
private struct PropertyNode {
    enum Kind {
        case attribute(Attribute)
        case composite(CompositeAttribute)
    }

    var name: String
    var renamingIdentifier: String?
    var kind: Kind

    var declaringEntity: EntityID {
        switch kind {
        case .attribute(let attribute): attribute.declaringEntity
        case .composite(let composite): composite.declaringEntity
        }
    }

    static func roots(of entity: Entity) -> [PropertyNode] {
        entity.attributes.filter { !$0.name.utf8.contains(UInt8(ascii: ".")) }
            .map(node) + entity.composites.map(node)
    }

    static func elements(of composite: CompositeAttribute) -> [PropertyNode] {
        composite.elements.map { element in
            switch element {
            case .attribute(let attribute): node(attribute)
            case .composite(let composite): node(composite)
            }
        }
    }

    private static func node(_ attribute: Attribute) -> PropertyNode {
        PropertyNode(
            name: last(attribute.name),
            renamingIdentifier: attribute.renamingIdentifier.map(last),
            kind: .attribute(attribute))
    }

    private static func node(_ composite: CompositeAttribute) -> PropertyNode {
        PropertyNode(
            name: last(composite.name), renamingIdentifier: composite.renamingIdentifier.map(last),
            kind: .composite(composite))
    }

    private static func last(_ path: String) -> String {
        path.split(separator: ".").last.map(String.init) ?? path
    }
}
