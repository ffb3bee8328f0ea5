import DuramenModel
import DuramenQuery
import DuramenStore

/// Asks several stores with the same objects random questions, and compares their answers with each other and
/// with the slow evaluation.
package struct QueryFuzz: Sendable {
    /// What a store answered otherwise.
    package struct Disagreement: Error, CustomStringConvertible {
        /// The seed, the question as a format string, and the answers.
        package let description: String
    }

    private let stores: [(name: String, driver: StoreDriver)]
    private let contents: StoreContents
    private let seed: UInt64
    private let model: FuzzModel
    /// By store: the objects in the order in which they were made.
    private let objects: [[ManagedObjectID]]

    /// Makes a world of a seed: a model and objects, in each store.
    package init(seed: UInt64, _ fixtures: [(name: String, fixture: StoreFixture)]) throws {
        self.seed = seed
        var random = SplitMix64(seed: seed)
        model = try FuzzModel(&random)
        let start = random
        var objects: [[ManagedObjectID]] = []
        var stores: [(name: String, driver: StoreDriver)] = []
        for (name, fixture) in fixtures {
            var same = start
            let driver = try StoreDriver(fixture, model: model.model)
            objects.append(try Self.fill(driver, model, &same))
            stores.append((name, driver))
        }
        self.objects = objects
        self.stores = stores
        contents = try stores[0].driver.contents()
    }

    private static func fill(
        _ driver: StoreDriver, _ model: FuzzModel, _ random: inout SplitMix64
    ) throws -> [ManagedObjectID] {
        var draft = driver.draft()
        var ids: [ManagedObjectID] = []
        for _ in 0..<Int.random(in: 6...16, using: &random) {
            let entity = driver.entity(random.pick(model.entities))
            var values: PropertyValues = [:]
            for attribute in entity.attributes {
                values[attribute.name] = model.value(attribute, &random)
            }
            ids.append(try draft.insert(entity.name, values))
        }
        try driver.commit(draft)
        var links = driver.draft()
        for id in ids {
            let entity = driver.entity(id.entityName)
            var values: PropertyValues = [:]
            for relationship in entity.relationships where !relationship.isHidden {
                let fitting = ids.filter {
                    driver.entity($0.entityName).isKind(of: model.model[relationship.destination])
                }
                if relationship.isToMany {
                    try relate(id, relationship, fitting, driver, &links, &random)
                } else if !fitting.isEmpty, !random.oneIn(4) {
                    values[relationship.name] = .objectID(random.pick(fitting))
                }
            }
            if !values.isEmpty { try links.update(id, values) }
        }
        try driver.commit(links)
        return ids
    }

    /// Pairs of a many-to-many, from the side that the model names first.
    private static func relate(
        _ id: ManagedObjectID, _ relationship: Relationship, _ others: [ManagedObjectID],
        _ driver: StoreDriver, _ draft: inout ChangeDraft, _ random: inout SplitMix64
    ) throws {
        let inverse = driver.model[relationship.inverse]
        guard inverse.isToMany, relationship.name.hasPrefix("r") else { return }
        let owner = driver.model[relationship.declaringEntity].name
        for other in others where random.oneIn(3) {
            draft.relate("\(owner).\(relationship.name)", id, other)
        }
    }

    // MARK: - Asking

    /// Asks so many questions.
    ///
    /// - Throws: ``Disagreement`` for the first that is answered differently, after it was made as simple as it
    ///   can be.
    package func run(questions: Int) throws -> FuzzCoverage {
        var coverage = FuzzCoverage()
        for number in 0..<questions {
            var random = SplitMix64(seed: seed, case: number + 1)
            let entity = random.pick(model.entities)
            var generator = FuzzPredicates(model.model, objects: objects[0], random)
            let predicate = generator.predicate(stores[0].driver.entity(entity), 3)
            let query = query(entity, predicate, &generator)
            coverage.note(predicate)
            if let problem = try problem(query, &coverage) {
                throw Disagreement(
                    description: "seed \(seed), question \(number): \(try simplest(query, problem))"
                )
            }
        }
        return coverage
    }

    private func query(
        _ entity: String, _ predicate: FetchPredicate, _ generator: inout FuzzPredicates
    ) -> StoreQuery {
        let described = stores[0].driver.entity(entity)
        var query = stores[0].driver.query(entity, where: predicate)
        for attribute in described.attributes where generator.number(4) == 0 {
            let isText = attribute.kind == .text || attribute.kind == .uri
            query.sortDescriptors.append(
                FetchSortDescriptor(
                    attribute.name, ascending: generator.number(2) == 0,
                    comparison: isText
                        ? generator.random.pick(FetchSortDescriptor.Comparison.allCases) : .standard
                ))
        }
        query.includesSubentities = generator.number(4) != 0
        if generator.number(3) == 0 { query.offset = generator.number(4) }
        if generator.number(3) == 0 { query.limit = generator.number(8) }
        return query
    }

    /// What is wrong with the answers; nil when they agree.
    private func problem(_ query: StoreQuery, _ coverage: inout FuzzCoverage) throws -> String? {
        guard let predicate = query.predicate else { return nil }
        if let problem = printing(predicate) { return problem }
        let entity = model.model[query.entity]
        do throws(FetchPredicateError) {
            _ = try predicate.bound(to: entity, in: model.model)
        } catch {
            coverage.refused += 1
            for (place, store) in stores.enumerated() {
                if let keys = try? answer(translated(query, place), of: store.driver) {
                    return "\(store.name) gives \(keys) for what is refused: \(error)"
                }
            }
            return nil
        }
        let expected = PlainEvaluation(contents: contents, model: model.model).results(of: query)
            .map(\.key)
        let all = contents.records.keys.count
        if !expected.isEmpty, expected.count < all { coverage.discerning += 1 }
        for (place, store) in stores.enumerated() {
            do {
                let found = try answer(translated(query, place), of: store.driver)
                if found != expected {
                    return "\(store.name) gives \(found), the evaluation \(expected)"
                }
            } catch {
                return "\(store.name) throws \(error), the evaluation gives \(expected)"
            }
        }
        return nil
    }

    private func answer(_ query: StoreQuery, of driver: StoreDriver) throws -> [Int64] {
        try QueryExecution(query, on: driver.store, in: driver.store.snapshot()).objectIDs()
            .map(\.key)
    }

    private func printing(_ predicate: FetchPredicate) -> String? {
        let text = predicate.description
        do throws(PredicateFormatError) {
            let read = try FetchPredicate(text).description
            return read == text ? nil : "is read as \(read)"
        } catch {
            return "is not read: \(error)"
        }
    }

    /// The same question with the object IDs of another store.
    private func translated(_ query: StoreQuery, _ place: Int) -> StoreQuery {
        if place == 0 { return query }
        let others = Dictionary(uniqueKeysWithValues: zip(objects[0], objects[place]))
        var copy = query
        copy.predicate = query.predicate.map { Self.translated($0, others) }
        return copy
    }

    private static func translated(
        _ predicate: FetchPredicate, _ others: [ManagedObjectID: ManagedObjectID]
    ) -> FetchPredicate {
        predicate.mapping { comparison in
            var copy = comparison
            copy.left = translated(comparison.left, others)
            copy.right = translated(comparison.right, others)
            return .comparison(copy)
        }
    }

    private static func translated(
        _ expression: FetchExpression, _ others: [ManagedObjectID: ManagedObjectID]
    ) -> FetchExpression {
        if case .constant(.objectID(let id)) = expression {
            return .constant(.objectID(others[id] ?? id))
        }
        return expression.mapping(
            operands: { translated($0, others) }, condition: { translated($0, others) })
    }

    // MARK: - Simplifying

    /// The question with as little in it as still disagrees.
    private func simplest(_ query: StoreQuery, _ problem: String) throws -> String {
        var (query, problem) = (query, problem)
        var coverage = FuzzCoverage()
        var isSmaller = true
        while isSmaller {
            isSmaller = false
            for candidate in simpler(query) {
                if let found = try self.problem(candidate, &coverage) {
                    (query, problem) = (candidate, found)
                    isSmaller = true
                    break
                }
            }
        }
        return "\(model.model[query.entity].name) where \(query.predicate?.description ?? "") "
            + "sorted \(query.sortDescriptors) from \(query.offset) at most \(query.limit ?? -1): "
            + problem
    }

    private func simpler(_ query: StoreQuery) -> [StoreQuery] {
        var candidates: [StoreQuery] = []
        if !query.sortDescriptors.isEmpty || query.isWindowed {
            var plain = query
            plain.sortDescriptors = []
            plain.offset = 0
            plain.limit = nil
            candidates.append(plain)
        }
        for predicate in query.predicate.map(FuzzSimplifying.simpler) ?? [] {
            var copy = query
            copy.predicate = predicate
            candidates.append(copy)
        }
        return candidates
    }
}
