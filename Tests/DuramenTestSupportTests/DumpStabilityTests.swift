import Duramen
import DuramenTestKit
import DuramenTestSupport
import Foundation
import StoreTestSupport
import Testing

@MainActor struct DumpStabilityTests {
    /// A graph by numbers, to be made in any order.
    private struct Plan {
        var houses: [(street: String, number: Int, height: Double)] = []
        var people: [(name: String, home: Int?, friends: [Int])] = []
        var notes: [(text: String?, writer: Int?, answer: Int?, tags: [Int])] = []
        var tags: [String?] = []

        init(_ random: inout SplitMix64) {
            for number in 0..<4 {
                houses.append(("Street \(number % 2)", number, .random(in: 0..<9, using: &random)))
            }
            for number in 0..<6 {
                people.append(
                    (
                        "Person \(number)", random.pick([nil, 0, 1, 2, 3]),
                        [random.pick([0, 1, 2, 3, 4, 5])]
                    ))
            }
            // Few values, so that many are alike.
            tags = (0..<5).map { _ in random.pick(["x", nil]) }
            notes = (0..<14).map { _ in
                (
                    random.pick(["a", nil]), random.pick([nil, nil, 0, 1]),
                    random.pick([nil, .random(in: 0..<14, using: &random)]), []
                )
            }
            // A tag has one note, as the relationship names no inverse.
            for tag in tags.indices { notes[random.pick([0, 1, 2, 3])].tags.append(tag) }
        }

        func make(in context: ManagedObjectContext, _ random: inout SplitMix64) throws {
            enum Step { case house(Int), person(Int), note(Int), tag(Int) }
            var steps: [Step] = houses.indices.map { .house($0) }
            steps += people.indices.map { .person($0) }
            steps += notes.indices.map { .note($0) } + tags.indices.map { .tag($0) }
            var made: [String: ManagedObject] = [:]
            for step in steps.shuffled(using: &random) {
                switch step {
                case .house(let number):
                    let house = houses[number]
                    made["house \(number)"] = try context.make(
                        "House",
                        ["street": house.street, "number": house.number, "height": house.height])
                case .person(let number):
                    made["person \(number)"] = try context.make(
                        "Person", ["name": people[number].name])
                case .note(let number):
                    made["note \(number)"] = try context.make(
                        "Note", ["text": notes[number].text])
                case .tag(let number):
                    made["tag \(number)"] = try context.make("Tag", ["label": tags[number]])
                }
                if random.pick([true, false, false, false, false, false]) { try context.save() }
            }
            func object(_ kind: String, _ number: Int?) -> ManagedObject? {
                number.flatMap { made["\(kind) \($0)"] }
            }
            for (number, note) in notes.enumerated().shuffled(using: &random) {
                let object0 = try #require(object("note", number))
                try object0.setValue(object("person", note.writer), forKey: "writer")
                try object0.setValue(object("note", note.answer), forKey: "answer")
                try object0.setValue(note.tags.map { object("tag", $0) }, forKey: "tags")
            }
            for (number, person) in people.enumerated().shuffled(using: &random) {
                let object0 = try #require(object("person", number))
                let friends = person.friends.shuffled(using: &random)
                let known = try object0.value(forKey: "friends") as? [ManagedObject] ?? []
                try object0.setValue(
                    known + friends.compactMap { object("person", $0) }, forKey: "friends")
            }
            // The order of residents is part of the graph.
            for (number, house) in houses.indices.map({ ($0, object("house", $0)) }) {
                let residents = people.indices.filter { people[$0].home == number }
                try house?.setValue(
                    residents.compactMap { object("person", $0) }, forKey: "residents")
            }
        }
    }

    @Test func theOrderOfInsertionAndTheStoreDoNotMatter() throws {
        let seed = randomSeed()
        for number in 0..<repetitions(12) {
            var random = SplitMix64(seed: seed, case: number)
            let plan = Plan(&random)
            var texts: [String] = []
            for kind in StoreKind.allCases {
                let container = try kind.container(Town.model)
                let context = container.viewContext
                try plan.make(in: context, &random)
                // Derived values come with the save.
                try context.save()
                texts.append(try context.dump())
                let other = container.makeContext()
                texts.append(try other.dump())
                try container.close()
            }
            #expect(!texts[0].isEmpty)
            for text in texts.dropFirst() { #expect(text == texts[0], "case \(number)") }
        }
    }

    @Test func aChangedValueChangesItsLineAlone() throws {
        let container = try PersistentContainer.inMemory(model: Town.model)
        let context = container.viewContext
        let seed = randomSeed()
        var random = SplitMix64(seed: seed)
        try Plan(&random).make(in: context, &random)
        let before = try context.dump().split(separator: "\n")
        var request = FetchRequest<ManagedObject>(entityName: "House")
        request.predicate = try FetchPredicate(format: "number == 2")
        let house = try #require(try context.fetch(request).first)
        try house.setValue(-1.5, forKey: "height")
        let after = try context.dump().split(separator: "\n")
        #expect(before.count == after.count)
        let changed = zip(before, after).filter { $0 != $1 }
        #expect(changed.map(\.1) == ["  height: -1.5"])
    }

    /// Rings of equal notes: refinement alone tells none of them apart.
    @Test func ringsOfEqualObjectsHaveOneText() throws {
        let seed = randomSeed()
        var random = SplitMix64(seed: seed)
        var texts: Set<String> = []
        for _ in 0..<12 {
            let container = try PersistentContainer.inMemory(model: Town.model)
            let context = container.viewContext
            let notes = try (0..<12).map { _ in try context.make("Note", [:]) }
                .shuffled(using: &random)
            // One ring of six, and two of three.
            for ring in [0..<6, 6..<9, 9..<12] {
                for place in ring {
                    let next = place + 1 == ring.upperBound ? ring.lowerBound : place + 1
                    try notes[place].setValue(notes[next], forKey: "answer")
                }
            }
            texts.insert(try context.dump())
        }
        #expect(texts.count == 1)
    }

    @Test func manyEqualObjectsAreDumped() throws {
        let container = try PersistentContainer.inMemory(model: Town.model)
        let context = container.viewContext
        for _ in 0..<300 {
            let tag = try context.make("Tag", [:])
            try context.make("Note", ["tags": [tag]])
        }
        let lines = try context.dump().split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("Note #") }.count == 300)
        // Every note has the tag of its number.
        let tagged = lines.indices.filter { lines[$0].hasPrefix("    Tag #") }.map { lines[$0] }
        #expect(tagged == (1...300).map { "    Tag #\($0)" })
    }

    @Test func aGraphThatIsLoadedTwiceHasOneText() throws {
        let graph = """
            {
              "House": [{"street": "A", "number": 1, "place": {"east": 16.4}}],
              "Person": [
                {"name": "Ada", "home": {"street": "A", "number": 1}, "secret": "x"},
                {"name": "Bob", "friends": ["Ada"], "notes": [{"text": "hello"}]}
              ]
            }
            """
        let texts = try (0..<2).map { _ in
            let container = try PersistentContainer.inMemory(model: Town.model)
            let context = container.viewContext
            try context.load(graph: graph)
            return try context.dump()
        }
        #expect(texts[0] == texts[1])
        #expect(texts[0].contains("  home: House \"A\", 1"))
    }
}
