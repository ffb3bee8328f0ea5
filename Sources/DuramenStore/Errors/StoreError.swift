public import DuramenModel

/// An error of a store.
public struct StoreError: Error, Sendable {
    /// The kind of the error.
    public let code: Code
    /// A description of the problem and its remedy. It never contains a stored value.
    public let message: String
    /// The object that the error is about, if any.
    public let objectID: ManagedObjectID?
    /// The engine's own message and number, for bug reports.
    public let detail: String?

    /// Describes an error.
    public init(
        _ code: Code, _ message: String, objectID: ManagedObjectID? = nil, detail: String? = nil
    ) {
        self.code = code
        self.message = message
        self.objectID = objectID
        self.detail = detail
    }
}

extension StoreError {
    /// The kind of a store error: an open set with stable spellings, which `docs/errors.md`
    /// explains.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable spelling.
        public let rawValue: String

        /// Creates a code from its spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The folder of the store does not exist.
        public static let folderMissing = Code(rawValue: "folderMissing")
        /// The store does not exist and must not be created.
        public static let storeMissing = Code(rawValue: "storeMissing")
        /// The file must not be read or written.
        public static let permissionDenied = Code(rawValue: "permissionDenied")
        /// The file was not written by Duramen, or not by this engine.
        public static let foreignFile = Code(rawValue: "foreignFile")
        /// The log beside the file belongs to another file.
        public static let foreignLog = Code(rawValue: "foreignLog")
        /// The file is damaged or cut short.
        public static let damagedFile = Code(rawValue: "damagedFile")
        /// The file of an externally stored value is missing or was altered.
        public static let damagedValue = Code(rawValue: "damagedValue")
        /// A newer version of the library wrote the file.
        public static let newerFormat = Code(rawValue: "newerFormat")
        /// The store was written with another version of the model.
        public static let incompatibleModel = Code(rawValue: "incompatibleModel")
        /// The store does not contain its model, and no model was given.
        public static let modelMissing = Code(rawValue: "modelMissing")
        /// The store has another version of the model, and migrations are not allowed, or not
        /// permitted.
        public static let migrationRequired = Code(rawValue: "migrationRequired")
        /// The store has another version of the model, and the two versions do not determine all
        /// changes.
        public static let notInferable = Code(rawValue: "notInferable")
        /// The store has another, unknown version of the model.
        public static let sourceModelMissing = Code(rawValue: "sourceModelMissing")
        /// The store was migrated from this version of the model to a later one.
        public static let storeIsNewer = Code(rawValue: "storeIsNewer")
        /// The store has a version of the model that no stage of the migration has.
        public static let unknownVersion = Code(rawValue: "unknownVersion")
        /// The model of a version is needed, and no reference provides it.
        public static let modelReferenceNotFound = Code(rawValue: "modelReferenceNotFound")
        /// The stages of a migration do not follow each other, or a step does not fit the versions
        /// of its stage.
        public static let invalidStages = Code(rawValue: "invalidStages")
        /// A handler or a step of a migration failed.
        public static let stepFailed = Code(rawValue: "stepFailed")
        /// After a stage of a migration, objects lack a mandatory value.
        public static let missingValue = Code(rawValue: "missingValue")
        /// The result of a migration is not as expected.
        public static let verificationFailed = Code(rawValue: "verificationFailed")
        /// The store's model was changed while the store was open. Open the store again.
        public static let storeMigrated = Code(rawValue: "storeMigrated")
        /// Stored values do not fit the types of the new model, or are missing.
        public static let valuesDoNotFit = Code(rawValue: "valuesDoNotFit")
        /// Some of several stores were migrated, and others were not.
        public static let incomplete = Code(rawValue: "incomplete")
        /// The disk or a quota is full; nothing was written.
        public static let diskFull = Code(rawValue: "diskFull")
        /// Another process or connection held the store for longer than the time-out.
        public static let storeBusy = Code(rawValue: "storeBusy")
        /// The store's server cannot be reached, or it ended the connection.
        public static let storeUnavailable = Code(rawValue: "storeUnavailable")
        /// The store's server lost saves that it had acknowledged, after a failover or a restore.
        public static let storeWentBack = Code(rawValue: "storeWentBack")
        /// The file was moved, replaced or deleted while it was open.
        public static let storeFileMoved = Code(rawValue: "storeFileMoved")
        /// A snapshot was held longer than its lease, and a save needed its space.
        public static let snapshotExpired = Code(rawValue: "snapshotExpired")
        /// The process was created by `fork` after the store was opened.
        public static let usedAfterFork = Code(rawValue: "usedAfterFork")
        /// Reading or writing failed.
        public static let io = Code(rawValue: "io")
        /// The store was closed.
        public static let closed = Code(rawValue: "closed")
        /// The store was opened for reading only.
        public static let readOnly = Code(rawValue: "readOnly")
        /// The store lacks a capability, or this version of the library does not support the
        /// request.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The work was cancelled before it took effect.
        public static let cancelled = Code(rawValue: "cancelled")
        /// Too many snapshots of different states are in use.
        public static let readersExhausted = Code(rawValue: "readersExhausted")
        /// A row, query or change set does not fit the store's model.
        public static let invalidRequest = Code(rawValue: "invalidRequest")
        /// A value is too large for the engine.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The commit was interrupted and may or may not have happened; look the save up by its
        /// identifier.
        public static let unknownOutcome = Code(rawValue: "unknownOutcome")

        /// Two objects would share unique values, after a batch or a migration.
        public static let uniquenessViolated = Code(rawValue: "uniquenessViolated")
        /// A batch would delete an object whose relationship forbids that while it has
        /// destinations.
        public static let deletionDenied = Code(rawValue: "deletionDenied")

        /// The history of the store lacks transactions after a token, or the store is older than
        /// the token.
        public static let historyTokenExpired = Code(rawValue: "historyTokenExpired")
        /// The token does not contain the store.
        public static let historyTokenUnknown = Code(rawValue: "historyTokenUnknown")
        /// The store has no history.
        public static let historyMissing = Code(rawValue: "historyMissing")

        /// The number of the nearest Core Data error.
        public var coreDataCode: Int {
            switch self {
            case .incompatibleModel, .modelMissing, .newerFormat: 134_100
            case .migrationRequired, .storeMigrated: 134_100
            case .notInferable: 134_190
            case .sourceModelMissing: 134_130
            case .storeIsNewer: 134_506
            case .unknownVersion, .modelReferenceNotFound: 134_504
            case .invalidStages: 134_140
            case .stepFailed: 134_170
            case .missingValue: 134_111
            case .verificationFailed: 134_160
            case .valuesDoNotFit: 134_110
            case .incomplete: 134_040
            case .unsupported, .invalidRequest: 134_060
            case .storeBusy: 134_090
            case .uniquenessViolated: 133_021
            case .deletionDenied: 1600
            case .historyTokenExpired: 134_301
            case .historyTokenUnknown: 134_501
            case .folderMissing, .storeMissing, .permissionDenied, .foreignFile, .damagedFile:
                134_080
            default: 134_030
            }
        }
    }
}

extension StoreError: DescribedError {
    /// The message, the code and the engine's message.
    public var description: String {
        "\(message) [\(code.rawValue)]\(detail.map { " (\($0))" } ?? "")"
    }
}
