import DuramenModel
import Testing

/// Long chains of inheritance. What took time or stack for every pair of levels would not end here.
struct DeepInheritanceTests {
    private static let levels = 5_000

    /// Entities in a chain, whose names stand in the order of their levels or against it.
    private func chain(
        _ levels: Int = levels, isReversed: Bool = false,
        _ describe: (inout EntityDescription, Int) -> Void = { _, _ in }
    ) -> [EntityDescription] {
        func name(_ level: Int) -> String {
            "L\(100_000 + (isReversed ? levels - level : level))"
        }
        return (0..<levels).map { level in
            var entity = EntityDescription(
                name: name(level), superentity: level == 0 ? nil : name(level - 1))
            describe(&entity, level)
            return entity
        }
    }

    @Test(arguments: [false, true])
    func aChainOfThousandsOfLevelsIsAModel(isReversed: Bool) throws {
        let model = try ManagedObjectModel(
            chain(isReversed: isReversed) { entity, level in
                if level == 0 {
                    entity.attributes = [
                        AttributeDescription("code", .string), AttributeDescription("day", .date),
                    ]
                    entity.uniquenessConstraints = [["code"]]
                }
                entity.indexes = [IndexDescription("day")]
            })
        let root = try #require(model.entities.first { $0.superentity == nil })
        let last = try #require(model.entities.first { $0.subentities.isEmpty })
        #expect(root.family.count == Self.levels)
        #expect(root.family == root.family.sorted())
        #expect(last.family == [last.id])
        #expect(last.root == root.id)
        #expect(last.attributes.map(\.name) == ["code", "day"])
        #expect(last.uniquenessConstraints.map(\.entity) == [root.id])
        #expect(last.uniquenessConstraints.map(\.slots) == [[0]])
        #expect(last.versionHash != root.versionHash)
    }

    @Test func everyLevelIsChecked() {
        let model = chain { entity, level in
            entity.attributes = [AttributeDescription("name", .string, isOptional: true)]
            entity.uniquenessConstraints = [["gone"]]
        }
        let found = findings(model)
        #expect(found.count { $0.code == .duplicateName } == Self.levels - 1)
        #expect(found.count { $0.code == .unknownProperty } == Self.levels)
    }

    @Test func ofAChainWithTooManyPropertiesTheFirstSuchEntityIsNamed() {
        let model = chain { entity, level in
            entity.attributes = [AttributeDescription("a\(level)", .string)]
        }
        #expect(
            findings(model) == [
                Finding(.tooLarge, ""), Finding(.tooLarge, "L104096"),
            ])
    }

    @Test func derivationsOfEveryLevelAreChecked() {
        let model = chain(4_000) { entity, level in
            let source = level == 0 ? "now()" : "a0"
            entity.attributes = [AttributeDescription("a\(level)", .date).derived(from: source)]
        }
        // Each but the first is derived from what is derived itself.
        #expect(findings(model).count { $0.code == .invalidDerivation } == 3_999)
    }

    @Test func aLongCircleIsFoundWithWhatIsBelowIt() {
        var model = chain(isReversed: true)
        model[0].superentity = model[Self.levels / 2].name
        let found = findings(model)
        #expect(found.count == Self.levels / 2 + 1)
        #expect(Set(found.map(\.code)) == [.inheritanceCycle])
    }

    // The sum of all levels of all entities would fill the memory.
    @Test func moreLevelsThanCanBeLaidOutAreRefused() {
        #expect(findings(chain(7_000)) == [Finding(.tooLarge, "")])
    }

    // MARK: - Against a slow reference

    /// Names that are declared although they are inherited, found by walking up from each entity.
    private func repeated(in model: [EntityDescription]) -> Set<Finding> {
        let byName = Dictionary(uniqueKeysWithValues: model.map { ($0.name, $0) })
        var found: Set<Finding> = []
        for entity in model {
            var inherited: Set<String> = []
            var next = entity.superentity
            while let parent = next.flatMap({ byName[$0] }) {
                inherited.formUnion(parent.attributes.map(\.name))
                next = parent.superentity
            }
            for name in entity.attributes.map(\.name) where inherited.contains(name) {
                found.insert(Finding(.duplicateName, entity.name, name))
            }
            let own = Set(entity.attributes.map(\.name)).union(inherited)
            for name in entity.indexes.flatMap(\.elements).map(\.property)
            where !own.contains(name) {
                found.insert(Finding(.unknownProperty, entity.name, "by_\(name)"))
            }
        }
        return found
    }

    @Test func mistakesOfRandomHierarchiesAreThoseOfAWalkToEachAncestor() {
        var random = SeededRandom()
        let seed = random.seed
        for round in 0..<200 {
            let model = (0..<20).map { place in
                EntityDescription(
                    name: "E\(place)",
                    superentity: place == 0 || Int.random(in: 0..<8, using: &random) == 0
                        ? nil : "E\(Int.random(in: 0..<place, using: &random))",
                    attributes: ["a", "b", "c"].filter { _ in
                        Int.random(in: 0..<4, using: &random) == 0
                    }.map { AttributeDescription($0, .string) },
                    indexes: [IndexDescription(["a", "b"].randomElement(using: &random) ?? "")])
            }.shuffled(using: &random)
            #expect(Set(findings(model)) == repeated(in: model), "seed \(seed), round \(round)")
        }
    }
}
