public import DuramenModel

/// Why a store could not do what it was asked.
public struct StoreError: Error, Sendable {
    /// The kind of the error.
    public let code: Code
    /// A description of the problem and its remedy. It never contains a stored value.
    public let message: String
    /// The object that the error is about, when it is about one.
    public let objectID: ManagedObjectID?
    /// The engine's own words and number, for reports to its makers.
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
    /// The kind of a store error: an open set with stable spellings, headings in `docs/errors.md`.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable spelling.
        public let rawValue: String

        /// Names a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The folder of the store does not exist.
        public static let folderMissing = Code(rawValue: "folderMissing")
        /// The store does not exist and must not be created.
        public static let storeMissing = Code(rawValue: "storeMissing")
        /// The file may not be read or written.
        public static let permissionDenied = Code(rawValue: "permissionDenied")
        /// The file is not one of ours, or not of this engine.
        public static let foreignFile = Code(rawValue: "foreignFile")
        /// The log beside the file is that of another file.
        public static let foreignLog = Code(rawValue: "foreignLog")
        /// The file is damaged or cut short.
        public static let damagedFile = Code(rawValue: "damagedFile")
        /// The file of a value that has one of its own is missing or altered.
        public static let damagedValue = Code(rawValue: "damagedValue")
        /// A newer version of the library wrote the file.
        public static let newerFormat = Code(rawValue: "newerFormat")
        /// The store was written with another version of the model.
        public static let incompatibleModel = Code(rawValue: "incompatibleModel")
        /// The store does not contain its model, and no model was given.
        public static let modelMissing = Code(rawValue: "modelMissing")
        /// The store is of another version of the model, and is not migrated by itself.
        public static let migrationRequired = Code(rawValue: "migrationRequired")
        /// The store is of another version of the model, and the two versions do not determine all
        /// changes.
        public static let notInferable = Code(rawValue: "notInferable")
        /// The store is of another, unknown version of the model.
        public static let sourceModelMissing = Code(rawValue: "sourceModelMissing")
        /// The store was migrated from this version of the model to a later one.
        public static let storeIsNewer = Code(rawValue: "storeIsNewer")
        /// The store is of a version that no stage of the migration has.
        public static let unknownVersion = Code(rawValue: "unknownVersion")
        /// The model of a version is needed, and no reference brings it.
        public static let modelReferenceNotFound = Code(rawValue: "modelReferenceNotFound")
        /// The stages of a migration do not follow each other, or a step does not fit the versions
        /// of its stage.
        public static let invalidStages = Code(rawValue: "invalidStages")
        /// A handler or a step of a migration failed.
        public static let stepFailed = Code(rawValue: "stepFailed")
        /// Objects have no value of what is mandatory once a stage of a migration is done.
        public static let missingValue = Code(rawValue: "missingValue")
        /// The result of a migration is not as expected.
        public static let verificationFailed = Code(rawValue: "verificationFailed")
        /// The store's model was changed while the store was open. Open the store again.
        public static let storeMigrated = Code(rawValue: "storeMigrated")
        /// Stored values do not fit the types of the new model, or are missing.
        public static let valuesDoNotFit = Code(rawValue: "valuesDoNotFit")
        /// Of several stores some were migrated, and the others were not.
        public static let incomplete = Code(rawValue: "incomplete")
        /// The disk or a quota is full; nothing was written.
        public static let diskFull = Code(rawValue: "diskFull")
        /// Somebody else holds the store longer than the time-out.
        public static let storeBusy = Code(rawValue: "storeBusy")
        /// The file was moved, replaced or deleted while it was open.
        public static let storeFileMoved = Code(rawValue: "storeFileMoved")
        /// A snapshot was held longer than its lease while a save needed the space that it kept.
        public static let snapshotExpired = Code(rawValue: "snapshotExpired")
        /// The process was made by `fork` after the store was opened.
        public static let usedAfterFork = Code(rawValue: "usedAfterFork")
        /// Reading or writing failed.
        public static let io = Code(rawValue: "io")
        /// The store was closed before.
        public static let closed = Code(rawValue: "closed")
        /// The store was opened for reading only.
        public static let readOnly = Code(rawValue: "readOnly")
        /// The store lacks a capability, or this version of the library does not do it yet.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The work was cancelled before it took effect.
        public static let cancelled = Code(rawValue: "cancelled")
        /// Too many snapshots of different states are held at once.
        public static let readersExhausted = Code(rawValue: "readersExhausted")
        /// A row, query or change set does not fit the store's model.
        public static let invalidRequest = Code(rawValue: "invalidRequest")
        /// A value is too large for the engine.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// Whether the save was committed is not known; see the save's identifier.
        public static let unknownOutcome = Code(rawValue: "unknownOutcome")

        /// Two objects of a batch, or one of them and a stored one, would share unique values.
        public static let uniquenessViolated = Code(rawValue: "uniquenessViolated")
        /// A batch would delete an object whose relationship forbids that while it has
        /// destinations.
        public static let deletionDenied = Code(rawValue: "deletionDenied")

        /// The history of the store lacks transactions after a token, or the store is older than
        /// the token.
        public static let historyTokenExpired = Code(rawValue: "historyTokenExpired")
        /// The token does not speak of the store.
        public static let historyTokenUnknown = Code(rawValue: "historyTokenUnknown")
        /// The store keeps no history.
        public static let historyMissing = Code(rawValue: "historyMissing")

        /// The number that Core Data uses for the nearest error, for those who know it.
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
    /// The message, the code and the engine's words.
    public var description: String {
        "\(message) [\(code.rawValue)]\(detail.map { " (\($0))" } ?? "")"
    }
}
