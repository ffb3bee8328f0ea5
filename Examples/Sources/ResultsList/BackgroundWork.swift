import DebianPackages
import Duramen
import PackageImport
import PackageModel

/// What goes on beside the list: packages are purged, a few at a time, and imported again.
struct BackgroundWork: Sendable {
    let container: PersistentContainer
    let input: String

    /// Works until the task is cancelled.
    func run() async {
        do {
            while !Task.isCancelled {
                for _ in 0..<20 {
                    try await purge()
                    try await Task.sleep(for: .milliseconds(400))
                }
                _ = try await PackageImporter(container: container)
                    .run(PackageReader(path: input))
            }
        } catch {
            // Cancelled, or the input is gone: the list goes on without.
        }
    }

    private func purge() async throws {
        try await container.performBackgroundTask { context in
            let request = FetchRequest<Package>().where { $0.state != .named }
            let count = try context.count(for: request)
            guard count > 0 else { return }
            let some = request.sorted(by: \.identifier).offset(.random(in: 0..<count)).limit(3)
            for package in try context.fetch(some) { context.delete(package) }
            try context.save()
        }
    }
}
