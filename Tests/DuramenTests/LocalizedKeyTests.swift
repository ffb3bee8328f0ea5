import Duramen
import DuramenTestKit
import StoreTestSupport
import Testing

/// Objects sorted as names are, by a derived attribute that keeps the keys.
@MainActor
@Suite(.serialized) struct LocalizedKeyTests {
    private static func model(keepsKeys: Bool) throws -> ManagedObjectModel {
        var key = AttributeDescription("sortName", .string, isOptional: true)
        if keepsKeys { key.derivationExpression = "localized:(name)" }
        return try ManagedObjectModel([
            EntityDescription(
                name: "Person",
                attributes: [
                    AttributeDescription("name", .string, isOptional: true),
                    AttributeDescription("number", .integer64, isOptional: true), key,
                ],
                relationships: [
                    .toOne("chief", destination: "Person", inverse: "staff"),
                    .toMany("staff", destination: "Person", inverse: "chief"),
                ], indexes: [IndexDescription("sortName")])
        ])
    }

    private static let syllables = [
        "an", "na", "Öl", "ol", "é", "E", "è", "9", "10", "2", " ", "-", "Ж", "ß", "Å", "z", "日",
    ]

    private static func name(_ random: inout SplitMix64) -> String? {
        if Int.random(in: 0..<12, using: &random) == 0 { return nil }
        return (0..<Int.random(in: 1...3, using: &random))
            .map { _ in syllables.randomElement(using: &random) ?? "" }.joined()
    }

    private func fill(_ context: ManagedObjectContext, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var people: [ManagedObject] = []
        for number in 0..<300 {
            let person = context.insert("Person")
            try person.setValue(Self.name(&random), forKey: "name")
            try person.setValue(number, forKey: "number")
            try person.setValue(people.randomElement(using: &random), forKey: "chief")
            people.append(person)
        }
        try context.save()
        // What is not saved has no new key yet.
        for person in people where Int.random(in: 0..<10, using: &random) == 0 {
            try person.setValue(Self.name(&random), forKey: "name")
        }
    }

    private func request(_ path: String, isAscending: Bool) -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entityName: "Person")
        request.sortDescriptors = [
            FetchSortDescriptor(path, ascending: isAscending, comparison: .localizedStandard)
        ]
        return request
    }

    private func numbers(_ objects: [ManagedObject]) throws -> [Int64] {
        try objects.map { try #require(try $0.value(forKey: "number") as? Int64) }
    }

    @Test(arguments: StoreKind.allCases)
    func orderAndPagesAreThoseOfAModelWithoutKeys(kind: StoreKind) throws {
        let seed = randomSeed()
        var seen: [[[Int64]]] = []
        for keepsKeys in [true, false] {
            let container = try kind.container(Self.model(keepsKeys: keepsKeys))
            var results: [[Int64]] = []
            try fill(container.viewContext, seed: seed)
            // A child sees what its parent has not saved, and has no new key for.
            let child = ManagedObjectContext(parent: container.viewContext)
            for context in [container.viewContext, container.makeContext(), child] {
                for path in ["name", "chief.name"] {
                    for isAscending in [true, false] {
                        let request = request(path, isAscending: isAscending)
                        results.append(try numbers(context.fetch(request)))
                        var page = request.limit(40)
                        var paged: [ManagedObject] = []
                        while paged.count <= 300, case let objects = try context.fetch(page),
                            let last = objects.last
                        {
                            paged += objects
                            page = try request.limit(40).after(last)
                        }
                        #expect(try numbers(paged) == results.last, "seed \(seed), \(path)")
                    }
                }
            }
            seen.append(results)
        }
        #expect(seen[0] == seen[1], "seed \(seed)")
    }

    @Test(arguments: [StoreKind.sqlite, .lmdb])
    func aPageReadsNoMoreRowsThanItHas(kind: StoreKind) throws {
        let container = try kind.container(Self.model(keepsKeys: true))
        let context = container.viewContext
        for number in 0..<5_000 {
            try context.insert("Person").setValue("person \(number * 7 % 5_000)", forKey: "name")
        }
        try context.save()
        let counters = container.persistentStoreCoordinator.store.counters
        let reader = container.makeContext()
        let rows = counters.rowsDecoded
        var request = request("name", isAscending: true).limit(50)
        let first = try reader.fetch(request)
        request = try request.after(try #require(first.last))
        let second = try reader.fetch(request)
        #expect(
            try second.map { try $0.value(forKey: "name") as? String }
                == (50..<100).map { "person \($0)" })
        #expect(counters.rowsDecoded - rows <= 110)
    }

    @Test(arguments: StoreKind.allCases)
    func aPredicateMayAskForKeys(kind: StoreKind) throws {
        let context = try kind.container(Self.model(keepsKeys: true)).viewContext
        for name in ["a 10", "a 9", "b"] {
            try context.insert("Person").setValue(name, forKey: "name")
        }
        try context.save()
        var request = FetchRequest<ManagedObject>(entityName: "Person")
        request.predicate = try FetchPredicate(
            format: "localized:(name) < localized:('a 10')", arguments: [])
        let found = try context.fetch(request)
        #expect(try found.map { try $0.value(forKey: "name") as? String } == ["a 9"])
    }
}
