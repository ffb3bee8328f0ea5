import Foundation

/// A folder that goes with its owner.
final class TemporaryFolder: Sendable {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "duramen-json-\(UUID().uuidString)")

    init() {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            fatalError("No temporary folder: \(error)")
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }
}
