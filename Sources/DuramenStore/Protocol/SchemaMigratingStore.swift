import DuramenModel

/// A store whose model can become another version, without a copy of the store.
///
/// It is opened with the model that it keeps, and spent afterwards: whoever uses it next opens it
/// anew with the new model.
public protocol SchemaMigratingStore: PersistentStore {
    /// Whether another program wrote the store, which will not open it afterwards, so that a copy is
    /// always kept; false by default.
    var isOfAnotherProgram: Bool { get }

    /// Makes a store of one model a store of another one, whole or not at all.
    ///
    /// ``MigrationWork/change`` says what: ``SchemaChange/rows`` says where each value of each row comes from, and
    /// ``SchemaChange/sourceRelationships`` which pairs are kept. Keys never change.
    ///
    /// The store calls ``MigrationWork/begin(at:)`` first, and ``MigrationWork/note(_:_:)`` on its way.
    ///
    /// - Throws: `.cancelled`; `.valuesDoNotFit` when a change holds only as long as values allow it, and one
    ///   does not; `.uniquenessViolated` when objects share values of a new constraint;
    ///   `.storeMigrated` when somebody else changed the model meanwhile; `.storeBusy` while this
    ///   process has the store open elsewhere.
    func migrate(_ work: MigrationWork) throws(StoreError)
}

extension SchemaMigratingStore {
    /// This library wrote it.
    public var isOfAnotherProgram: Bool { false }
}
