import DebianPackages
public import Duramen
import PackageModel

/// What goes on beside a live list: packages are purged, a few at a time, and imported again.
public struct BackgroundWork: Sendable {
    private let container: PersistentContainer
    private let input: String

    /// - Parameter input: The file to import from; see ``PackageReader``.
    public init(container: PersistentContainer, input: String) {
        self.container = container
        self.input = input
    }

    /// Works until the task is cancelled.
    public func run() async {
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
