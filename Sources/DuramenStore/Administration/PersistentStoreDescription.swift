public import DuramenModel
package import DuramenQuery

/// Which store to open, and how.
///
/// Each store module adds its own, such as `.sqlite("quakes.sqlite")`.
public struct PersistentStoreDescription: Sendable {
    /// The kind of the store.
    public var type: any PersistentStoreType
    /// Where the store is, in the words of its kind; a file path for most.
    public var location: String
    /// The configuration of the model whose entities the store keeps; nil for all entities.
    public var configuration: String?
    /// Whether the store must not be written or created.
    public var isReadOnly: Bool
    /// How long to wait for others who hold the store, in seconds.
    public var timeoutSeconds: Double
    /// The kind of failure that a save survives once it returns.
    public var durability: Durability
    /// How long a snapshot may hold the space of data that has changed since, in seconds.
    /// Afterwards a save or the store's housekeeping may end the snapshot; its users then get
    /// `.snapshotExpired`.
    public var snapshotLeaseSeconds: Double
    /// The largest size in bytes of a value in its row, for attributes with
    /// `allowsExternalBinaryDataStorage`. A larger value gets a file of its own, in stores that
    /// have files. The number may differ each time: values stay where they are until they are
    /// assigned again.
    public var largestInlineValueBytes = 131_072
    /// When the structure of the store's file is checked, in stores whose engine does not find
    /// damage itself.
    public var fileCheck = FileCheck.automatic
    /// The most bytes of its file that a store may keep in memory for reading; nil for a number
    /// that suits the machine. Only stores that manage pages of their file themselves use it.
    public var readCacheBytes: Int?
    /// Whether a history is begun, unless the store keeps one already; see
    /// ``keepingHistory(forDays:)``.
    public var keepsHistory = false
    /// How long transactions are kept in the history, in seconds; nil for until they are deleted.
    public var historySeconds: Double?
    /// The hashes that Core Data has for the entities of the model. Set them for a store with Core
    /// Data's layout that Core Data is to open; see ``appleVersionHashes(_:)``.
    public var appleVersionHashes: AppleVersionHashes?
    /// Whether values whose files are missing read as null, for whoever saves what is left of a
    /// store. Only a store that is opened for reading looks at it.
    package var missingValuesAreNull = false
    /// Whether a store of an earlier version of the model is migrated when it is opened.
    public var shouldMigrateStoreAutomatically = true
    /// Whether to infer changes that no stage declares.
    public var shouldInferMappingModelAutomatically = true
    /// The stages of the migration; nil for one inferred change.
    public var stagedMigrationManager: StagedMigrationManager?
    /// The policy, which says what such a migration may do.
    public var migrationPolicy = MigrationPolicy()
    /// A closure that receives the progress of a migration, on the thread that migrates.
    public var migrationObserver: (@Sendable (MigrationProgress) -> Void)?
    /// Ends a migration when it is raised.
    package var migrationCancellation: CancellationFlag?
    /// Whether the store is opened to get another version of its model, which may have more
    /// entities.
    package var isToBeMigrated = false
    /// 0 for a store, 1 for its working copy, 2 for the working copy of that. All have one identity
    /// and may be open at once.
    package var copyDepth: UInt8 = 0
    /// Where the store reads the time; a test sets its own.
    public var clock = StoreClock.system

    /// Describes a store.
    public init(
        type: any PersistentStoreType, location: String, configuration: String? = nil,
        isReadOnly: Bool = false,
        timeoutSeconds: Double = 10, durability: Durability = .full,
        snapshotLeaseSeconds: Double = 300
    ) {
        self.type = type
        self.location = location
        self.configuration = configuration
        self.isReadOnly = isReadOnly
        self.timeoutSeconds = timeoutSeconds
        self.durability = durability
        self.snapshotLeaseSeconds = snapshotLeaseSeconds
    }

    /// The same description, for the entities of a configuration of the model only.
    public func configuration(_ name: String) -> PersistentStoreDescription {
        var copy = self
        copy.configuration = name
        return copy
    }

    /// The same description, for reading only.
    public func readOnly() -> PersistentStoreDescription {
        var copy = self
        copy.isReadOnly = true
        return copy
    }

    /// The same description, with another durability.
    public func durability(_ durability: Durability) -> PersistentStoreDescription {
        var copy = self
        copy.durability = durability
        return copy
    }

    /// The same description, with another time-out, in seconds.
    public func timeout(seconds: Double) -> PersistentStoreDescription {
        var copy = self
        copy.timeoutSeconds = seconds
        return copy
    }

    /// The same description, with another size of values from which on they get files of their own.
    public func largestInlineValue(bytes: Int) -> PersistentStoreDescription {
        var copy = self
        copy.largestInlineValueBytes = bytes
        return copy
    }

    /// The same description, with another choice of when the structure of the store's file is
    /// checked.
    ///
    /// ```swift
    /// // A server that opens a store of many gigabytes, on a disk that checks its own sums.
    /// let description = PersistentStoreDescription.lmdb("quakes.lmdb").fileCheck(.whenChanged)
    /// ```
    public func fileCheck(_ fileCheck: FileCheck) -> PersistentStoreDescription {
        var copy = self
        copy.fileCheck = fileCheck
        return copy
    }

    /// The same description, with another limit of the memory that the store keeps pages of its
    /// file in.
    ///
    /// A larger one makes look-ups and indexes faster in files that do not fit. SQLite's first
    /// reader keeps so many bytes, those that are open beside it half, a fourth and so on, but 8
    /// MiB at least; by default the first keeps a 64th of the machine's memory, at most 128 MiB.
    /// ``MaintainingStore/maintain()`` gives them back. LMDB reads the system's memory and needs
    /// none.
    public func readCache(bytes: Int) -> PersistentStoreDescription {
        var copy = self
        copy.readCacheBytes = bytes
        return copy
    }

    /// The same description, with another lease of snapshots, in seconds.
    public func snapshotLease(seconds: Double) -> PersistentStoreDescription {
        var copy = self
        copy.snapshotLeaseSeconds = seconds
        return copy
    }

    /// The same description, for a store that keeps a history: which objects each save and batch
    /// inserted, updated and deleted, and who did it.
    ///
    /// A history that was begun goes on, whoever opens the store. Without the capability the store
    /// cannot be opened so.
    ///
    /// - Parameter days: Transactions that are older are deleted now and then, and when the store
    ///   is maintained, but for those that a consumer still needs; nil for none.
    public func keepingHistory(forDays days: Double? = nil) -> PersistentStoreDescription {
        var copy = self
        copy.keepsHistory = true
        copy.historySeconds = days.map { $0 * 86_400 }
        return copy
    }

    /// The same description, for a store that is not migrated when it is opened.
    public func withoutMigration() -> PersistentStoreDescription {
        var copy = self
        copy.shouldMigrateStoreAutomatically = false
        return copy
    }

    /// The same description, with another choice of what a migration may do.
    public func migrating(_ policy: MigrationPolicy) -> PersistentStoreDescription {
        var copy = self
        copy.migrationPolicy = policy
        return copy
    }

    /// The same description, with stages for the migration of earlier versions.
    public func migrating(with manager: StagedMigrationManager) -> PersistentStoreDescription {
        var copy = self
        copy.stagedMigrationManager = manager
        return copy
    }

    /// The same description, with Core Data's own hashes of the model's entities.
    ///
    /// A SQLite store notes them when it is made or migrated. Without them it has none, and Core
    /// Data does not open it. Other stores do not look at them.
    public func appleVersionHashes(_ hashes: AppleVersionHashes) -> PersistentStoreDescription {
        var copy = self
        copy.appleVersionHashes = hashes
        return copy
    }

    /// The same description, with a flag that ends migrations when it is raised.
    package func cancelling(with flag: CancellationFlag) -> PersistentStoreDescription {
        var copy = self
        copy.migrationCancellation = flag
        return copy
    }

    /// The same description, with an observer of migrations. It is called on the thread that
    /// migrates, at most thirty times a second.
    ///
    /// ```swift
    /// let store = PersistentStoreDescription.sqlite("library.sqlite")
    ///     .onMigration { print($0.phase, $0.fraction) }
    /// ```
    public func onMigration(
        _ observer: @escaping @Sendable (MigrationProgress) -> Void
    ) -> PersistentStoreDescription {
        var copy = self
        copy.migrationObserver = observer
        return copy
    }

    /// Opens the store with a model, or with what its ``configuration`` leaves of it.
    ///
    /// - Throws: The store's error; `.invalidRequest` when the model has no such configuration, or
    ///   when the configuration lacks what its entities need. A store of an earlier version of the
    ///   model is migrated first: `.notInferable` when the two versions do not say what becomes of
    ///   everything; `.migrationRequired` when it may not be; `.storeIsNewer` when it was migrated
    ///   to a later version; `.cancelled` when its observer ended the migration.
    public func open(
        model: ManagedObjectModel
    ) throws(StoreError) -> any PersistentStore {
        let own = try requiredSubmodel(of: model)
        let store = try openMigrating(own)
        if !own.derivations.isEmpty, !store.capabilities.contains(.derivedAttributes) {
            try? store.close()
            throw StoreError(
                .unsupported,
                "The store '\(location)' keeps no derived attributes, and the model has some. Use a store with the "
                    + "capability, or attributes that the application sets.")
        }
        if keepsHistory, !isReadOnly {
            do throws(StoreError) {
                try store.historyTracking().beginHistory()
            } catch {
                try? store.close()
                throw error
            }
        }
        return store
    }

    /// Opens the store, and before that changes its model if it is another version.
    private func openMigrating(
        _ model: ManagedObjectModel
    ) throws(StoreError) -> any PersistentStore {
        var description = self
        // Each time somebody else may be faster, with another version again.
        for _ in 0..<4 {
            do throws(StoreError) {
                return try type.open(description, model: model)
            } catch {
                guard error.code == .incompatibleModel else { throw error }
                description = checkedBefore
                // Another process may be about to migrate it.
                description.timeoutSeconds = max(timeoutSeconds, migrationPolicy.timeoutSeconds)
                try StoreMigration(description: description, target: model).run()
            }
        }
        return try type.open(description, model: model)
    }

    /// The same description, for a file that was just opened: it is checked again only if somebody
    /// changed it since.
    private var checkedBefore: PersistentStoreDescription {
        var copy = self
        if fileCheck == .automatic { copy.fileCheck = .whenChanged }
        return copy
    }

    func requiredSubmodel(of model: ManagedObjectModel) throws(StoreError) -> ManagedObjectModel {
        if let own = try submodel(of: model) { return own }
        throw StoreError(
            .invalidRequest,
            "'\(location)' is to be opened with the configuration '\(configuration ?? "")', which the "
                + "model does not have; correct the name, or add it to the model.")
    }

    private func submodel(
        of model: ManagedObjectModel
    ) throws(StoreError) -> ManagedObjectModel? {
        do {
            return try model.submodel(forConfiguration: configuration)
        } catch {
            throw StoreError(
                .invalidRequest,
                "'\(location)' cannot be opened with the configuration '\(configuration ?? "")': "
                    + error.mistakes.map(\.message).joined(separator: " "))
        }
    }
}

extension PersistentStoreDescription {
    /// The time-out as engines and clocks can count it, in seconds: for ever becomes some days, and
    /// what is no time none.
    package var boundedTimeoutSeconds: Double {
        timeoutSeconds > 0 ? min(timeoutSeconds, 1_000_000) : 0
    }
}

/// The kind of failure that a save survives once it returns.
public enum Durability: String, Sendable, Hashable, CaseIterable {
    /// Loss of power.
    case full
    /// The end of the process. Loss of power may take the last saves back, never half of one.
    case relaxed
    /// Nothing: loss of power may destroy the store. For stores that can be made again.
    case unsafeNoSync
}
