import DuramenModel
import DuramenModelFile
import DuramenSQLite
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// Model caches that this library writes, as its own reader reads them.
@Suite struct ModelCacheWritingTests {
    let folder = TemporaryFolder()

    /// Writes the cache of a model into a file, and reads it.
    private func roundTrip(_ model: ManagedObjectModel) throws -> ManagedObjectModel {
        let path = folder.file("\(UUID().uuidString).sqlite")
        defer { try? FileManager.default.removeItem(atPath: path) }
        let entities = model.entities.map { entity in
            (
                name: entity.name.replacing("'", with: "''"),
                parent: entity.superentity.map { $0.index + 1 } ?? 0
            )
        }
        let store = try AppleStore(
            path, entities: entities, cache: ModelCacheWriter.packed(model))
        return try SQLiteStoreType().storedModel(
            of: store.description, codableTypes: Self.types(of: model)
        ).model
    }

    private static func types(of model: ManagedObjectModel) -> [CodableType] {
        func types(_ attribute: AttributeDescription) -> [CodableType] {
            (attribute.codableType.map { [$0] } ?? []) + attribute.elements.flatMap(types)
        }
        return model.descriptions.flatMap(\.attributes).flatMap(types)
    }

    private func expectRoundTrip(_ model: ManagedObjectModel, _ name: String) throws {
        let read = try roundTrip(model)
        let expected = ExpressibleModel.descriptions(of: model)
        #expect(read.descriptions.map(\.name) == expected.map(\.name), "\(name)")
        for (read, expected) in zip(read.descriptions, expected) where read != expected {
            Issue.record("\(name): \(read) was read for \(expected)")
        }
        #expect(read.versionIdentifiers == Set(model.versionIdentifiers).sorted(), "\(name)")
        if ExpressibleModel.keepsChecksum(model) {
            #expect(read.versionChecksum == model.versionChecksum, "\(name)")
        }
    }

    // MARK: - Everything that a model says

    private static let everyDefault: [AttributeDescription] = [
        AttributeDescription("short", .integer16, default: .integer(-32_768)),
        AttributeDescription("long", .integer64, default: .integer(.min)),
        AttributeDescription("exact", .decimal, default: .decimal(Decimal(-1_234_567) / 1_000)),
        AttributeDescription(
            "tiny", .decimal,
            default: .decimal(Decimal(sign: .plus, exponent: -90, significand: 7))),
        AttributeDescription("double", .double, default: .double(0.1)),
        AttributeDescription("float", .float, default: .double(Double(Float(0.1)))),
        AttributeDescription("text", .string, default: .text(StoredText("e\u{301}"))),
        AttributeDescription("empty", .string, default: .text(StoredText(""))),
        AttributeDescription("yes", .boolean, default: .boolean(true)),
        AttributeDescription("no", .boolean, default: .boolean(false)),
        AttributeDescription(
            "date", .date, default: .date(Date(timeIntervalSinceReferenceDate: -0.5))),
        AttributeDescription("bytes", .binaryData, default: .binary(Data([0, 255]))),
        AttributeDescription("noBytes", .binaryData, default: .binary(Data())),
        AttributeDescription("id", .uuid, default: .uuid(UUID())),
        AttributeDescription("link", .uri, default: .uri(StoredText("x:y?z"))),
    ]

    @Test func everyDefaultValueComesBack() throws {
        try expectRoundTrip(
            testModel([EntityDescription(name: "Item", attributes: Self.everyDefault)]), "defaults")
    }

    @Test func everythingThatACacheCanSayComesBack() throws {
        let photo = EntityDescription(
            name: "Photo", superentity: "Thing", renamingIdentifier: "Picture",
            versionHashModifier: "2",
            attributes: [
                AttributeDescription(
                    "data", .binaryData, isOptional: true, allowsExternalBinaryDataStorage: true,
                    preservesValueInHistoryOnDeletion: true, isConfidential: true,
                    renamingIdentifier: "bytes", versionHashModifier: "3",
                    userInfo: ["a": "b", "c": ""]),
                AttributeDescription("draft", .string, isOptional: true, isTransient: true),
                AttributeDescription("mood", .undefined, isTransient: true),
                .codable([String]?.self, name: "tags", identifier: "[String]", default: ["x"]),
                .codable(Data.self, name: "colour", identifier: "Colour")
                    .transformed(by: "ColourTransformer"),
                .codable(Int.self, name: "secure", identifier: "NSSecureUnarchiveFromData")
                    .transformed(by: "NSSecureUnarchiveFromData"),
            ],
            relationships: [
                .toOne("album", destination: "Album", isOptional: false, inverse: "photos"),
                .toOne("owner", destination: "Thing", deleteRule: .noAction),
                .toOne("twin", destination: "Photo", deleteRule: .deny, inverse: "twin"),
                .toMany("likes", destination: "Photo", inverse: "likedBy", isOrdered: true),
                .toMany("likedBy", destination: "Photo", inverse: "likes"),
            ], uniquenessConstraints: [["title", "album"], ["album"]],
            indexes: [
                IndexDescription("title"),
                IndexDescription(
                    name: "both",
                    elements: [.init("title", isAscending: false), .init("album")]),
            ])
        let album = EntityDescription(
            name: "Album",
            relationships: [
                .toMany(
                    "photos", destination: "Photo", isOptional: false, deleteRule: .cascade,
                    inverse: "album", minimumCount: 2, maximumCount: 9),
                .toMany("covers", destination: "Photo"),
                .toMany("best", destination: "Photo", maximumCount: 1),
            ])
        let thing = EntityDescription(
            name: "Thing", isAbstract: true,
            attributes: [AttributeDescription("title", .string, default: .text(StoredText("T")))],
            userInfo: ["note": "kept"])
        let model = try ManagedObjectModel(
            [photo, album, thing],
            configurations: [ConfigurationDescription("All", entities: ["Thing", "Album"])],
            versionIdentifiers: ["2", "1"])
        try expectRoundTrip(model, "all")
    }

    @Test("Rules, derivations and fetched properties are no obstacle")
    func whatTheReaderLeavesOut() throws {
        let item = EntityDescription(
            name: "Item",
            attributes: [
                AttributeDescription("price", .decimal).limited(
                    minimum: .decimal(1), maximum: .decimal(9)),
                AttributeDescription("code", .string)
                    .limited(minimumLength: 1, maximumLength: 5, pattern: "A.*")
                    .validated(by: "SELF LIKE 'A*'", warning: "codes begin with A"),
                AttributeDescription("count", .integer64, default: .integer(0))
                    .derived(from: "parts.@count"),
                AttributeDescription("upper", .string, isOptional: true)
                    .derived(from: "uppercase:(code)"),
            ], relationships: [.toMany("parts", destination: "Item", inverse: "whole")])
        var whole = item
        whole.relationships.append(.toOne("whole", destination: "Item", inverse: "parts"))
        whole.fetchedProperties = [
            FetchedPropertyDescription(
                "namesakes", destination: "Item", predicateFormat: "code == $FETCH_SOURCE.code",
                sortKeys: [.init("price", isAscending: false)], fetchLimit: 3),
            FetchedPropertyDescription(
                "strange", destination: "Item", predicateFormat: "code LIKE 'x*' OR price < 3"),
        ]
        try expectRoundTrip(testModel([whole]), "rules")
    }

    @Test("Elements of composites become attributes of their columns' names")
    func compositesAreFlattened() throws {
        let grid = AttributeDescription.composite(
            "grid", elements: [AttributeDescription("zone", .integer16, default: .integer(3))],
            renamingIdentifier: "raster")
        let place = AttributeDescription.composite(
            "place", isOptional: true, elements: [AttributeDescription("x", .double), grid])
        let model = testModel([
            EntityDescription(
                name: "Site", attributes: [place, AttributeDescription("name", .string)],
                uniquenessConstraints: [["place.grid.zone", "name"]],
                indexes: [IndexDescription("place.x")])
        ])
        try expectRoundTrip(model, "composite")
        let site = try roundTrip(model).descriptions[0]
        #expect(site.attributes.map(\.name) == ["place_x", "place_grid_zone", "name"])
        #expect(site.attributes.map(\.isOptional) == [true, true, false])
        #expect(site.attributes[1].renamingIdentifier == "place_raster_zone")
    }

    @Test("An element whose column would be another property's is left out, with what names it")
    func collidingElementsAreLeftOut() throws {
        let place = AttributeDescription.composite(
            "place", elements: [AttributeDescription("x", .double), .init("y", .double)])
        let model = testModel([
            EntityDescription(
                name: "Site", attributes: [place],
                uniquenessConstraints: [["place.x"], ["place.y"]],
                indexes: [IndexDescription("place.x"), IndexDescription("place.y")]),
            EntityDescription(
                name: "Sub", superentity: "Site",
                attributes: [AttributeDescription("PLACE_X", .string)]),
        ])
        let site = try roundTrip(model).descriptions[0]
        #expect(site.attributes.map(\.name) == ["place_y"])
        #expect(site.uniquenessConstraints == [["place_y"]])
        #expect(site.indexes.flatMap(\.elements).map(\.property) == ["place_y"])
    }

    @Test func randomModelsComeBack() throws {
        let seed = randomSeed()
        for number in 0..<repetitions(25) {
            var random = SplitMix64(seed: seed, case: number)
            let model = try RandomModel.model(
                seed: random.next(), edits: Int.random(in: 0...40, using: &random))
            try expectRoundTrip(model, "seed \(seed), model \(number)")
        }
    }

    // MARK: - Names and sizes

    @Test func hostileNamesComeBack() throws {
        let names = [
            "a'b\"c", "; DROP TABLE x", "é", "e\u{301}", "$null", "NSKeys", "🦊\u{200D}",
            "__empty_slot_token_4c24_98dc_ac1e_b773__", " ", "\n", "%@", "class", "$class",
            String(repeating: "ß", count: 100),
        ]
        let entities = names.map { name in
            EntityDescription(
                name: name,
                attributes: names.map { AttributeDescription($0, .string, isOptional: true) },
                indexes: [IndexDescription(name: name, elements: [.init(name)])],
                userInfo: [name: name])
        }
        try expectRoundTrip(testModel(entities), "names")
    }

    @Test func thousandsOfEntitiesComeBackFromASmallCache() throws {
        let model = testModel(
            (0..<2_000).map { number in
                EntityDescription(
                    name: "Entity\(number)",
                    attributes: (0..<2).map { AttributeDescription("value\($0)", .integer32) },
                    relationships: [
                        .toOne("next", destination: "Entity\((number + 1) % 2_000)")
                    ])
            })
        #expect(try ModelCacheWriter.packed(model).count < 1 << 20)
        #expect(try roundTrip(model).versionChecksum == model.versionChecksum)
    }

    @Test func aChainOfThousandsOfEntitiesNeedsNoStack() throws {
        let model = testModel(
            (0..<5_000).map { number in
                EntityDescription(
                    name: "E\(number)", superentity: number == 0 ? nil : "E\(number - 1)",
                    attributes: number % 500 == 0
                        ? [AttributeDescription("value\(number)", .integer32)] : [],
                    relationships: number == 4_999
                        ? [.toOne("first", destination: "E0")] : [])
            })
        let packed = try packedOnSmallStack(model)
        #expect(packed.count < 4 << 20)
        #expect(try roundTrip(model).versionChecksum == model.versionChecksum)
    }

    /// Writes a cache on a stack that a recursion over thousands of entities would overflow.
    private func packedOnSmallStack(_ model: ManagedObjectModel) throws -> [UInt8] {
        final class Outcome: Sendable {
            let result = Locked<Result<[UInt8], any Error>?>(nil)
            let done = DispatchSemaphore(value: 0)
        }
        let outcome = Outcome()
        let thread = Thread {
            let result = Result { try ModelCacheWriter.packed(model) }
            outcome.result.withLock { $0 = result }
            outcome.done.signal()
        }
        thread.stackSize = 256 << 10
        thread.start()
        outcome.done.wait()
        return try #require(outcome.result.withLock { $0 }).get()
    }

    @Test func aModelThatNoReaderTakesIsRefused() throws {
        let parent = EntityDescription(
            name: "Parent",
            attributes: (0..<2_000).map { AttributeDescription("value\($0)", .integer32) })
        let children = (0..<100).map { EntityDescription(name: "C\($0)", superentity: "Parent") }
        // 101 entities with 2 000 properties each.
        #expect(
            storeErrorCode { try ModelCacheWriter.packed(testModel([parent] + children)) }
                == .tooLarge)
        let many = testModel((0...10_000).map { EntityDescription(name: "E\($0)") })
        #expect(storeErrorCode { try ModelCacheWriter.packed(many) } == .tooLarge)
    }
}

extension ModelCacheWritingTests {
    /// Models of applications, as their model files say them.
    @Suite(.enabled(if: Corpus.folder != nil, "\(Corpus.missing)"))
    struct OfTheCorpus {
        @Test func everyModelOfTheCorpusComesBack() throws {
            let models = try CorpusModels.all()
            #expect(models.count > 200)
            for (path, model) in models {
                try ModelCacheWritingTests().expectRoundTrip(model, path)
            }
        }
    }
}
