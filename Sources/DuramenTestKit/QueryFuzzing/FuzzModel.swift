import DuramenModel
import Foundation

/// Models of random entities, attributes and relationships, and values that fit them.
struct FuzzModel {
    let model: ManagedObjectModel
    /// The names of the entities that objects may be of.
    let entities: [String]

    private static let types: [AttributeType] = [
        .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .string, .boolean,
        .date,
        .binaryData, .uuid, .uri,
    ]

    init(_ random: inout SplitMix64) throws {
        let count = Int.random(in: 2...4, using: &random)
        var descriptions = (0..<count).map { EntityDescription(name: "E\($0)") }
        for index in descriptions.indices {
            let own = Int.random(in: 2...6, using: &random)
            descriptions[index].attributes = (0..<own).map { place in
                AttributeDescription(
                    "e\(index)a\(place)", random.pick(Self.types), isOptional: true)
            }
            // An index here and there, since planners differ by them.
            if random.oneIn(2) {
                descriptions[index].indexes = [IndexDescription("e\(index)a0")]
            }
            if index > 0, random.oneIn(3) { descriptions[index].superentity = "E\(index - 1)" }
        }
        for number in 0..<Int.random(in: 1...4, using: &random) {
            let (from, to) = (
                Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random)
            )
            let (name, inverse) = ("r\(number)", "i\(number)")
            let isToOne = random.oneIn(2)
            descriptions[from].relationships.append(
                isToOne
                    ? .toOne(name, destination: "E\(to)", inverse: inverse)
                    : .toMany(name, destination: "E\(to)", inverse: inverse))
            descriptions[to].relationships.append(.toMany(inverse, destination: "E\(from)"))
        }
        model = try ManagedObjectModel(descriptions)
        entities = descriptions.map(\.name)
    }

    /// A value of an attribute, odd ones and null more often than others.
    func value(_ attribute: Attribute, _ random: inout SplitMix64) -> StoredValue {
        if random.oneIn(5) { return .null }
        switch attribute.kind {
        case .boolean: return .boolean(random.oneIn(2))
        case .integer:
            switch attribute.type {
            case .integer16: return .integer(Int64(random.pick([Int16.min, -1, 0, 1, 2, 7, .max])))
            case .integer32: return .integer(Int64(random.pick([Int32.min, -1, 0, 1, 3, .max])))
            default: return .integer(random.pick([.min, -2, -1, 0, 1, 2, 1 << 53, .max]))
            }
        case .float: return .double(random.pick([-1.5, 0, 0.5, 1, 2, .infinity]))
        default: return FuzzValues.constant(ofKind: attribute.kind, &random)
        }
    }
}

/// Values of each kind of which some are equal, some odd, and some beyond what others hold.
enum FuzzValues {
    static func constant(ofKind kind: SlotKind, _ random: inout SplitMix64) -> StoredValue {
        switch kind {
        case .integer, .boolean:
            return .integer(random.pick([.min, -1, 0, 1, 2, 3, 42, (1 << 53) + 1, .max]))
        case .double, .float:
            return .double(
                random.pick([
                    -.infinity, -1e300, -1.5, 0, 0.1, 0.5, 1, 2, 9_007_199_254_740_992, .infinity,
                    .leastNonzeroMagnitude,
                ]))
        case .decimal:
            let digits = random.pick([
                "-1", "0", "0.1", "0.5", "1", "2", "12.34",
                "99999999999999999999999999999999999999",
                "0.00000000000000000001",
            ])
            return .decimal(SampleValues.decimal(digits))
        case .text: return .text(random.pick(texts))
        case .uri: return .uri(random.pick(["http://a/b", "a", "urn:x", "http://é/"]))
        case .date:
            return SampleValues.date(
                random.pick([-978_307_200.5, -1, 0, 0.5, 1, 700_000_000, 6e10]))
        case .binary:
            return .binary(Data(random.pick([[], [0], [1], [0, 1], [255]] as [[UInt8]])))
        case .uuid:
            return .uuid(
                SampleValues.uuid(
                    random.pick([
                        "00000000-0000-0000-0000-000000000000",
                        "6F9619FF-8B86-D011-B42D-00C04FC964FF",
                    ])))
        case .reference, .referenceEntity, .transformable: return .null
        }
    }

    static let texts: [StoredText] = [
        "", "a", "A", "b", "ab", "aB", "é", "e\u{301}", "E", "a\u{0}b", "a%", "*", "a?b", "\\",
        "10", "-1.5",
        "ß", "ss", "\u{1F600}", " ", "naïve", "NAÏVE",
    ]
}
