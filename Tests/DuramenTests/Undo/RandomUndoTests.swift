import DuramenTestKit
import StoreTestSupport
import Testing

@testable import Duramen

/// Random edits in events and groups, with saves between them: whatever is taken back and made
/// again, the graph is as it was seen at that place.
@MainActor
@Suite(.serialized)
struct RandomUndoTests {
    /// `DURAMEN_SCRIPTS=1000` runs that many, from `DURAMEN_SEED` on.
    @Test(arguments: StoreKind.allCases)
    func statesAreAsTheyWereSeen(kind: StoreKind) throws {
        for seed in workloadSeeds(12) { try run(seed, kind, isChild: false) }
    }

    @Test(arguments: StoreKind.allCases)
    func statesOfAChildAreAsTheyWereSeen(kind: StoreKind) throws {
        for seed in workloadSeeds(6) { try run(seed, kind, isChild: true) }
    }

    /// Seeds that failed once.
    @Test(
        arguments: [
            9, 29, 42, 56, 81, 127, 242, 437, 587, 658, 925, 2331, 2496, 4167, 4496, 9727,
        ] as [UInt64], StoreKind.allCases)
    func seedsThatFailedOncePass(seed: UInt64, kind: StoreKind) throws {
        for isChild in [false, true] { try run(seed, kind, isChild: isChild) }
    }

    private func run(_ seed: UInt64, _ kind: StoreKind, isChild: Bool) throws {
        var generator = SplitMix64(seed: seed)
        let container = try kind.container(UndoGraph.model)
        let parent = container.viewContext
        let context = isChild ? ManagedObjectContext(parent: parent) : parent
        let undoManager = ContextUndoManager()
        context.undoManager = undoManager
        var script = UndoScript(
            graph: UndoGraph(context), undoManager: undoManager,
            label: "DURAMEN_SEED=\(seed) \(kind.rawValue)\(isChild ? ", child" : "")")
        do {
            for _ in 0..<40 { try script.step(&generator) }
            try script.finish()
            // What is stored is what was seen.
            try script.saveForGood(to: isChild ? parent : nil, container.makeContext())
        } catch {
            Issue.record("\(script.comment): \(error)")
            throw error
        }
    }
}

/// The states that a graph had, and where in them it is.
@MainActor private struct UndoScript {
    var graph: UndoGraph
    let undoManager: ContextUndoManager
    let label: String

    private var present: [String] = []
    /// The states before the groups that can be taken back, and after those that can be made again.
    private var past: [[String]] = []
    private var future: [[String]] = []
    private var hasSaved = false

    init(graph: UndoGraph, undoManager: ContextUndoManager, label: String) {
        self.graph = graph
        self.undoManager = undoManager
        self.label = label
    }

    mutating func step(_ generator: inout SplitMix64) throws {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0...8: try event(&generator)
        case 9, 10: try group(&generator)
        case 11...14: try undo()
        case 15, 16: try redo()
        case 17:
            graph.log.append("save")
            hasSaved = (try? graph.context.save()) != nil || hasSaved
            try check()
        case 18:
            graph.log.append("refresh")
            try? graph.context.refreshAllObjects()
            graph.context.trim()
            try check()
        default:
            graph.log.append("unregistered")
            graph.context.processPendingChanges()
            undoManager.withoutUndoRegistration {
                // A change that no step can lose or meet.
                _ = graph.context.insertTag("unregistered \(graph.log.count)")
            }
            let line = "tag unregistered \(graph.log.count) []"
            for place in past.indices { past[place] = Self.adding(line, to: past[place]) }
            for place in future.indices { future[place] = Self.adding(line, to: future[place]) }
            present = Self.adding(line, to: present)
            try check()
        }
    }

    private static func adding(_ line: String, to state: [String]) -> [String] {
        (state + [line]).sorted()
    }

    private mutating func event(_ generator: inout SplitMix64) throws {
        graph.log.append("event")
        for _ in 0..<Int.random(in: 1...4, using: &generator) { try graph.change(&generator) }
        graph.context.processPendingChanges()
        try notice()
    }

    private mutating func group(_ generator: inout SplitMix64) throws {
        graph.log.append("group")
        undoManager.beginUndoGrouping()
        var hasChanged = false
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let before = try state()
            try graph.change(&generator)
            graph.context.processPendingChanges()
            hasChanged = try state() != before || hasChanged
        }
        try undoManager.endUndoGrouping()
        try notice(isStep: hasChanged)
    }

    private func state() throws -> [String] { try graph.contents().sorted() }

    /// Takes notice of a state that edits made.
    private mutating func notice(isStep: Bool? = nil) throws {
        let state = try state()
        guard isStep ?? (state != present) else { return }
        past.append(present)
        future = []
        present = state
    }

    private mutating func undo() throws {
        graph.log.append("undo")
        try #require(undoManager.canUndo == !past.isEmpty, comment)
        try graph.context.undo()
        guard let state = past.popLast() else { return }
        future.append(present)
        present = state
        try check()
    }

    private mutating func redo() throws {
        graph.log.append("redo")
        try #require(undoManager.canRedo == !future.isEmpty, comment)
        try graph.context.redo()
        guard let state = future.popLast() else { return }
        past.append(present)
        present = state
        try check()
    }

    private func check() throws {
        if let broken = graph.context.brokenInvariants.first {
            throw Mismatch(description: broken)
        }
        let found = try state()
        if found == present { return }
        let lost = Set(present).subtracting(found).sorted()
        let more = Set(found).subtracting(present).sorted()
        throw Mismatch(description: "lost \(lost), found \(more)")
    }

    struct Mismatch: Error, CustomStringConvertible { let description: String }

    var comment: Comment {
        Comment(rawValue: "\(label), after \(graph.log.joined(separator: ", "))")
    }

    /// Takes everything back, and makes it again.
    mutating func finish() throws {
        let count = future.count
        while !past.isEmpty { try undo() }
        if !hasSaved {
            let unregistered = graph.log.count { $0 == "unregistered" }
            try #require(graph.context.insertedObjects.count == unregistered, comment)
            try #require(graph.context.updatedObjects.isEmpty, comment)
            try #require(graph.context.deletedObjects.isEmpty, comment)
        }
        while future.count > count { try redo() }
    }

    /// Saves, and compares with what a context reads that knows nothing yet.
    func saveForGood(to parent: ManagedObjectContext?, _ reader: ManagedObjectContext) throws {
        do {
            try graph.context.save()
            try parent?.save()
        } catch is ValidationError {
            // A rule denies what is deleted.
            return
        }
        try check()
        let stored = try graph.contents(in: reader).sorted()
        try #require(stored == present, comment)
    }
}
