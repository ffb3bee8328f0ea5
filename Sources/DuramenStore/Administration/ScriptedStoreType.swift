public import DuramenModel

/// A kind of store on a server whose tables can be made by hand, with a script of SQL statements.
public protocol ScriptedStoreType: PersistentStoreType {
    /// Returns the statements that make an empty store. The server is not asked.
    ///
    /// - Parameters:
    ///   - description: The store, which does not exist yet.
    ///   - model: The model of its objects.
    ///   - roles: The roles that will use the store without making or changing tables.
    /// - Throws: `.unsupported` for a model that the tables cannot have; `.invalidRequest` for a
    ///   location that no store can have.
    func creationScript(
        of description: PersistentStoreDescription, model: ManagedObjectModel, for roles: [String]
    ) throws(StoreError) -> String
}
