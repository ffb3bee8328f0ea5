import Duramen

/// A class that is written by hand, with properties that are generated.
final class Gardener: ManagedObject {
    override class var entityName: String { generatedEntityName }
    override class var entityDescription: EntityDescription { generatedEntityDescription }
    override class func propertyName(for keyPath: AnyKeyPath) -> String? {
        generatedPropertyName(for: keyPath)
    }

    override func awakeFromInsert() { name = "somebody" }
}
