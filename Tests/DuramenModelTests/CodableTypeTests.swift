import Foundation
import Testing

@testable import DuramenModel

/// Transformable attributes: which types a model takes, and what is decoded of which bytes.
struct CodableTypeTests {
    struct Station: Codable, Sendable, Equatable {
        var name: String
        var heights: [Double]
    }

    /// Nested as deep as its bytes say.
    struct Box: Codable, Sendable {
        var inner: [Box]
    }

    private func attribute(
        _ type: CodableType?, named name: String = "payload", default value: StoredValue = .null
    ) -> AttributeDescription {
        var attribute = AttributeDescription(name, .transformable, default: value)
        attribute.codableType = type
        return attribute
    }

    // MARK: - Models

    @Test func aTransformableAttributeHoldsItsTypeAndDefault() throws {
        let model = try ManagedObjectModel([
            EntityDescription(
                name: "Quake",
                attributes: [
                    .codable([String].self, name: "tags", identifier: "Tags", default: ["b", "a"]),
                    .codable(Station?.self, name: "station", identifier: "Station"),
                ])
        ])
        let (station, tags) = (model.entities[0].attributes[0], model.entities[0].attributes[1])
        #expect(tags.kind == .transformable && tags.type == .transformable && !tags.isOptional)
        #expect(tags.defaultValue == .binary(Data("[\"b\",\"a\"]".utf8)))
        #expect(tags.codableType?.identifier == "Tags")
        #expect(station.isOptional && station.codableType?.type == Station.self)
    }

    @Test func aTransformableAttributeNamesItsType() {
        #expect(
            findings(attribute(nil)) == [Finding(.invalidCodableType, "Quake", "payload")])
        var text = AttributeDescription("payload", .string)
        text.codableType = CodableType("Tags", [String].self)
        #expect(findings(text) == [Finding(.invalidCodableType, "Quake", "payload")])
    }

    @Test func oneIdentifierStandsForOneTypeInAModel() {
        let tags = CodableType("Tags", [String].self)
        let entities = { (other: CodableType) in
            [
                EntityDescription(name: "Quake", attributes: [attribute(tags)]),
                EntityDescription(name: "Region", attributes: [attribute(other)]),
            ]
        }
        #expect(findings(entities(tags)).isEmpty)
        #expect(
            findings(entities(CodableType("Tags", [Int].self)))
                == [Finding(.invalidCodableType, "Region", "payload")])
    }

    @Test(arguments: [
        StoredValue.binary(Data()), .binary(Data("[1]".utf8)), .binary(Data("[\"a\"".utf8)),
        .text("[\"a\"]"),
    ])
    func aDefaultThatTheTypeCannotReadIsRefused(value: StoredValue) {
        let tags = CodableType("Tags", [String].self)
        #expect(
            findings(attribute(tags, default: value))
                == [Finding(.invalidDefault, "Quake", "payload")])
    }

    @Test func aDefaultThatCannotBeEncodedIsRefused() {
        let description = AttributeDescription.codable(
            [Double].self, name: "payload", identifier: "Numbers", default: [.nan])
        #expect(findings(description) == [Finding(.invalidDefault, "Quake", "payload")])
    }

    @Test func aConstraintOrIndexOverATransformableAttributeIsRefused() {
        let entity = EntityDescription(
            name: "Quake",
            attributes: [
                attribute(CodableType("Tags", [String].self), named: "a"),
                .composite(
                    "b", elements: [attribute(CodableType("Tags", [String].self), named: "c")]),
            ],
            uniquenessConstraints: [["a"]], indexes: [IndexDescription("b.c")])
        #expect(
            findings([entity]) == [
                Finding(.invalidConstraint, "Quake", "a"),
                Finding(.invalidConstraint, "Quake", "by_b_c"),
            ])
    }

    // MARK: - Bytes

    @Test func equalValuesHaveEqualBytes() throws {
        let names = (0..<50).map { "\($0)" }
        let forwards = Dictionary(uniqueKeysWithValues: names.map { ($0, [$0]) })
        var backwards: [String: [String]] = [:]
        for name in names.reversed() { backwards[name] = [name] }
        #expect(try EncodedValue.encode(forwards) == EncodedValue.encode(backwards))
    }

    @Test func aValueComesBackFromItsBytes() throws {
        let station = Station(name: "[\"\\{é\u{0}", heights: [1.5, -0.1])
        let type = CodableType("Station", Station.self)
        let data = try type.data(of: station)
        #expect(try type.value(of: data) as? Station == station)
        #expect(throws: CodingFailure.self) { try type.data(of: "no station") }
    }

    private static let damaged: [(String, Data)] = [
        ("nothing", Data()), ("no JSON", Data("{".utf8)), ("another type", Data("[1]".utf8)),
        ("truncated", Data("{\"name\":\"a\",\"heights\":[1".utf8)),
        ("a missing key", Data("{\"name\":\"a\"}".utf8)),
        ("a type's name, which nobody looks up", Data("{\"class\":\"NSTask\"}".utf8)),
        ("a property list", Data("bplist00".utf8)),
        ("UTF-16", "{\"name\":\"a\",\"heights\":[]}".data(using: .utf16LittleEndian) ?? Data()),
        ("UTF-32", "{\"name\":\"a\",\"heights\":[]}".data(using: .utf32) ?? Data()),
        ("bytes of no encoding", Data([0x22, 0xFF, 0x22])),
    ]

    @Test(arguments: damaged.indices)
    func bytesThatAreNoValueAreRefused(index: Int) {
        let (what, data) = Self.damaged[index]
        #expect(throws: CodingFailure.self, "\(what)") {
            try EncodedValue.decode(Station.self, from: data)
        }
    }

    @Test(arguments: [65, 1_000, 100_000])
    func whatIsNestedTooDeepIsNeitherReadNorWritten(depth: Int) throws {
        let deep = Data((String(repeating: "{\"inner\":[", count: depth / 2 + 1)).utf8)
        let failure = CodingFailure(problem: "is nested more than 64 deep")
        #expect(throws: failure) { try EncodedValue.decode(Box.self, from: deep) }
        guard depth == 65 else { return }
        var box = Box(inner: [])
        for _ in 0..<31 { box = Box(inner: [box]) }
        // 32 objects and 32 arrays.
        let data = try EncodedValue.encode(box)
        #expect(EncodedValue.depthOf(data) == 64)
        _ = try EncodedValue.decode(Box.self, from: data)
        #expect(throws: failure) { try EncodedValue.encode(Box(inner: [box])) }
    }

    @Test func bracketsInTextsAreNoNesting() throws {
        let text = String(repeating: "[{\"\\", count: 100)
        let data = try EncodedValue.encode([text])
        #expect(EncodedValue.depthOf(data) == 1)
        #expect(try EncodedValue.decode([String].self, from: data) == [text])
    }

    @Test func sixteenMebibytesAreTheMost() throws {
        let text = String(repeating: "x", count: EncodedValue.maximumBytes - 4)
        let data = try EncodedValue.encode([text])
        #expect(data.count == EncodedValue.maximumBytes)
        #expect(
            try EncodedValue.decode([String].self, from: data).first?.utf8.count == text.utf8.count)
        let failure = CodingFailure(problem: "takes more than 16 MiB when it is encoded")
        #expect(throws: failure) { try EncodedValue.encode([text + "x"]) }
        #expect(throws: failure) { try EncodedValue.decode([String].self, from: data + [32]) }
    }

    @Test func aFailureQuotesNoValue() {
        #expect(throws: CodingFailure(problem: "is not an encoded Array<Int8>")) {
            try EncodedValue.decode([Int8].self, from: Data("[123456]".utf8))
        }
    }
}

extension EncodedValue {
    fileprivate static func depthOf(_ data: Data) -> Int? { data.withUnsafeBytes(depth(of:)) }
}
