public import DuramenModel
public import DuramenQuery

/// A store whose model can become another version, without a copy of the store.
///
/// It is opened with the model that it keeps, and spent afterwards: whoever uses it next opens it
/// anew with the new model.
public protocol SchemaMigratingStore: PersistentStore {
    /// Whether a copy is kept regardless of the policy, because the program that wrote the store
    /// cannot open it afterwards; false by default.
    var alwaysKeepsBackup: Bool { get }

    /// Makes a store of one model a store of another one, whole or not at all.
    ///
    /// ``SchemaChange/rows`` of ``MigrationWork/change`` says where each value of each row comes
    /// from, and ``SchemaChange/sourceRelationships`` which pairs are kept. Keys never change.
    ///
    /// The store calls ``MigrationWork/begin()`` first, and ``MigrationWork/note(_:_:)`` as it goes
    /// on.
    ///
    /// - Throws: `.cancelled`; `.valuesDoNotFit` when a change holds only as long as values allow
    ///   it, and one does not; `.uniquenessViolated` when objects share values of a new constraint;
    ///   `.storeMigrated` when somebody else changed the model meanwhile; `.storeBusy` while this
    ///   process has the store open elsewhere.
    func migrate(_ work: MigrationWork) throws(StoreError)

    /// Migrates a copy of the store, and replaces the store with the copy, whole or not at all.
    ///
    /// The store keeps others from writing, calls ``WorkingCopy/begin()``, makes the copy and calls
    /// ``WorkingCopy/run()``. Then it replaces its data and deletes the copy.
    ///
    /// The default implementation closes the store and calls the type's `replace`. A save in that
    /// moment would be lost. A store with several users at once needs its own implementation.
    ///
    /// - Throws: The error of the working copy; `.storeBusy` if others have the store open and the
    ///   store does not allow that.
    func migrate(through copy: WorkingCopy) throws(StoreError)

    /// Does now what a migration left for later, such as converting rows that an earlier model
    /// wrote. Others may use the store meanwhile.
    ///
    /// By default nothing is left.
    ///
    /// - Returns: How many rows were written.
    /// - Throws: `.cancelled`; what is done by then stays done. `.readOnly`.
    @discardableResult
    func finishMigration(cancellation: CancellationFlag?) throws(StoreError) -> Int

    /// Estimates what a change of the model takes, without looking at rows.
    ///
    /// By default it takes nothing that is worth a word.
    func estimate(_ change: SchemaChange) throws(StoreError) -> MigrationEstimate
}

extension SchemaMigratingStore {
    /// The policy decides.
    public var alwaysKeepsBackup: Bool { false }

    /// Migrates a copy, and replaces the closed store with it.
    public func migrate(through copy: WorkingCopy) throws(StoreError) {
        let type = copy.original.type
        let before = try snapshot().generation
        try copy.begin()
        defer { copy.description.discard() }
        try type.copy(copy.original, to: copy.description)
        try copy.run()
        if try snapshot().generation != before { throw copy.overtaken() }
        try close()
        try type.replace(copy.original, with: copy.description)
    }

    /// Nothing.
    public func finishMigration(cancellation: CancellationFlag?) throws(StoreError) -> Int { 0 }

    /// Nothing.
    public func estimate(_ change: SchemaChange) throws(StoreError) -> MigrationEstimate {
        MigrationEstimate()
    }
}
