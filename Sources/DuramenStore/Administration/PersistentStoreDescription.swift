public import DuramenModel
package import DuramenQuery

/// Which store to open, and how.
///
/// Each store module adds a function for its kind, such as `.sqlite("quakes.sqlite")`.
public struct PersistentStoreDescription: Sendable {
    /// The kind of the store.
    public var type: any PersistentStoreType
    /// Where the store is; a file path for most kinds of stores.
    public var location: String
    /// The configuration of the model whose entities the store keeps; nil for all entities.
    public var configuration: String?
    /// Whether the store must not be written or created.
    public var isReadOnly: Bool
    /// How long to wait for other users of the store, in seconds.
    public var timeoutSeconds: Double
    /// The failures that a save survives once it has returned.
    public var durability: Durability
    /// How long, in seconds, a snapshot may keep the disk space of its state. Afterwards a save or
    /// the store's housekeeping may end the snapshot, and its users get `.snapshotExpired`.
    public var snapshotLeaseSeconds: Double
    /// The largest value, in bytes, that is kept in its row if its attribute has
    /// `allowsExternalBinaryDataStorage`. A larger value gets its own file, in stores that have
    /// files. You may change the number at any time: values stay where they are until they are
    /// assigned again.
    public var largestInlineValueBytes = 131_072
    var damageChecks = DamageChecks()
    /// The number of bytes of its file that a store may cache, if it caches pages itself. Nil for a
    /// default that depends on the machine's memory.
    public var readCacheBytes: Int?
    /// Whether the store starts a history, unless it has one already; see
    /// ``keepingHistory(forDays:)``.
    public var keepsHistory = false
    /// How long transactions are kept in the history, in seconds; nil to keep them until they are
    /// deleted.
    public var historySeconds: Double?
    /// Core Data's version hashes of the model's entities, for a store with Core Data's layout that
    /// Core Data will open; see ``appleVersionHashes(_:)``.
    public var appleVersionHashes: AppleVersionHashes?
    /// Whether a store of an earlier version of the model is migrated when it is opened.
    public var shouldMigrateStoreAutomatically = true
    /// Whether to infer changes that no stage declares.
    public var shouldInferMappingModelAutomatically = true
    /// The stages of the migration; nil for one inferred change.
    public var stagedMigrationManager: StagedMigrationManager?
    /// The changes that an automatic migration may make.
    public var migrationPolicy = MigrationPolicy()
    /// A closure that receives the progress of a migration, on the thread that migrates.
    public var migrationObserver: (@Sendable (MigrationProgress) -> Void)?
    /// Options for tools and migrations.
    public var opening = OpeningOptions()
    /// The store's clock; a test sets its own.
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

    /// Returns this description for only the entities of a configuration of the model.
    public func configuration(_ name: String) -> PersistentStoreDescription {
        var copy = self
        copy.configuration = name
        return copy
    }

    /// Returns this description for reading only.
    public func readOnly() -> PersistentStoreDescription {
        var copy = self
        copy.isReadOnly = true
        return copy
    }

    /// Returns this description with another durability.
    public func durability(_ durability: Durability) -> PersistentStoreDescription {
        var copy = self
        copy.durability = durability
        return copy
    }

    /// Returns this description with another time-out, in seconds.
    public func timeout(seconds: Double) -> PersistentStoreDescription {
        var copy = self
        copy.timeoutSeconds = seconds
        return copy
    }

    /// Returns this description with another maximum size of values that are kept in rows. Larger
    /// values get their own files.
    public func largestInlineValue(bytes: Int) -> PersistentStoreDescription {
        var copy = self
        copy.largestInlineValueBytes = bytes
        return copy
    }

    /// Returns this description with another limit of the memory for caching the store's file.
    ///
    /// A larger cache makes look-ups and indexes faster if the file does not fit. SQLite's first
    /// reader caches so many bytes, further open readers half, a fourth and so on, but at least 8
    /// MiB. By default the first reader caches a 64th of the machine's memory, at most 128 MiB.
    /// ``MaintainingStore/maintain()`` frees this memory. LMDB uses the system's page cache and
    /// ignores the limit.
    public func readCache(bytes: Int) -> PersistentStoreDescription {
        var copy = self
        copy.readCacheBytes = bytes
        return copy
    }

    /// Returns this description with another lease of snapshots, in seconds.
    public func snapshotLease(seconds: Double) -> PersistentStoreDescription {
        var copy = self
        copy.snapshotLeaseSeconds = seconds
        return copy
    }

    /// Returns this description for a store with history, which records the objects that each save
    /// and batch inserted, updated and deleted, and the author.
    ///
    /// Once a history has begun, every save is recorded, whoever opens the store. A store without
    /// the capability fails to open with `.unsupported`.
    ///
    /// - Parameter days: Older transactions are deleted now and then, and by maintenance, except
    ///   those that a consumer still needs. Nil keeps all.
    public func keepingHistory(forDays days: Double? = nil) -> PersistentStoreDescription {
        var copy = self
        copy.keepsHistory = true
        copy.historySeconds = days.map { $0 * 86_400 }
        return copy
    }

    /// Returns this description for a store that is not migrated when it is opened.
    public func withoutMigration() -> PersistentStoreDescription {
        var copy = self
        copy.shouldMigrateStoreAutomatically = false
        return copy
    }

    /// Returns this description with another policy for migrations.
    public func migrating(_ policy: MigrationPolicy) -> PersistentStoreDescription {
        var copy = self
        copy.migrationPolicy = policy
        return copy
    }

    /// Returns this description with stages for the migration of earlier versions.
    public func migrating(with manager: StagedMigrationManager) -> PersistentStoreDescription {
        var copy = self
        copy.stagedMigrationManager = manager
        return copy
    }

    /// Returns this description with Core Data's own hashes of the model's entities.
    ///
    /// A SQLite store saves them when it is created or migrated. Core Data does not open a store
    /// without them. Other kinds of stores ignore them.
    public func appleVersionHashes(_ hashes: AppleVersionHashes) -> PersistentStoreDescription {
        var copy = self
        copy.appleVersionHashes = hashes
        return copy
    }

    /// Returns this description with a flag that ends migrations when it is raised.
    package func cancelling(with flag: CancellationFlag) -> PersistentStoreDescription {
        var copy = self
        copy.opening.migrationCancellation = flag
        return copy
    }

    /// Returns this description with an observer of migrations. It is called on the thread that
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

    /// Opens the store with a model, or with the part of the model that ``configuration`` names.
    ///
    /// A store of an earlier version of the model is migrated first.
    ///
    /// - Throws: The store's error; `.invalidRequest` when the model does not have the
    ///   configuration, or when the configuration lacks something that its entities need. From a
    ///   migration: `.notInferable` when the two versions leave open what becomes of a part;
    ///   `.migrationRequired` when migrations are not allowed. `.storeIsNewer` when the store was
    ///   migrated to a later version; `.cancelled` when its observer ended the migration.
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

    /// Opens the store, and before that migrates it if it has another version of the model.
    private func openMigrating(
        _ model: ManagedObjectModel
    ) throws(StoreError) -> any PersistentStore {
        var description = self
        // Each time another process may have been faster, with yet another version.
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

    /// This description, for a file that was just opened: the file is checked again only if it was
    /// changed since.
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
    /// The time-out in seconds, within the range of engines and clocks: at most 1,000,000, and 0 in
    /// place of a negative value or NaN.
    public var boundedTimeoutSeconds: Double {
        timeoutSeconds > 0 ? min(timeoutSeconds, 1_000_000) : 0
    }
}

/// The failures that a save survives once it has returned.
public enum Durability: String, Sendable, Hashable, CaseIterable {
    /// Survives loss of power.
    case full
    /// Survives the end of the process. Loss of power may undo the last saves, never half of one.
    case relaxed
    /// Survives nothing: loss of power may destroy the store. For stores that can be built again.
    case unsafeNoSync
}
