import Duramen
import DuramenTestKit
import StoreTestSupport
import Testing

/// Random batches leave what the same work on objects leaves, delete rules and refusals included.
@MainActor
@Suite(.serialized)
struct BatchEquivalenceTests {
    /// What a container holds, by keys: stores have identities of their own.
    private func contents(_ container: PersistentContainer) throws -> [String] {
        let context = container.makeContext()
        var lines: [String] = []
        let model = container.persistentStoreCoordinator.managedObjectModel
        for entity in model.entities where !entity.isAbstract && entity.superentity == nil {
            let all = try context.fetch(FetchRequest<ManagedObject>(entityName: entity.name))
            for object in all {
                var line = "\(object.objectID.entityName) \(object.objectID.key)"
                for property in object.entity.attributes {
                    line += " \(try object.value(forKey: property.name) ?? "nil")"
                }
                for relationship in object.entity.relationships where !relationship.isHidden {
                    let value = try object.value(forKey: relationship.name)
                    let ends =
                        value as? [ManagedObject] ?? [value as? ManagedObject].compactMap { $0 }
                    line += " \(ends.map(\.objectID.key).sorted())"
                }
                lines.append(line)
            }
        }
        return lines.sorted()
    }

    /// The same random family in every container.
    private func fill(_ container: PersistentContainer, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let context = container.makeContext()
        let owners = (0..<4).map { _ in context.insert("Owner") }
        let items = (0..<12).map { _ in context.insert("Item") }
        let nodes = (0..<14).map { _ in context.insert("Node") }
        let pins = (0..<4).map { _ in context.insert("Pin") }
        for item in items {
            for key in ["owner", "guardian", "master", "keeper"] where chance(2, &random) {
                // Few are guarded, or hardly anything could be deleted.
                if key.hasPrefix("g"), !chance(4, &random) { continue }
                try item.setValue(owners.randomElement(using: &random), forKey: key)
            }
        }
        for node in nodes {
            for key in ["next", "parent"] where chance(2, &random) {
                try node.setValue(nodes.randomElement(using: &random), forKey: key)
            }
        }
        for pin in pins where chance(2, &random) {
            try pin.setValue(nodes.randomElement(using: &random), forKey: "node")
        }
        try context.save()
    }

    private func chance(_ one: Int, _ random: inout SplitMix64) -> Bool {
        Int.random(in: 0..<one, using: &random) == 0
    }

    @Test(arguments: StoreKind.allCases)
    func deletionsFollowTheRulesAsContextsDo(kind: StoreKind) throws {
        let seed = randomSeed()
        var denials = 0
        for round in 0..<UInt64(repetitions(25)) {
            let (batched, plain) = try (
                kind.container(Family.model), kind.container(Family.model)
            )
            try fill(batched, seed: seed &+ round)
            try fill(plain, seed: seed &+ round)
            let label = Comment(rawValue: "seed \(seed), round \(round)")
            try #require(try contents(batched) == contents(plain), label)
            var random = SplitMix64(seed: seed &+ round &+ 1 << 32)
            for _ in 0..<3 {
                let entity = ["Owner", "Item", "Node", "Pin"].randomElement(using: &random) ?? ""
                let request = FetchRequest<ManagedObject>(entityName: entity)
                let context = plain.makeContext()
                let doomed = try context.fetch(request).filter { _ in chance(3, &random) }
                let keys = Set(doomed.map(\.objectID.key))
                let other = batched.makeContext()
                let ids = try other.fetch(request).map(\.objectID).filter { keys.contains($0.key) }
                let code = storeErrorCode {
                    try other.execute(BatchDeleteRequest(objectIDs: ids))
                }
                for object in doomed { context.delete(object) }
                var isDenied = false
                do { try context.save() } catch { isDenied = true }
                try #require((code == .deletionDenied) == isDenied, label)
                if isDenied { denials += 1 }
                try #require(try contents(batched) == contents(plain), label)
            }
        }
        #expect(denials > 0)
    }

    @Test(arguments: StoreKind.allCases)
    func updatesAndInsertionsAreThoseOfContexts(kind: StoreKind) throws {
        let seed = randomSeed()
        for round in 0..<UInt64(repetitions(15)) {
            let policies: [MergePolicy] = [.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump]
            let policy = policies[Int(round) % 2]
            let options = ContextOptions(mergePolicy: policy)
            let (batched, plain) = try (
                kind.container(options: options), kind.container(options: options)
            )
            var random = SplitMix64(seed: seed &+ round)
            let label = Comment(rawValue: "seed \(seed), round \(round)")
            for _ in 0..<6 {
                let bound = Double.random(in: 0..<10, using: &random)
                let codes = (0..<20).map { _ in "q\(Int.random(in: 0..<60, using: &random))" }
                let magnitudes = codes.map { _ in Double.random(in: 0..<10, using: &random) }
                // By objects, one after the other: what is there is changed, or left as it is.
                let context = plain.makeContext()
                for (code, magnitude) in zip(codes, magnitudes) {
                    if let known = try context.quake(code) {
                        if round % 2 == 0 { known.magnitude = magnitude }
                    } else {
                        _ = context.insertQuake(code, magnitude: magnitude)
                    }
                }
                try context.save()
                for quake in try context.fetch(FetchRequest<Quake>().where { $0.magnitude > bound })
                {
                    quake.depth = quake.magnitude * 2
                    quake.magnitude = 10 - quake.magnitude
                }
                try context.save()

                var place = 0
                let other = batched.makeContext(options)
                try other.execute(
                    BatchInsertRequest(Quake.self) { row in
                        if place == codes.count { return true }
                        row[\.code] = codes[place]
                        row[\.magnitude] = magnitudes[place]
                        place += 1
                        return false
                    })
                try other.execute(
                    BatchUpdateRequest<Quake>().where { $0.magnitude > bound }
                        .set(\.depth, to: { $0.magnitude * 2 })
                        .set(\.magnitude, to: { 10 - $0.magnitude }))
                // Keys need not be the same: those of rows that were left out are lost.
                let (own, expected) = try (values(batched), values(plain))
                try #require(own == expected, label)
            }
        }
    }

    private func values(_ container: PersistentContainer) throws -> [String] {
        try container.makeContext().fetch(FetchRequest<Quake>().sorted(by: \.code)).map {
            "\($0.code) \($0.magnitude) \($0.depth ?? -1)"
        }
    }
}
