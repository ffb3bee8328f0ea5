import DuramenModel
import DuramenStore
import Foundation

/// Equal random objects in several stores.
struct FuzzWorld {
    /// One store, with its snapshot for all questions.
    struct Place {
        let name: String
        let driver: StoreDriver
        let snapshot: any StoreSnapshot
        /// The objects in the order in which they were created, including deleted ones.
        let objects: [ManagedObjectID]
        /// The IDs of the first store's objects in this store, and the reverse.
        let fromFirst: [ManagedObjectID: ManagedObjectID]
        let toFirst: [ManagedObjectID: ManagedObjectID]
    }

    let model: FuzzModel
    let places: [Place]
    /// The contents of the first store, which equal those of all.
    let contents: StoreContents

    /// Fills the stores.
    ///
    /// - Throws: An error of a store, or `Difference` if their contents differ afterwards.
    init(seed: UInt64, _ fixtures: [(name: String, fixture: StoreFixture)]) throws {
        var random = SplitMix64(seed: seed)
        model = try FuzzModel(&random)
        var places: [Place] = []
        for (name, fixture) in fixtures {
            // Each store uses the same random numbers.
            var filler = FuzzFiller(
                driver: try StoreDriver(fixture, model: model.model), model: model, random: random)
            let objects = try filler.fill()
            let first = places.first?.objects ?? objects
            places.append(
                Place(
                    name: name, driver: filler.driver,
                    snapshot: try filler.driver.store.snapshot(), objects: objects,
                    fromFirst: Dictionary(uniqueKeysWithValues: zip(first, objects)),
                    toFirst: Dictionary(uniqueKeysWithValues: zip(objects, first))))
        }
        self.places = places
        contents = try places[0].driver.contents(in: places[0].snapshot)
        for place in places.dropFirst() { try checkContents(of: place) }
    }

    private func checkContents(of place: Place) throws {
        let found = try place.driver.contents(in: place.snapshot)
        try checkEqual(
            Set(found.records.keys.map { place.toFirst[$0] ?? $0 }), Set(contents.records.keys),
            "the objects of \(place.name)")
        for (id, record) in found.records {
            let first = place.toFirst[id] ?? id
            try checkEqual(
                record.values.mapValues { $0.withIDs(place.toFirst) },
                contents.records[first]?.values ?? [:],
                "\(place.name), \(id.entityName) \(id.key)")
        }
        for relationship in model.model.relationships where relationship.isToMany {
            let lists = (found.destinations[relationship.id] ?? [:]).map { source, list in
                (place.toFirst[source] ?? source, list.map { place.toFirst[$0] ?? $0 })
            }
            try checkEqual(
                Dictionary(uniqueKeysWithValues: lists),
                contents.destinations[relationship.id] ?? [:],
                "\(place.name), where '\(relationship.name)' leads")
        }
    }

    /// The number of values of each notable form.
    var forms: [String: Int] {
        var counts: [String: Int] = [:]
        for (id, record) in contents.records {
            for attribute in model.model.entity(of: id)?.attributes ?? [] {
                let value = record.values[attribute.name] ?? .null
                for form in value.notableForms { counts["value \(form)", default: 0] += 1 }
            }
        }
        return counts
    }
}

/// Creates the objects of one store.
private struct FuzzFiller {
    let driver: StoreDriver
    let model: FuzzModel
    var random: SplitMix64

    mutating func fill() throws -> [ManagedObjectID] {
        var draft = driver.draft()
        var ids: [ManagedObjectID] = []
        for _ in 0..<Int.random(in: 12...32, using: &random) {
            let entity = driver.entity(random.pick(model.entities))
            var values: PropertyValues = [:]
            for attribute in entity.attributes {
                values[attribute.name] = FuzzValues.value(of: attribute, &random)
            }
            ids.append(try draft.insert(entity.name, values))
        }
        try driver.commit(draft)
        try relate(ids)
        // References to deleted objects stay, as with the delete rule `noAction`.
        if random.oneIn(3) {
            try driver.commit { draft in
                for id in ids where random.oneIn(10) { try draft.delete(id) }
            }
        }
        return ids
    }

    private mutating func relate(_ ids: [ManagedObjectID]) throws {
        var links = driver.draft()
        // Each object is the destination of at most one one-to-one.
        var taken: [RelationshipID: Set<ManagedObjectID>] = [:]
        for id in ids {
            let entity = driver.entity(id.entityName)
            var values: PropertyValues = [:]
            for relationship in entity.relationships where !relationship.isHidden {
                let fitting = ids.filter {
                    driver.entity($0.entityName).isKind(of: driver.model[relationship.destination])
                }
                if relationship.isToMany {
                    relate(id, relationship, fitting, &links)
                } else if !fitting.isEmpty, !random.oneIn(4) {
                    let chosen = random.pick(fitting)
                    if !driver.model[relationship.inverse].isToMany {
                        // The other side is set below, from the side that the model names first.
                        guard relationship.name.hasPrefix("r"),
                            taken[relationship.id, default: []].insert(chosen).inserted
                        else { continue }
                    }
                    values[relationship.name] = .objectID(chosen)
                    if relationship.orderSlot != nil, !random.oneIn(4) {
                        values[relationship.name + ".order"] = .integer(
                            Int64(Int.random(in: 0...5, using: &random)))
                    }
                }
            }
            if !values.isEmpty { try links.update(id, values) }
        }
        try driver.commit(links)
        try closeOneToOnes(ids)
    }

    /// Sets the other side of one-to-one relationships.
    private func closeOneToOnes(_ ids: [ManagedObjectID]) throws {
        var values: [ManagedObjectID: PropertyValues] = [:]
        for id in ids {
            let row = try driver.existingRow(id)
            for relationship in driver.entity(id.entityName).relationships
            where !relationship.isToMany && relationship.name.hasPrefix("r") {
                let inverse = driver.model[relationship.inverse]
                if inverse.isToMany || inverse.isHidden { continue }
                let destination = row.destination(
                    of: relationship, in: driver.model, store: driver.store.handle)
                if let destination {
                    values[destination, default: [:]][inverse.name] = .objectID(id)
                }
            }
        }
        if values.isEmpty { return }
        try driver.commit { draft in
            for id in ids {
                if let values = values[id] { try draft.update(id, values) }
            }
        }
    }

    /// Adds pairs of a many-to-many, from the side that the model names first.
    private mutating func relate(
        _ id: ManagedObjectID, _ relationship: Relationship, _ others: [ManagedObjectID],
        _ draft: inout ChangeDraft
    ) {
        let inverse = driver.model[relationship.inverse]
        guard inverse.isToMany, relationship.name.hasPrefix("r") else { return }
        let owner = driver.model[relationship.declaringEntity].name
        // About two each: otherwise a path over several such relationships would find millions of
        // objects.
        for other in others where random.oneIn(max(3, others.count / 2)) {
            draft.relate(
                "\(owner).\(relationship.name)", id, other,
                order: relationship.isOrdered
                    ? Int64(Int.random(in: 0...5, using: &random)) : nil,
                inverseOrder: inverse.isOrdered
                    ? Int64(Int.random(in: 0...5, using: &random)) : nil)
        }
    }
}

extension StoredValue {
    /// The value, with an object ID replaced by its entry in a dictionary.
    func withIDs(_ ids: [ManagedObjectID: ManagedObjectID]) -> StoredValue {
        if case .objectID(let id) = self, let other = ids[id] { return .objectID(other) }
        return self
    }

    /// The forms of a value that stores may handle incorrectly.
    fileprivate var notableForms: [String] {
        switch self {
        case .null: return ["null"]
        case .integer(let number):
            return number == .min || number == .max ? ["extreme integer"] : ["integer"]
        case .double(let number):
            if number.isInfinite { return ["infinite double"] }
            return abs(number) > 1e15 || (number != 0 && abs(number) < 1e-15)
                ? ["extreme double"] : ["double"]
        case .decimal(let number):
            return number.magnitude > 1_000_000_000_000_000 ? ["extreme decimal"] : ["decimal"]
        case .boolean: return ["boolean"]
        case .text(let text), .uri(let text):
            var forms = ["text"]
            let bytes = Array(text.string.utf8)
            if bytes.isEmpty { forms = ["empty text"] }
            if bytes.contains(0) { forms.append("text with NUL") }
            if text == FuzzValues.composedText { forms.append("text é of one scalar") }
            if text == FuzzValues.decomposedText { forms.append("text é of two scalars") }
            return forms
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate
            return seconds < -978_307_200 || seconds > 1e10 ? ["far date"] : ["date"]
        case .binary(let data): return [data.isEmpty ? "empty bytes" : "bytes"]
        case .uuid: return ["uuid"]
        case .objectID: return []
        }
    }
}
