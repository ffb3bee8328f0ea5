import DuramenModel
import DuramenModelFile
import DuramenStore
import Foundation

/// A model that an argument names: a model file, optionally with a colon and a version, a frozen
/// version, or a store.
struct NamedModel {
    private let name: String

    init(_ name: String) { self.name = name }

    func model() throws(StoreError) -> ManagedObjectModel {
        var path = name
        var version: String?
        if !FileManager.default.fileExists(atPath: path), !NamedStore.namesKind(path),
            let colon = path.lastIndex(of: ":")
        {
            version = String(path[path.index(after: colon)...])
            path = String(path[..<colon])
        }
        if path.hasSuffix("." + FrozenModels.pathExtension) {
            do throws(FrozenModelError) { return try FrozenModels.read(path).model } catch {
                throw StoreError(.invalidRequest, error.description)
            }
        }
        let isModelFile =
            version != nil || path.contains(".xcdatamodel") || path.hasSuffix("contents")
        if !isModelFile { return try NamedStore(path).storedModel() }
        do throws(ModelFileError) {
            let bundle = try ModelBundle(path: path)
            let choice =
                if let version { try bundle.version(named: version) } else {
                    try bundle.requiredCurrentVersion()
                }
            return try choice.document.generatedModel()
        } catch {
            throw StoreError(.invalidRequest, ModelFailure(error).description)
        }
    }
}
