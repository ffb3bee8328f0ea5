import DuramenModel
import DuramenModelFile
import Foundation
import StoreTestSupport

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
        return try ModelBundle(path: path).requiredCurrentVersion().document.model()
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

extension CorpusModels {
    /// All versions of all models, by their paths. Files that no version here reads are left out.
    static func all() throws -> [(path: String, model: ManagedObjectModel)] {
        let root = "\(Corpus.folder ?? "")/models"
        let paths = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return try paths.sorted().filter { $0.hasSuffix(".xcdatamodel/contents") }
            .compactMap { path in
                let folder = String(path.dropLast("/contents".count))
                let document = try ModelBundle(path: "\(root)/\(folder)").requiredCurrentVersion()
                    .document
                guard let model = try? transformableModel(of: document) else { return nil }
                return (path, model)
            }
    }

    /// A model whose transformable attributes are such, whatever their values are.
    static func transformableModel(of document: ModelDocument) throws -> ManagedObjectModel {
        let attributes =
            document.entities.flatMap(\.attributes) + document.composites.flatMap(\.attributes)
        let names = attributes.flatMap { [$0.customClassName, $0.valueTransformerName] }
        return try document.model(
            codableTypes: Set(names.compactMap(\.self)).sorted().map {
                CodableType($0, AnyValue.self)
            })
    }

    private struct AnyValue: Codable, Sendable {}
}
