import DuramenModel
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

/// A model as data: nothing of it is lost, and what is no archive is refused.
struct ModelArchiveTests {
    private struct Cover: Codable, Sendable { var title: String }

    /// Everything that descriptions can say.
    private static let descriptions: [EntityDescription] = {
        var book = EntityDescription(
            name: "Book", superentity: "Work", renamingIdentifier: "Volume",
            versionHashModifier: "2",
            attributes: [
                AttributeDescription("pages", .integer64, default: .integer(.max)),
                AttributeDescription("weight", .double, default: .double(0.1)),
                AttributeDescription(
                    "limit", .double, isOptional: true, default: .double(.infinity)),
                AttributeDescription("price", .decimal, default: .decimal(Decimal(1_999) / 100)),
                AttributeDescription(
                    "printed", .date, isOptional: true,
                    default: .date(Date(timeIntervalSinceReferenceDate: -0.1))),
                AttributeDescription(
                    "image", .binaryData, isOptional: true, default: .binary(Data([0, 255])),
                    allowsExternalBinaryDataStorage: true),
                AttributeDescription("code", .uuid, default: .uuid(UUID())),
                AttributeDescription("link", .uri, default: .uri("https://example.org/é")),
                AttributeDescription("isLent", .boolean, default: .boolean(true)),
                AttributeDescription("seen", .undefined, isOptional: true, isTransient: true),
                AttributeDescription(
                    "secret", .string, isOptional: true, preservesValueInHistoryOnDeletion: true,
                    isConfidential: true, renamingIdentifier: "key", userInfo: ["a\"": "\u{0}b"]),
                AttributeDescription.codable(
                    Cover?.self, name: "cover", identifier: "Cover", default: Cover(title: "x")),
                AttributeDescription.codable([String]?.self, name: "tags", identifier: "Tags")
                    .transformed(by: "NSSecureUnarchiveFromData"),
                .composite(
                    "place", isOptional: true,
                    elements: [
                        AttributeDescription("x", .double),
                        .composite("grid", elements: [AttributeDescription("zone", .integer16)]),
                    ]),
                AttributeDescription("shown", .string, isOptional: true)
                    .derived(from: "canonical:(name)"),
            ],
            relationships: [
                .toOne(
                    "shelf", destination: "Shelf", isOptional: false, deleteRule: .deny,
                    inverse: "books", renamingIdentifier: "case", userInfo: ["k": "v"]),
                .toMany(
                    "sequels", destination: "Book", deleteRule: .cascade, isOrdered: true,
                    minimumCount: 1, maximumCount: 3),
            ],
            uniquenessConstraints: [["name", "shelf"], ["place.grid.zone"]],
            indexes: [
                IndexDescription(
                    name: "byName", elements: [.init("name", isAscending: false), .init("pages")])
            ], userInfo: ["note": "ü"])
        book.fetchedProperties = [
            FetchedPropertyDescription(
                "thicker", destination: "Book", predicateFormat: "pages > $FETCH_SOURCE.pages",
                sortKeys: [.init("pages", isAscending: false)], fetchLimit: 3)
        ]
        return [
            EntityDescription(
                name: "Work", isAbstract: true,
                attributes: [
                    AttributeDescription("name", .string)
                        .limited(minimumLength: 1, maximumLength: 40, pattern: "[a-z]*")
                        .validated(by: "SELF BEGINSWITH 'x'", warning: "begins with x"),
                    AttributeDescription("year", .integer32, isOptional: true)
                        .limited(minimum: .integer(-5), maximum: .integer(3_000)),
                ]),
            book,
            EntityDescription(
                name: "Shelf",
                relationships: [.toMany("books", destination: "Book", inverse: "shelf")]),
        ]
    }()

    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            Self.descriptions,
            configurations: [
                ConfigurationDescription("All", entities: ["Book", "Work", "Shelf"])
            ], versionIdentifiers: ["1.0", "é"])
    }

    @Test func nothingIsLost() throws {
        let model = try model()
        let types = [CodableType("Cover", Cover.self), CodableType("Tags", [String].self)]
        let read = try ManagedObjectModel(archived: model.archived(), codableTypes: types)
        #expect(read.descriptions == model.descriptions)
        #expect(read.configurations == model.configurations)
        #expect(read.versionIdentifiers == model.versionIdentifiers)
        #expect(read.versionChecksum == model.versionChecksum)
        #expect(read.archived() == model.archived())
    }

    @Test func aTypeThatNobodyNamesIsItsBytes() throws {
        let model = try model()
        let read = try ManagedObjectModel(archived: model.archived())
        #expect(read.versionChecksum == model.versionChecksum)
        #expect(read.archived() == model.archived())
        let book = try #require(read.entity(named: "Book"))
        guard case .attribute(let cover)? = book.property(named: "cover") else {
            Issue.record("no attribute")
            return
        }
        #expect(cover.codableType?.type is EncodedBytes.Type)
        #expect(cover.codableType?.identifier == "Cover")
    }

    @Test func equalModelsHaveEqualBytes() throws {
        var descriptions = Self.descriptions
        descriptions.reverse()
        let same = try ManagedObjectModel(
            descriptions,
            configurations: [
                ConfigurationDescription("All", entities: ["Book", "Work", "Shelf"])
            ], versionIdentifiers: ["1.0", "é"])
        #expect(same.archived() == (try model().archived()))
        descriptions[1].attributes[0].defaultValue = .integer(3)
        let other = try ManagedObjectModel(descriptions)
        #expect(other.versionChecksum == (try model().versionChecksum))
        #expect(other.archived() != (try model().archived()))
    }

    private func refusal(_ data: Data) -> ModelError? {
        do throws(ModelError) {
            _ = try ManagedObjectModel(archived: data)
            return nil
        } catch {
            return error
        }
    }

    @Test func whatIsNoArchiveIsRefused() throws {
        let text = String(decoding: try model().archived(), as: UTF8.self)
        let damaged = [
            "", "{", "[]", "{}", "null", String(repeating: "[", count: 100_000),
            text.replacing("\"format\":1", with: "\"format\":2"),
            text.replacing("\"pages\"", with: "\"leaves\""),
            text.replacing("{\"integer\":\"-5\"}", with: "{\"integer\":\"five\"}"),
            text.replacing("{\"integer\":\"-5\"}", with: "{}"),
        ]
        for text in damaged {
            let error = try #require(refusal(Data(text.utf8)), "\(text.prefix(20))")
            #expect(!error.mistakes.isEmpty)
        }
        let newer = try #require(refusal(Data(damaged[6].utf8)))
        #expect(newer.mistakes[0].code == .invalidArchive)
        #expect(newer.mistakes[0].message.contains("format 2"))
        #expect(refusal(Data([0xFF, 0xFE, 0x7B]))?.mistakes[0].code == .invalidArchive)
    }

    @Test func noDamageTraps() throws {
        let archive = Array(try model().archived())
        let seed = randomSeed()
        var random = SplitMix64(seed: seed)
        for _ in 0..<repetitions(1) * 500 {
            var bytes = archive
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default:
                    let end = min(bytes.count, place + 40)
                    bytes.insert(contentsOf: bytes[place..<end], at: place)
                }
            }
            _ = refusal(Data(bytes))
        }
    }
}
