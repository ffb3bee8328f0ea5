import Testing

/// Declarations below a store that only this package sees, and that the store uses.
struct PackageNames: Sendable, CustomTestStringConvertible {
    let module: String
    let names: Set<String>

    var testDescription: String { module }

    /// Some are for the tool (`StoreReport`), some save a copy (`words`), and some read the models
    /// that Core Data keeps in its files (`ForeignModel`).
    static let stores = [
        PackageNames(
            module: "DuramenLMDB",
            names: [
                "Confined", "InspectableStoreType", "RowBatchSize", "StoreReport",
                "boundedTimeoutSeconds", "copy", "discard", "entityIndex",
                "isItself", "mostBytes", "opening", "withRow", "words",
                "workingMark", "writesUniqueValues",
            ]),
        PackageNames(
            module: "DuramenSQLite",
            names: [
                "AggregateState", "ArchiveOutline", "ArchivedDecimal",
                "BinaryPropertyList", "BinaryPropertyListWriter", "ByteSearch",
                "Confined", "EncodedValue", "ForeignAttribute", "ForeignEntity",
                "ForeignModel", "ForeignModelTranslation", "ForeignProperty",
                "ForeignRelationship", "ForeignValue", "Hierarchy",
                "InspectableStoreType", "RowBatchSize", "StoreReport", "addBytes",
                "beginWords", "boundedTimeoutSeconds", "byteCount", "checksum",
                "digest", "discard", "endWords", "entityIndex", "finishOnlyRow",
                "hasComposites", "isItself", "mistake", "mostBytes", "opening",
                "storedDigits", "summary", "transformables", "withFolded",
                "withRow", "words", "workingMark", "writesUniqueValues",
            ]),
    ]
}
