import DuramenModel
import Foundation

extension PersistentStoreDescription {
    /// The backups that migrations have kept of the store, the newest first.
    ///
    /// Each backup has the identity of this store, so a program cannot have both open. Restore one
    /// with ``replaceStore(with:)``, and open it with the model of its version.
    public var migrationBackups: [PersistentStoreDescription] {
        let (start, end) = (backupStart, suffix)
        return type.locations(beside: trimmedLocation)
            .filter { $0.hasPrefix(start) && $0.hasSuffix(end) }.map(described(at:))
            // Skips an incomplete copy of a killed process.
            .filter { (try? $0.type.metadata(of: $0)) != nil }
    }

    private static let backupMark = ".before-"
    private static let checksumLength = 8

    /// Returns whether the name of a file has the mark of a copy or a backup of a migration.
    public static func isCopy(_ name: String) -> Bool {
        isWorkingCopy(name) || name.contains(backupMark)
    }

    /// Returns whether the name of a file has the mark of a copy that a migration works on or
    /// tries out, which shares files with no other store.
    public static func isWorkingCopy(_ name: String) -> Bool {
        name.hasSuffix(workingMark) || name.hasSuffix(trialMark)
    }

    /// The path of a folder may end in a slash.
    var trimmedLocation: String {
        let trimmed = location.reversed().drop { $0 == "/" }.reversed()
        return trimmed.isEmpty ? location : String(trimmed)
    }

    /// The extension of the name, with the dot.
    private var suffix: String {
        let name = trimmedLocation.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return String(name[dot...])
    }

    private var backupStart: String {
        trimmedLocation.dropLast(suffix.count) + Self.backupMark
    }

    private func described(at location: String) -> PersistentStoreDescription {
        var copy = self
        copy.location = location
        return copy
    }

    /// Returns the description of a backup of a model's version, such as
    /// `library.before-4sXkPq1z.sqlite`.
    func migrationBackup(
        of model: ManagedObjectModel, number: Int = 1
    ) -> PersistentStoreDescription {
        // Checksums are in Base64, which may contain slashes.
        let checksum = model.versionChecksum.prefix(Self.checksumLength)
            .replacing("/", with: "_").replacing("+", with: "-")
        let place = number == 1 ? "" : "-\(number)"
        return described(at: backupStart + checksum + place + suffix)
    }
}

extension PersistentStoreType {
    /// Returns the files in the folder of a location, the newest first.
    public func locations(beside location: String) -> [String] {
        let url = URL(filePath: location)
        let folder = String(location.dropLast(url.lastPathComponent.count))
        let path = folder.isEmpty ? "." : folder
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        func date(_ name: String) -> Date {
            let values = try? FileManager.default.attributesOfItem(atPath: folder + name)
            return values?[.modificationDate] as? Date ?? .distantPast
        }
        return names.filter {
            !$0.hasSuffix(".lock") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
        }
        .sorted { date($0) > date($1) }.map { folder + $0 }
    }
}
