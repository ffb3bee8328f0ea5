import Duramen
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// Everything of one store in another one of any kind.
@Suite struct StoreConversionTests {
    struct Pair: CustomTestStringConvertible {
        let from: StoreKind
        let to: StoreKind

        var testDescription: String { "\(from) to \(to)" }

        static let all = StoreKind.allCases.flatMap { from in
            StoreKind.allCases.map { Pair(from: from, to: $0) }
        }
    }

    /// Makes objects related in every way that there is.
    private func fill(_ driver: StoreDriver, using random: inout SplitMix64) throws {
        var nodes: [ManagedObjectID] = []
        var tags: [ManagedObjectID] = []
        try driver.commit { draft in
            for number in 0..<40 {
                tags.append(try draft.insert("Tag", ["name": .text(StoredText("tag \(number)"))]))
            }
        }
        for _ in 0..<20 {
            try driver.commit { draft in
                for _ in 0..<60 {
                    let number = Int64(nodes.count)
                    var values: PropertyValues = [
                        "name": .text(StoredText("\(number) é 漢")),
                        "weight": .double(Double(number) / 3),
                        "isOpen": .boolean(number % 2 == 0),
                        "image": .binary(Data(repeating: 7, count: Int(number % 11) * 40)),
                        "place.x": .double(-1), "place.grid.zone": .integer(number % 9),
                    ]
                    if number % 5 == 0 { values["rank"] = .integer(.max - number) }
                    if let parent = nodes.randomElement(using: &random) {
                        values["parent"] = .objectID(parent)
                        values["list"] = tags.randomElement(using: &random).map { .objectID($0) }
                    }
                    if number % 3 == 0 {
                        values["price"] = .decimal(Decimal(number) / 1_000)
                        values["due"] = .date(Date(timeIntervalSinceReferenceDate: 0.25))
                    }
                    nodes.append(
                        try draft.insert(number % 3 == 0 ? "Leaf" : "Node", values))
                }
            }
        }
        try driver.commit { draft in
            for path in ["Node.tags", "Node.peers", "Node.chain", "Tag.picks"] {
                var known: Set<[ManagedObjectID]> = []
                for _ in 0..<300 {
                    let from = (path.hasPrefix("Tag") ? tags : nodes).randomElement(using: &random)
                    let to = (path == "Node.tags" ? tags : nodes).randomElement(using: &random)
                    guard let from, let to, known.insert([from, to].sorted()).inserted else {
                        continue
                    }
                    let isOrdered = !["Node.tags", "Node.peers"].contains(path)
                    draft.relate(
                        path, from, to,
                        order: isOrdered ? Int64.random(in: 0..<1_000, using: &random) : nil,
                        inverseOrder: ["Node.chain", "Tag.picks"].contains(path)
                            ? Int64.random(in: 0..<1_000, using: &random) : nil)
                }
            }
            draft.changes.metadata = ["note": .text("kept"), "count": .integer(3)]
        }
    }

    /// What a store holds, without its identity.
    private func lines(_ store: any PersistentStore) throws -> [String] {
        let contents = try StoreContents(reading: try store.snapshot(), of: store)
        var lines = contents.records.map { id, record in
            let values = record.values.sorted { $0.key < $1.key }
            return "\(id) " + values.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        }
        for (relationship, lists) in contents.destinations {
            lines += lists.map { "\(relationship.index) \($0) → \($1)" }
        }
        for (relationship, lists) in contents.orders {
            lines += lists.map { source, list in
                "\(relationship.index) \(source) → "
                    + list.map { "\($0.id) \($0.order ?? -1)" }.joined(separator: ", ")
            }
        }
        return lines.sorted()
    }

    @Test(arguments: Pair.all)
    func everythingIsInTheOtherStore(pair: Pair) throws {
        let seed = randomSeed()
        var random = SplitMix64(seed: seed)
        let model = WorkloadModel.shared
        let driver = try StoreDriver(
            StoreFixture { _ in pair.from.description.largestInlineValue(bytes: 300) },
            model: model)
        try fill(driver, using: &random)
        let destination = try pair.to.description.largestInlineValue(bytes: 200).open(model: model)
        var noted = 0
        var conversion = StoreConversion(from: driver.store, to: destination)
        conversion.noteRows = { noted += $0 }
        let checksums = try conversion.run()

        #expect(try lines(destination) == lines(driver.store))
        #expect(
            try destination.metadata().userInfo.filter { ["note", "count"].contains($0.key) }
                == ["note": .text("kept"), "count": .integer(3)])
        #expect(noted == 2 * 1_240)
        #expect(checksums.entities.map(\.name) == model.entities.map(\.name))
        let counts = Dictionary(
            uniqueKeysWithValues: checksums.entities.map { ($0.name, $0.rowCount) })
        #expect(counts == ["Node": 800, "Leaf": 400, "Tag": 40])
        // New objects get keys of their own.
        let keys = try destination.allocateKeys(1, for: try destination.entity("Node").id)
        #expect(keys.lowerBound > 1_200)
        try destination.close()
    }

    @Test func checksumsTellEverySmallDifference() throws {
        let model = WorkloadModel.shared
        func checksums(_ edit: (StoreDriver) throws -> Void) throws -> StoreChecksums {
            let driver = try StoreDriver(
                StoreFixture { _ in StoreKind.memory.description }, model: model)
            let tag = try driver.insert("Tag", ["name": .text("a")], key: 1)
            let node = try driver.insert("Node", ["name": .text("b"), "rank": .integer(0)], key: 1)
            try driver.commit { $0.relate("Tag.picks", tag, node, order: 1, inverseOrder: 2) }
            try edit(driver)
            return try StoreChecksums(reading: try driver.store.snapshot(), of: driver.store)
        }
        let same = try checksums { _ in }
        #expect(try checksums { _ in } == same)
        func id(_ name: String, _ driver: StoreDriver) -> ManagedObjectID {
            ManagedObjectID(
                store: driver.store.handle, entity: driver.entity(name).handle, key: 1)
        }
        let edits: [(StoreDriver) throws -> Void] = [
            { driver in try driver.commit { try $0.update(id("Tag", driver), ["name": .text("á")]) }
            },
            { driver in try driver.commit { try $0.update(id("Node", driver), ["rank": .null]) } },
            { driver in
                try driver.commit { try $0.update(id("Node", driver), ["rank": .integer(1)]) }
            },
            { driver in
                try driver.commit {
                    try $0.update(id("Node", driver), ["list": .objectID(id("Tag", driver))])
                }
            },
            { driver in
                try driver.commit {
                    $0.relate("Tag.picks", id("Tag", driver), id("Node", driver), order: 2)
                }
            },
            { driver in
                try driver.commit {
                    $0.relate("Tag.picks", id("Tag", driver), id("Node", driver), inverseOrder: 1)
                }
            },
            { driver in
                try driver.commit { $0.relate("Node.tags", id("Node", driver), id("Tag", driver)) }
            },
            { driver in _ = try driver.insert("Leaf") },
        ]
        var known: Set<StoreChecksums> = [same]
        for edit in edits { known.insert(try checksums(edit)) }
        #expect(known.count == edits.count + 1)
    }

    @Test func aStoreThatHasSomethingIsNotOverwritten() throws {
        let model = WorkloadModel.shared
        let source = try StoreKind.memory.description.open(model: model)
        try source.insert("Tag", ["name": .text("new")])
        let destination = try StoreKind.sqlite.description.open(model: model)
        try destination.insert("Tag", ["name": .text("old")])
        let error = #expect(throws: StoreError.self) {
            try StoreConversion(from: source, to: destination).run()
        }
        #expect(error?.code == .invalidRequest && error?.message.contains("'Tag'") == true)
        let other = try StoreKind.memory.description.open(model: Seismology.model)
        #expect(throws: StoreError.self) { try StoreConversion(from: source, to: other).run() }
    }

    @Test("Few saves wait for the disk, and large rows are not collected", arguments: [1, 100_000])
    func someThousandRowsAreWrittenTogether(bytes: Int) throws {
        let model = WorkloadModel.shared
        let source = try StoreKind.memory.description.open(model: model)
        let count = bytes == 1 ? 25_000 : 200
        let image = StoredValue.binary(Data(repeating: 1, count: bytes))
        try source.insert("Node", all: (0..<count).map { _ in ["image": image] })
        let destination = try StoreKind.memory.description.open(model: model)
        let before = try destination.snapshot().generation.rawValue
        try StoreConversion(from: source, to: destination).run()
        let saves = try destination.snapshot().generation.rawValue - before
        // At most 10,000 rows, and not many more than 4 MiB.
        #expect(bytes == 1 ? saves == 3 : (2...5).contains(saves), "\(saves) saves")
        #expect(try destination.snapshot().count(destination.query("Node")) == count)
    }

    @Test func aConversionIsCancelled() throws {
        let model = WorkloadModel.shared
        let source = try StoreKind.memory.description.open(model: model)
        try source.insert("Tag")
        let destination = try StoreKind.memory.description.open(model: model)
        var conversion = StoreConversion(from: source, to: destination)
        let flag = CancellationFlag()
        flag.cancel()
        conversion.cancellation = flag
        let error = #expect(throws: StoreError.self) { try conversion.run() }
        #expect(error?.code == .cancelled)
    }
}
