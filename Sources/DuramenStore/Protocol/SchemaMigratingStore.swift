public import DuramenModel
public import DuramenQuery

/// A store that can be migrated to another version of its model, without a copy of the store.
///
/// It is opened with the model that it keeps, and cannot be used after the migration. Open it again
/// with the new model.
public protocol SchemaMigratingStore: PersistentStore {
    /// Whether a backup is kept regardless of the policy, because the program that wrote the store
    /// cannot open it afterwards; false by default.
    var alwaysKeepsBackup: Bool { get }

    /// Migrates the store from one model to another, whole or not at all.
    ///
    /// ``SchemaChange/rows`` of ``MigrationWork/change`` describes the source of each value of each
    /// row, and ``SchemaChange/sourceRelationships`` lists the pairs to keep. Keys never change.
    ///
    /// The store calls ``MigrationWork/begin()`` first, and ``MigrationWork/note(_:_:)`` during the
    /// work.
    ///
    /// - Throws: `.cancelled`; `.valuesDoNotFit` when a value does not fit its new attribute;
    ///   `.uniquenessViolated` when objects share values of a new constraint. `.storeMigrated` when
    ///   another process changed the model meanwhile; `.storeBusy` while this process has the store
    ///   open elsewhere.
    func migrate(_ work: MigrationWork) throws(StoreError)

    /// Migrates a copy of the store, and replaces the store with the copy, whole or not at all.
    ///
    /// The store blocks other writers, calls ``WorkingCopy/begin()``, makes the copy and calls
    /// ``WorkingCopy/run()``. Then it replaces its data and deletes the copy.
    ///
    /// The default implementation closes the store and calls the type's `replace`. A save in that
    /// moment would be lost. A store with several simultaneous users needs its own implementation.
    ///
    /// - Throws: The error of the working copy; `.storeBusy` if the store is also open elsewhere
    ///   and does not allow that.
    func migrate(through copy: WorkingCopy) throws(StoreError)

    /// Does the work that a migration postponed, such as converting rows that an earlier model
    /// wrote. Others may use the store meanwhile.
    ///
    /// By default nothing was postponed.
    ///
    /// - Returns: The number of rows written.
    /// - Throws: `.cancelled`; the work until then is kept. `.readOnly`.
    @discardableResult
    func finishMigration(cancellation: CancellationFlag?) throws(StoreError) -> Int

    /// Estimates the cost of a change of the model, without reading rows.
    ///
    /// By default the estimate is zero.
    func estimate(_ change: SchemaChange) throws(StoreError) -> MigrationEstimate
}

extension SchemaMigratingStore {
    /// Returns false: the policy decides.
    public var alwaysKeepsBackup: Bool { false }

    /// Migrates a copy, and replaces the closed store with the copy.
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

    /// Returns 0: no work was postponed.
    public func finishMigration(cancellation: CancellationFlag?) throws(StoreError) -> Int { 0 }

    /// Returns an estimate of zero.
    public func estimate(_ change: SchemaChange) throws(StoreError) -> MigrationEstimate {
        MigrationEstimate()
    }
}
