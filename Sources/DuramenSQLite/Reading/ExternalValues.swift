import DuramenFileStore
import DuramenModel
import DuramenStore
import Foundation
import Logging
import Synchronization

/// The large values of an SQLite store: `.NAME_SUPPORT/_DURAMEN_DATA` beside it, and for a Core
/// Data store `.NAME_SUPPORT/_EXTERNAL_DATA`.
///
/// NAME is the full name of a Duramen file, so that no two stores share a folder, and only Duramen
/// removes files from it. Core Data omits the extension. Duramen removes nothing from such a
/// folder, since several stores may share it. If the extension is the mark of a copy that a
/// migration makes, the folder has the full name: the rest of the name is that of the original. The
/// value of a missing file of Core Data reads as null, so that its row stays readable. Such values
/// are counted, and the first one is logged.
final class ExternalValues: Sendable {
    /// The folder for new files.
    let folder: ExternalValueFolder
    /// Whether Duramen created the store. In Core Data's stores a missing file reads as null.
    private let isOwnFile: Bool
    /// Whether a missing file reads as null in any store.
    private let missingIsNull: Bool
    private let storePath: String
    private let unreadableCount = Atomic<Int>(0)

    init(storePath: String, isOwnFile: Bool, missingIsNull: Bool = false) {
        self.missingIsNull = missingIsNull
        self.storePath = storePath
        self.isOwnFile = isOwnFile
        folder = isOwnFile ? Self.ownFolder(of: storePath) : Self.coreDataFolder(of: storePath)
    }

    /// The folder of a Duramen store.
    static func ownFolder(of storePath: String) -> ExternalValueFolder {
        folder(storePath, StorePath.name(of: storePath), "_DURAMEN_DATA")
    }

    /// The folder of a Core Data store.
    static func coreDataFolder(of storePath: String) -> ExternalValueFolder {
        let file = StorePath.name(of: storePath)
        if PersistentStoreDescription.isWorkingCopy(file) {
            return folder(storePath, file, "_EXTERNAL_DATA")
        }
        let folder = folder(
            storePath, (file as NSString).deletingPathExtension, "_EXTERNAL_DATA")
        let other = self.folder(storePath, file, "_EXTERNAL_DATA")
        return !folder.exists && other.exists ? other : folder
    }

    private static func folder(
        _ storePath: String, _ name: String, _ inner: String
    ) -> ExternalValueFolder {
        ExternalValueFolder(in: StorePath.folder(of: storePath), ".\(name)_SUPPORT", inner)
    }

    /// The reason why a value has no bytes.
    enum Failure: Error {
        /// The value reads as null.
        case null
        case damaged(ExternalValueFolder.Damage, UUID?)
    }

    /// Calls `body` with the bytes of a value.
    ///
    /// - Parameters:
    ///   - column: The bytes in the row.
    ///   - body: Receives the value.
    func withValue(
        of column: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(Failure) {
        switch ExternalValue(column) {
        case .inline(let value): body(value)
        case .file(let name):
            let bytes: [UInt8]
            do throws(ExternalValueFolder.Damage) {
                bytes = try folder.value(name)
            } catch {
                if missingIsNull, case .missing = error { throw .null }
                throw isOwnFile || ExternalValue.isNameOfContent(name)
                    ? .damaged(error, name) : unreadable
            }
            bytes.withUnsafeBytes(body)
        case nil: throw isOwnFile ? .damaged(.altered, nil) : unreadable
        }
    }

    /// Counts a value that reads as null because its file cannot be read.
    private var unreadable: Failure {
        if unreadableCount.wrappingAdd(1, ordering: .relaxed).oldValue == 0 {
            Diagnostics.logger.warning(
                "'\(storePath)' refers to files of values that are missing or cannot be read; those values read as null. 'duramen info --check' counts them."
            )
        }
        return .null
    }
}
