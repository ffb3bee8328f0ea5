import ArgumentParser
import DuramenModel
import DuramenModelFile
import DuramenStore

/// The model to open a store with: its own, that of another store, or a version in a model file.
struct ModelArguments: ParsableArguments {
    @Option(
        help: .init(
            "Another store, which keeps the model when this one keeps none.", valueName: "store"))
    var modelOf: String?

    @Option(
        help: .init(
            "A model file: a bundle, a folder of one version, or a contents file.",
            valueName: "path"))
    var model: String?

    @Option(
        help: .init(
            "The version of --model by the name of its folder; the current one if none.",
            valueName: "name"))
    var version: String?

    func validate() throws {
        if model != nil, modelOf != nil {
            throw ValidationError("Give '--model' or '--model-of', not both.")
        }
        if version != nil, model == nil {
            throw ValidationError("'--version' chooses a version of '--model'; give that, too.")
        }
    }

    /// Whether the arguments name a model.
    var isGiven: Bool { model != nil || modelOf != nil }

    /// Opens a store for reading only.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - missingValuesAreNull: Whether values whose files are missing read as null.
    func open(
        _ store: NamedStore, missingValuesAreNull: Bool = false
    ) throws(StoreError) -> any PersistentStore {
        // A missing store is reported before a missing model.
        if isGiven { try store.checkPresent() }
        return try store.open(
            with: model(for: store), missingValuesAreNull: missingValuesAreNull)
    }

    /// Returns the model for a store.
    func model(for store: NamedStore) throws(StoreError) -> ManagedObjectModel {
        guard let model else {
            return try (modelOf.map { NamedStore($0) } ?? store).storedModel()
        }
        do throws(ModelFileError) {
            let bundle = try ModelBundle(path: model)
            let choice =
                if let version { try bundle.version(named: version) } else {
                    try bundle.requiredCurrentVersion()
                }
            let generated = try choice.document.generatedModel()
            // Stores written by generated code record the model's version. Core Data's stores
            // encode transformable attributes in its own format, which is read as bytes.
            if store.isOfVersion(generated) { return generated }
            return try choice.document.model()
        } catch {
            throw StoreError(.invalidRequest, ModelFailure(error).description)
        }
    }
}
