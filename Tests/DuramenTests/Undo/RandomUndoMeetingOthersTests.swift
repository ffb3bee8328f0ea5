import DuramenTestKit
import StoreTestSupport
import Testing

@testable import Duramen

/// Random edits that are taken back and made again while somebody else saves: a context without
/// changes shows what is stored, and fetches never contradict objects.
@MainActor
@Suite(.serialized)
struct RandomUndoMeetingOthersTests {
    @Test(arguments: StoreKind.allCases)
    func whatIsTakenBackFitsWhatIsStored(kind: StoreKind) throws {
        for seed in longWorkloadSeeds(6) { try run(seed, kind) }
    }

    private func run(_ seed: UInt64, _ kind: StoreKind) throws {
        var generator = SplitMix64(seed: seed)
        let container = try kind.container(UndoGraph.model)
        let context = container.viewContext
        let undoManager = ContextUndoManager()
        context.undoManager = undoManager
        var graph = UndoGraph(context)
        let outsider = container.makeContext(ContextOptions(name: "outsider"))
        var others = UndoGraph(outsider, countingFrom: 1_000_000)
        for step in 0..<50 {
            switch Int.random(in: 0..<20, using: &generator) {
            case 0...6:
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    try graph.change(&generator)
                }
                context.processPendingChanges()
            case 7...10: try context.undo()
            case 11, 12: try context.redo()
            case 13...17:
                outsider.processPendingChanges()
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    try others.change(&generator)
                }
                do { try outsider.save() } catch { outsider.rollback() }
            case 18: save(context)
            default: context.rollback()
            }
            context.processPendingChanges()
            let label = "DURAMEN_SEED=\(seed) \(kind), step \(step), \(graph.log.suffix(4))"
            try check(graph, container, Comment(rawValue: label))
        }
    }

    private func save(_ context: ManagedObjectContext) {
        do { try context.save() } catch { context.rollback() }
    }

    private func check(
        _ graph: UndoGraph, _ container: PersistentContainer, _ label: Comment
    ) throws {
        let context = graph.context
        try #require(context.brokenInvariants == [], label)
        for quake in try context.fetch(FetchRequest<Quake>()) {
            let (magnitude, depth) = (quake.magnitude, quake.depth)
            let alike = FetchRequest<Quake>().where {
                $0.magnitude == magnitude && $0.depth == depth
            }
            try #require(try context.fetch(alike).contains(quake), label)
        }
        if context.hasChanges { return }
        let reader = container.makeContext(ContextOptions(name: "reader"))
        let (mine, stored) = try (graph.contents().sorted(), graph.contents(in: reader).sorted())
        let more = Set(mine).subtracting(stored).sorted()
        let lost = Set(stored).subtracting(mine).sorted()
        try #require(mine == stored, "\(label): shows \(more), stored \(lost)")
    }
}
