import Duramen
import DuramenModel

extension ManagedObjectModel {
    /// The entity with a name.
    ///
    /// - Throws: ``TestSupportError`` `.unknownEntity`.
    func requireEntity(_ name: String) throws(TestSupportError) -> Entity {
        if let entity = entity(named: name) { return entity }
        throw TestSupportError(
            .unknownEntity,
            "The model has no entity '\(name)'. \(NearestName.question(name, among: entities.map(\.name)))"
                + "Correct the name, or add the entity to the model.")
    }

    /// The entity of a class.
    ///
    /// - Throws: ``TestSupportError`` `.unknownEntity`.
    func requireEntity(of type: ManagedObject.Type) throws(TestSupportError) -> Entity {
        if let entity = entities.first(where: { $0.managedObjectClass?.type == type }) {
            return entity
        }
        throw TestSupportError(
            .unknownEntity,
            "The model has no entity of class \(type). Add the class to the model, or name the entity."
        )
    }
}
