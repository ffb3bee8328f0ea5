import DuramenModel

/// Models of random entities, attributes, composites, indexes and relationships.
struct FuzzModel {
    let model: ManagedObjectModel
    /// The names of the entities that objects may have.
    let entities: [String]

    private static let types: [AttributeType] = [
        .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .string, .boolean,
        .date, .binaryData, .uuid, .uri,
    ]

    init(_ random: inout SplitMix64) throws {
        let count = Int.random(in: 2...4, using: &random)
        var descriptions = (0..<count).map { EntityDescription(name: "E\($0)") }
        for index in descriptions.indices {
            descriptions[index].attributes = Self.attributes(of: index, &random)
            descriptions[index].indexes = Self.indexes(descriptions[index].attributes, &random)
            if index > 0, random.oneIn(3) { descriptions[index].superentity = "E\(index - 1)" }
        }
        for number in 0..<Int.random(in: 1...4, using: &random) {
            Self.relate(number, &descriptions, &random)
        }
        model = try ManagedObjectModel(descriptions)
        entities = descriptions.map(\.name)
    }

    private static func attributes(
        of index: Int, _ random: inout SplitMix64
    ) -> [AttributeDescription] {
        var attributes = (0..<Int.random(in: 2...6, using: &random)).map { place in
            AttributeDescription("e\(index)a\(place)", random.pick(types), isOptional: true)
        }
        if random.oneIn(3) {
            attributes.append(
                .composite(
                    "e\(index)c", isOptional: true,
                    elements: ["x", "y"].map {
                        AttributeDescription($0, random.pick(types), isOptional: true)
                    }))
        }
        if random.oneIn(4) {
            attributes.append(
                .codable([String]?.self, name: "e\(index)t", identifier: "FuzzTexts"))
        }
        return attributes
    }

    /// Indexes at random, since they affect query planners.
    private static func indexes(
        _ attributes: [AttributeDescription], _ random: inout SplitMix64
    ) -> [IndexDescription] {
        var indexes: [IndexDescription] = []
        if random.oneIn(2) { indexes.append(IndexDescription(attributes[0].name)) }
        if random.oneIn(4) {
            indexes.append(
                IndexDescription(
                    name: "pair",
                    elements: [
                        .init(attributes[1].name, isAscending: random.oneIn(2)),
                        .init(attributes[0].name, isAscending: random.oneIn(2)),
                    ]))
        }
        return indexes
    }

    private static func relate(
        _ number: Int, _ descriptions: inout [EntityDescription], _ random: inout SplitMix64
    ) {
        let from = Int.random(in: descriptions.indices, using: &random)
        let to = Int.random(in: descriptions.indices, using: &random)
        let (name, inverse) = ("r\(number)", "i\(number)")
        let isToOne = random.oneIn(2)
        descriptions[from].relationships.append(
            isToOne
                ? .toOne(name, destination: "E\(to)", inverse: inverse)
                : .toMany(name, destination: "E\(to)", inverse: inverse, isOrdered: random.oneIn(4))
        )
        descriptions[to].relationships.append(
            isToOne && random.oneIn(4)
                ? .toOne(inverse, destination: "E\(from)")
                : .toMany(inverse, destination: "E\(from)", isOrdered: random.oneIn(4)))
    }
}
