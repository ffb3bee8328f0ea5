import Duramen
import DuramenLMDB
import DuramenMemory
import DuramenSQLite
import DuramenTestKit
import Foundation
import Testing

/// The stores that the laws of contexts are tested over.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case memory, sqlite, lmdb

    var testDescription: String { rawValue }

    /// A container over a fresh store of the kind, which fails where a plan says so.
    func container(
        _ model: ManagedObjectModel = Seismology.model, options: ContextOptions = ContextOptions(),
        plan: FaultPlan? = nil
    ) throws -> PersistentContainer {
        try PersistentContainer.open(
            model: model, stores: [plan?.faulty(description) ?? description],
            defaultOptions: options)
    }

    /// A fresh store of the kind.
    var description: PersistentStoreDescription {
        switch self {
        case .memory: .memory()
        case .sqlite: .sqlite(ScratchFolder.newPath("sqlite"))
        case .lmdb: .lmdb(ScratchFolder.newPath("lmdb"))
        }
    }
}

/// A folder of this process for store files, removed when it ends.
enum ScratchFolder {
    private static let folder: URL = {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("DuramenTests-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        atexit { ScratchFolder.remove() }
        return folder
    }()

    static func newPath(_ suffix: String = "sqlite") -> String {
        folder.appendingPathComponent("\(UUID().uuidString).\(suffix)").path
    }

    private static func remove() { try? FileManager.default.removeItem(at: folder) }
}

extension PersistentContainer {
    /// Saves what a context of its own changes, as somebody else would.
    func saveElsewhere(
        _ body: sending (ManagedObjectContext) throws -> Void
    ) throws {
        let context = makeContext(ContextOptions(name: "elsewhere"))
        try body(context)
        try context.save()
    }
}

/// Lets the main actor do other work until a condition holds.
///
/// - Returns: Whether it holds in the end.
@MainActor
func eventually(_ condition: () throws -> Bool) async rethrows -> Bool {
    var patience = Patience()
    while patience.isLeft {
        if try condition() { return true }
        await Task.yield()
    }
    return false
}

/// How long a test waits for what must happen. By the clock, since a thousand turns take a moment
/// while the thread that is waited for gets none for seconds on a busy machine; by turns too, since
/// under a sanitizer the one who waits may get none himself for as long. Much of both, since only a
/// failure needs it.
struct Patience {
    private let end = ContinuousClock.now + .seconds(600)
    private var turns = 0

    /// Whether to wait for another turn.
    var isLeft: Bool {
        mutating get {
            turns += 1
            return turns <= 1_000 || ContinuousClock.now < end
        }
    }
}

/// The code of the context's error that some work throws; nil when it throws none, or another one.
func contextErrorCode<Result>(_ work: () throws -> Result) -> ContextError.Code? {
    do {
        _ = try work()
        return nil
    } catch {
        return (error as? ContextError)?.code
    }
}
