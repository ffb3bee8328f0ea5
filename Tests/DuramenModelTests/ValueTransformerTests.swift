import DuramenArchives
import Foundation
import Testing

@testable import DuramenModel

/// Transformable attributes of which the model says who makes bytes of their values.
struct ValueTransformerTests {
    struct Cover: Codable, Sendable, Equatable { var text: String }
    private struct UnknownBytes: Error {}

    /// Keeps a cover as bytes of its own.
    private let reversed = ValueTransformer("ReversedTransformer", Cover.self) { bytes in
        guard bytes.first == 0xFF else { throw UnknownBytes() }
        return Cover(text: String(decoding: bytes.dropFirst().reversed(), as: UTF8.self))
    } encode: { cover in
        Data([0xFF] + cover.text.utf8.reversed())
    }

    /// Keeps a cover as an object of an application's class.
    private let object = ValueTransformer(
        "CoverTransformer", Cover.self, allowing: ["Library.Cover"]
    ) { value in
        guard case .object(let cover) = value, case .string(let text)? = cover["text"] else {
            throw UnknownBytes()
        }
        return Cover(text: text)
    } encode: { cover in
        .object(
            ArchivedObject(
                className: "Library.Cover", fields: [("text", .value(.string(cover.text)))]))
    }

    private func type<Value: Codable & Sendable>(
        _ type: Value.Type, _ name: String?, default value: Value? = nil,
        _ transformers: [ValueTransformer] = []
    ) throws -> (type: CodableType, defaultValue: StoredValue) {
        var description = AttributeDescription.codable(
            type, name: "payload", identifier: "Payload", default: value)
        description.valueTransformerName = name
        let model = try ManagedObjectModel(
            [EntityDescription(name: "Book", attributes: [description])],
            transformers: ValueTransformers(transformers))
        let attribute = model.entities[0].attributes[0]
        #expect(attribute.valueTransformerName == name)
        return (try #require(attribute.codableType), attribute.defaultValue)
    }

    private let json = Data("[\"a\",\"b\"]".utf8)

    @Test(arguments: ValueTransformers.standardNames)
    func anAttributeThatNamesATransformerOfCoreDataIsArchived(name: String) throws {
        let (type, defaultValue) = try type([String].self, name, default: ["a", "b"])
        let archive = try ArchivedValue.array([.string("a"), .string("b")]).archive()
        #expect(try type.data(of: ["a", "b"]) == archive)
        #expect(defaultValue == .binary(archive))
        #expect(try type.value(of: archive) as? [String] == ["a", "b"])
        #expect(try type.value(of: json) as? [String] == ["a", "b"])
    }

    @Test(arguments: [nil, "TagsTransformer"])
    func anyOtherAttributeIsJSONAndReadsArchivesToo(name: String?) throws {
        let (type, defaultValue) = try type([String].self, name, default: ["a", "b"])
        #expect(try type.data(of: ["a", "b"]) == json)
        #expect(defaultValue == .binary(json))
        let archive = try ArchivedValue.array([.string("a"), .string("b")]).archive()
        #expect(try type.value(of: archive) as? [String] == ["a", "b"])
    }

    @Test func aTransformerOfTheApplicationMakesTheBytes() throws {
        let cover = Cover(text: "abc")
        let (type, defaultValue) = try type(
            Cover.self, "ReversedTransformer", default: cover, [reversed])
        #expect(try type.data(of: cover) == Data([0xFF] + "cba".utf8))
        #expect(defaultValue == .binary(Data([0xFF] + "cba".utf8)))
        #expect(try type.value(of: Data([0xFF] + "cba".utf8)) as? Cover == cover)
        #expect(try type.value(of: Data("{\"text\":\"abc\"}".utf8)) as? Cover == cover)
        #expect(throws: CodingFailure.self) { try type.value(of: Data([0xFE])) }
        #expect(throws: CodingFailure.self) { try type.data(of: "no cover") }
    }

    @Test func aTransformerReadsObjectsOfTheClassesThatItAllows() throws {
        let cover = Cover(text: "Moby-Dick")
        let (type, _) = try type(Cover.self, "CoverTransformer", [object])
        let data = try type.data(of: cover)
        #expect(try type.value(of: data) as? Cover == cover)
        let other = ArchivedValue.object(
            ArchivedObject(className: "Library.Task", fields: [("text", .value(.string("a")))]))
        #expect(throws: CodingFailure.self) { try type.value(of: try other.archive()) }
    }

    @Test func aTransformerOfAnotherTypeIsRefused() {
        let error = #expect(throws: ModelError.self) {
            try type([String].self, "CoverTransformer", [object])
        }
        #expect(error?.mistakes.map(\.code) == [.invalidCodableType])
    }

    @Test func onlyATransformableAttributeNamesATransformer() {
        let text = AttributeDescription("title", .string).transformed(by: "CoverTransformer")
        #expect(findings(text) == [Finding(.invalidCodableType, "Quake", "title")])
    }

    @Test func aModelTakesOtherTransformersAndStaysTheSameVersion() throws {
        let description = AttributeDescription.codable(
            Cover.self, name: "cover", identifier: "Cover")
        let entities = { (attribute: AttributeDescription) in
            [EntityDescription(name: "Book", attributes: [attribute])]
        }
        let plain = try ManagedObjectModel(entities(description))
        let named = try ManagedObjectModel(
            entities(description.transformed(by: "CoverTransformer")))
        let registered = try named.with(ValueTransformers([object]))
        #expect(Set([plain, named, registered].map(\.versionChecksum)).count == 1)
        let types = [plain, named, registered].map { $0.entities[0].attributes[0].codableType }
        #expect(types.map { $0?.isTransformed } == [false, false, true])
    }

    @Test func aValueInAnotherFormIsTheSameValue() throws {
        let (type, _) = try type([String].self, "NSSecureUnarchiveFromData")
        #expect(type.isSame(["a", "b"], as: json))
        #expect(type.isSame(["a", "b"], as: try type.data(of: ["a", "b"])))
        #expect(!type.isSame(["b"], as: json))
    }
}
