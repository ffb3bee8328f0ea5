import DuramenLMDB
import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation

/// A folder that goes away with its last user.
final class TemporaryFolder {
    let path: String
    init() {
        path = NSTemporaryDirectory() + "duramen-" + UUID().uuidString
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }
    func file(_ name: String = "library.lmdb") -> String { path + "/" + name }
}
