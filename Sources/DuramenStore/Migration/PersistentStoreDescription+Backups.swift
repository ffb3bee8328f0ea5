import DuramenModel
import Foundation

extension PersistentStoreDescription {
    /// The copies that migrations have kept of the store as it was before, the newest first.
    ///
    /// Each is a store of its version with the identity of this one, so that a program cannot have
    /// both open. Put one back with ``replaceStore(with:)``, and open it with the model that it was
    /// written with.
    public var migrationBackups: [PersistentStoreDescription] {
        let (start, end) = (backupStart, suffix)
        return type.locations(beside: trimmedLocation)
            .filter { $0.hasPrefix(start) && $0.hasSuffix(end) }.map(described(at:))
            // A process may have been killed that copied.
            .filter { (try? $0.type.metadata(of: $0)) != nil }
    }

    private static let backupMark = ".before-"
    private static let checksumLength = 8

    /// A folder may be named with a slash behind it.
    var trimmedLocation: String {
        let trimmed = location.reversed().drop { $0 == "/" }.reversed()
        return trimmed.isEmpty ? location : String(trimmed)
    }

    /// What stands behind the last dot of the name, with the dot.
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

    /// Where a copy is of the store as it is with a version of the model, such as
    /// `library.before-4sXkPq1z.sqlite`.
    func migrationBackup(
        of model: ManagedObjectModel, number: Int = 1
    ) -> PersistentStoreDescription {
        // Checksums are in base 64, where a slash may stand.
        let checksum = model.versionChecksum.prefix(Self.checksumLength)
            .replacing("/", with: "_").replacing("+", with: "-")
        let place = number == 1 ? "" : "-\(number)"
        return described(at: backupStart + checksum + place + suffix)
    }
}

extension PersistentStoreType {
    /// The files of the same folder, the newest first.
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
