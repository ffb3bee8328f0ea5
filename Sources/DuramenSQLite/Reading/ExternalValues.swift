import DuramenFileStore
import DuramenModel
import DuramenStore
import Foundation
import Logging
import Synchronization

/// Where an SQLite store keeps large values: `.NAME_SUPPORT/_DURAMEN_DATA` beside it, and for a
/// store of Core Data's `.NAME_SUPPORT/_EXTERNAL_DATA`.
///
/// A store of our own takes the whole name of its file, so that no two share a folder, and we alone
/// remove files from it. Core Data leaves the extension out; its stores keep that folder, from
/// which we remove nothing, since it may be another one's too. Of a file that Core Data wrote and
/// that is missing the value reads as null, rather than making its row unreadable; it is counted,
/// and the first one is logged.
final class ExternalValues: Sendable {
    /// Where files are written.
    let folder: ExternalValueFolder
    /// Whether a file that is missing is Core Data's to lose.
    private let isOwnFile: Bool
    /// Whether a file that is missing reads as null, whoever lost it.
    private let missingIsNull: Bool
    private let storePath: String
    private let unreadableCount = Atomic<Int>(0)

    init(storePath: String, isOwnFile: Bool, missingIsNull: Bool = false) {
        self.missingIsNull = missingIsNull
        self.storePath = storePath
        self.isOwnFile = isOwnFile
        folder = isOwnFile ? Self.ownFolder(of: storePath) : Self.coreDataFolder(of: storePath)
    }

    /// The folder of a store of our own.
    static func ownFolder(of storePath: String) -> ExternalValueFolder {
        folder(storePath, StorePath.name(of: storePath), "_DURAMEN_DATA")
    }

    /// The folder of a store of Core Data's.
    private static func coreDataFolder(of storePath: String) -> ExternalValueFolder {
        let file = StorePath.name(of: storePath)
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

    /// Why a value has no bytes.
    enum Failure: Error {
        /// It reads as null.
        case null
        case damaged(ExternalValueFolder.Damage, UUID?)
    }

    /// Hands over the bytes of a value.
    ///
    /// - Parameter column: What the row holds.
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

    /// Notes that a value reads as null which is not.
    private var unreadable: Failure {
        if unreadableCount.wrappingAdd(1, ordering: .relaxed).oldValue == 0 {
            Diagnostics.logger.warning(
                "'\(storePath)' refers to files of values that are missing or cannot be read; those values read as null. 'duramen info --check' counts them."
            )
        }
        return .null
    }
}
