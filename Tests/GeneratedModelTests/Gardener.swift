import Duramen

/// A class that is written by hand, with properties that are generated.
class Gardener: ManagedObject {
    override class var entityName: String { managedEntityName_Gardener }
    override class var entityDescription: EntityDescription { managedEntityDescription_Gardener }
    override class func propertyName(for keyPath: AnyKeyPath) -> String? {
        managedPropertyName_Gardener(for: keyPath)
    }

    override func awakeFromInsert() { name = "somebody" }
}

/// Another one below it.
final class Apprentice: Gardener {
    override class var entityName: String { managedEntityName_Apprentice }
    override class var entityDescription: EntityDescription { managedEntityDescription_Apprentice }
    override class func propertyName(for keyPath: AnyKeyPath) -> String? {
        managedPropertyName_Apprentice(for: keyPath)
    }
}
