import DuramenModel
import Foundation
import StoreTestSupport

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Models for the stores of the corpus that are older than model caches.
enum CorpusModels {
    private static let artsy = [
        "ArtsyPartner_1.3.5.sqlite": "ArtsyPartner 5", "ArtsyPartner_1.3.sqlite": "ArtsyPartner 5",
        "ArtsyPartner_1.4.sqlite": "ArtsyFolio v1.4", "ArtsyPartner_1.6.sqlite": "ArtsyFolio v1.5",
        "ArtsyPartner_2.0.sqlite": "ArtsyFolio v2.0", "oss_stubbed_data.sqlite": "ArtsyFolio v2.3",
    ]

    /// The model of a store by the name of its file; nil when it keeps its own.
    static func model(for file: String) throws -> ManagedObjectModel? {
        if file == "Recipes.sqlite" { return recipes }
        guard let version = artsy[file], let folder = Corpus.folder else { return nil }
        let path =
            "\(folder)/models/artsy__energy/Resources/CoreData/ArtsyPartner.xcdatamodeld/"
            + "\(version).xcdatamodel/contents"
        return try ManagedObjectModel(ModelFile(path).descriptions)
    }

    /// Its file is of a kind that only an old editor reads.
    private static let recipes = testModel([
        EntityDescription(
            name: "Image",
            attributes: [AttributeDescription("image", .binaryData, isOptional: true)],
            relationships: [.toOne("recipe", destination: "Recipe", inverse: "image")]),
        EntityDescription(
            name: "Ingredient",
            attributes: [
                AttributeDescription("displayOrder", .integer16, isOptional: true),
                AttributeDescription("amount", .string, isOptional: true),
                AttributeDescription("name", .string, isOptional: true),
            ], relationships: [.toOne("recipe", destination: "Recipe", inverse: "ingredients")]),
        EntityDescription(
            name: "Recipe",
            attributes: ["prepTime", "name", "instructions", "overview"].map {
                AttributeDescription($0, .string, isOptional: true)
            } + [AttributeDescription("thumbnailImage", .binaryData, isOptional: true)],
            relationships: [
                .toOne("image", destination: "Image", inverse: "recipe"),
                .toOne("type", destination: "RecipeType", inverse: "recipes"),
                .toMany("ingredients", destination: "Ingredient", inverse: "recipe"),
            ]),
        EntityDescription(
            name: "RecipeType",
            attributes: [AttributeDescription("name", .string, isOptional: true)],
            relationships: [.toMany("recipes", destination: "Recipe", inverse: "type")]),
    ])
}

/// Entities, attributes and relationships of a model file, as far as the stores of the corpus need them.
private final class ModelFile: NSObject, XMLParserDelegate {
    private static let types: [String: AttributeType] = [
        "Boolean": .boolean, "Date": .date, "Decimal": .decimal, "Float": .float,
        "Integer 16": .integer16, "Integer 32": .integer32, "Integer 64": .integer64,
        "String": .string,
    ]
    private var entities: [EntityDescription] = []
    private var inverses: [String: String] = [:]

    init(_ path: String) throws {
        super.init()
        let parser = XMLParser(data: try Data(contentsOf: URL(filePath: path)))
        parser.delegate = self
        _ = parser.parse()
    }

    /// The descriptions. An inverse that does not lead back is none.
    var descriptions: [EntityDescription] {
        entities.map { entity in
            var entity = entity
            for place in entity.relationships.indices {
                let relationship = entity.relationships[place]
                let back = relationship.inverse.flatMap {
                    inverses["\(relationship.destination).\($0)"]
                }
                if back != relationship.name { entity.relationships[place].inverse = nil }
            }
            return entity
        }
    }

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        guard let name = attributes["name"] else { return }
        let place = entities.count - 1
        let isOptional = attributes["optional"] == "YES"
        switch element {
        case "entity":
            entities.append(
                EntityDescription(
                    name: name, superentity: attributes["parentEntity"],
                    isAbstract: attributes["isAbstract"] == "YES"))
        case "attribute" where attributes["transient"] != "YES":
            guard let type = attributes["attributeType"].flatMap({ Self.types[$0] }) else { return }
            entities[place].attributes.append(
                AttributeDescription(name, type, isOptional: isOptional))
        case "relationship":
            let destination = attributes["destinationEntity"] ?? ""
            let inverse = attributes["inverseName"]
            inverses["\(entities[place].name).\(name)"] = inverse
            entities[place].relationships.append(
                attributes["toMany"] == "YES"
                    ? .toMany(
                        name, destination: destination, inverse: inverse,
                        isOrdered: attributes["ordered"] == "YES")
                    : .toOne(name, destination: destination, inverse: inverse))
        default: break
        }
    }
}
