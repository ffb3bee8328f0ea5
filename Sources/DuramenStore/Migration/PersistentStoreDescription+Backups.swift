import DuramenModel
import Foundation

extension PersistentStoreDescription {
    /// The copies that migrations have kept of the store as it was before, the newest first.
    ///
    /// Each is a store of its version with the identity of this one, so that a program cannot have both open. Put one
    /// back with ``replaceStore(with:)``, and open it with the model that it was written with.
    public var migrationBackups: [PersistentStoreDescription] {
        let url = URL(filePath: location)
        let folder = url.deletingLastPathComponent()
        let start = url.lastPathComponent + Self.backupMark
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let found = names.filter { name in
            name.hasPrefix(start) && name.dropFirst(start.count).count == Self.checksumLength
        }
        return found.map { name in
            (
                at(location + name.dropFirst(url.lastPathComponent.count)),
                folder.appending(path: name)
            )
        }.sorted { Self.changeDate($0.1) > Self.changeDate($1.1) }.map(\.0)
    }

    private static let backupMark = ".before-"
    private static let checksumLength = 8

    private static func changeDate(_ url: URL) -> Date {
        let values = try? url.resourceValues(forKeys: [.contentModificationDateKey])
        return values?.contentModificationDate ?? .distantPast
    }

    private func at(_ location: String) -> PersistentStoreDescription {
        var copy = self
        copy.location = location
        return copy
    }

    /// Where the copy is of the store as it is with a version of the model.
    func migrationBackup(of model: ManagedObjectModel) -> PersistentStoreDescription {
        // Checksums are in base 64, where a slash may stand.
        let checksum = model.versionChecksum.prefix(Self.checksumLength)
            .replacing("/", with: "_").replacing("+", with: "-")
        return at(location + Self.backupMark + checksum)
    }
}
