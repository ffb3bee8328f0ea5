import Foundation

/// Files that Apple's tools wrote, which are not part of the package.
///
/// `DURAMEN_CORPUS` names their folder; else a folder `corpus` is looked for beside the package and
/// one level below that.
package enum Corpus {
    /// The folder; nil when it is not on this machine.
    package static let folder: String? = {
        if let path = ProcessInfo.processInfo.environment["DURAMEN_CORPUS"] { return path }
        let package = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let parent = package.deletingLastPathComponent().path
        let siblings = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        let places = [parent] + siblings.sorted().map { parent + "/" + $0 }
        return places.map { $0 + "/corpus" }.first {
            FileManager.default.fileExists(atPath: $0 + "/stores")
        }
    }()

    /// Why tests of the corpus are skipped.
    package static let missing: String = "set DURAMEN_CORPUS to the folder of Apple's files"

    /// The paths of all stores, from the folder `stores` on.
    package static let stores: [String] = {
        guard let folder else { return [] }
        let all = FileManager.default.enumerator(atPath: folder + "/stores")
        return (all?.compactMap { $0 as? String } ?? []).filter { path in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(
                atPath: folder + "/stores/" + path, isDirectory: &isFolder)
            return !isFolder.boolValue && !path.hasSuffix("-wal") && !path.hasSuffix("-shm")
        }.sorted()
    }()

    /// Copies a store with the files that belong to it, and gives the copy's path.
    package static func copy(
        _ store: String, to destination: TemporaryFolder, as name: String? = nil
    ) throws -> String {
        let source = (folder ?? "") + "/stores/" + store
        let copy = destination.file(name ?? URL(filePath: store).lastPathComponent)
        for suffix in ["", "-wal", "-shm"] {
            guard let data = FileManager.default.contents(atPath: source + suffix) else { continue }
            try data.write(to: URL(filePath: copy + suffix))
        }
        return copy
    }
}
