import DuramenFileStore
import DuramenStore

/// A copy without free pages that replaces a store's data file while nobody has it open.
struct Compaction {
    private let folder: StoreFolder

    init(_ folder: StoreFolder) { self.folder = folder }

    private var workshopData: String { folder.workshop + "/data.mdb" }

    /// Makes the copy; nil on failure, which leaves the file unchanged.
    func copy(_ environment: Environment) -> Compaction? {
        guard let workshop = try? StoreFolder(folder.workshop),
            (try? folder.clearWorkshop()) != nil,
            SystemCalls.makeFolder(folder.workshop) == 0
        else { return nil }
        do throws(StoreError) {
            try environment.copy(to: workshopData)
        } catch {
            try? workshop.remove()
            return nil
        }
        return self
    }

    /// Replaces the file with the copy atomically: a crash leaves either file.
    func takePlace() {
        if SystemCalls.synchronize(workshopData) == 0 {
            _ = SystemCalls.rename(workshopData, to: folder.data)
            _ = SystemCalls.synchronize(folder.path)
        }
        try? StoreFolder(folder.workshop).remove()
    }
}
