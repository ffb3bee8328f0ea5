import Duramen
import Testing

/// What an undo manager takes back together, how much it keeps, and what it refuses.
@MainActor struct UndoGroupTests {
    /// Something whose changes the application registers by itself.
    private final class Counter {
        let undoManager: ContextUndoManager
        private(set) var value = 0
        var failsAt: Int?

        init(_ undoManager: ContextUndoManager) { self.undoManager = undoManager }

        func set(_ new: Int) throws {
            if new == failsAt { throw Failure() }
            let old = value
            value = new
            undoManager.registerUndo(withTarget: self) { try $0.set(old) }
        }
    }

    private struct Failure: Error {}

    @Test func aGroupOfSeveralEventsIsTakenBackAsOne() throws {
        let desk = try UndoDesk(.memory)
        let (context, undoManager) = (desk.context, desk.undoManager)
        let quake = context.insertQuake("a", magnitude: 1)
        try desk.settle()
        quake.magnitude = 2
        undoManager.beginUndoGrouping()
        quake.magnitude = 3
        context.processPendingChanges()
        quake.magnitude = 4
        undoManager.beginUndoGrouping()
        quake.magnitude = 5
        #expect(undoManager.groupingLevel == 2)
        try undoManager.endUndoGrouping()
        try undoManager.endUndoGrouping()
        quake.magnitude = 6
        try context.undo()
        #expect(quake.magnitude == 5)
        try context.undo()
        #expect(quake.magnitude == 2)
        try context.redo()
        #expect(quake.magnitude == 5)
        try context.undo()
        try context.undo()
        #expect(quake.magnitude == 1 && !undoManager.canUndo)
    }

    @Test func aNestedGroupIsTakenBackByItself() throws {
        let desk = try UndoDesk(.memory)
        let (context, undoManager) = (desk.context, desk.undoManager)
        let quake = context.insertQuake("a", magnitude: 1)
        try desk.settle()
        undoManager.beginUndoGrouping()
        quake.magnitude = 2
        undoManager.beginUndoGrouping()
        quake.magnitude = 3
        try undoManager.endUndoGrouping()
        try undoManager.undoNestedGroup()
        #expect(quake.magnitude == 2)
        try undoManager.undoNestedGroup()
        #expect(quake.magnitude == 2, "what is in no group of its own stays")
        undoManager.beginUndoGrouping()
        quake.depth = 8
        try undoManager.endUndoGrouping()
        try undoManager.endUndoGrouping()
        try undoManager.undoNestedGroup()
        #expect(quake.depth == nil && quake.magnitude == 2)
        try undoManager.redo()
        #expect(quake.depth == 8)
        try undoManager.undo()
        try undoManager.undo()
        #expect(quake.depth == nil && quake.magnitude == 1)
    }

    @Test func theOldestGroupsAreForgotten() throws {
        let desk = try UndoDesk(.memory)
        let quake = desk.context.insertQuake("a", magnitude: 0)
        try desk.settle()
        desk.undoManager.levelsOfUndo = 3
        for magnitude in 1...5 {
            quake.magnitude = Double(magnitude)
            desk.context.processPendingChanges()
        }
        while desk.undoManager.canUndo { try desk.context.undo() }
        #expect(quake.magnitude == 2)
        desk.undoManager.levelsOfUndo = 1
        while desk.undoManager.canRedo { try desk.context.redo() }
        #expect(quake.magnitude == 3)
    }

    @Test func aNewChangeForgetsWhatCouldBeMadeAgain() throws {
        let desk = try UndoDesk(.memory)
        let quake = desk.context.insertQuake("a", magnitude: 1)
        try desk.settle()
        quake.magnitude = 2
        try desk.context.undo()
        #expect(desk.undoManager.canRedo)
        quake.depth = 3
        #expect(!desk.undoManager.canRedo)
        try desk.context.redo()
        #expect(quake.magnitude == 1 && quake.depth == 3)
    }

    @Test func groupsThatAreNotBalancedAreRefused() throws {
        let desk = try UndoDesk(.memory)
        let undoManager = desk.undoManager
        func refuses(_ body: () throws -> Void) -> Bool {
            do {
                try body()
                return false
            } catch {
                return (error as? ContextError)?.code == .unbalancedUndo
            }
        }
        #expect(refuses(undoManager.endUndoGrouping))
        #expect(refuses(undoManager.enableUndoRegistration))
        let quake = desk.context.insertQuake("a")
        #expect(refuses(undoManager.endUndoGrouping), "the group of an event ends by itself")
        undoManager.beginUndoGrouping()
        quake.magnitude = 4
        #expect(refuses(desk.context.undo) && refuses(desk.context.redo))
        #expect(quake.magnitude == 4)
        try undoManager.endUndoGrouping()
        try desk.context.undo()
        #expect(quake.magnitude == 1)
        let counter = Counter(undoManager)
        undoManager.registerUndo(withTarget: counter) { _ in try undoManager.undo() }
        #expect(refuses(desk.context.undo))
        undoManager.registerUndo(withTarget: counter) { _ in try undoManager.endUndoGrouping() }
        #expect(refuses(desk.context.undo))
        // The closures keep their undo manager.
        undoManager.removeAllActions()
    }

    @Test func aGroupWithoutAChangeIsNone() throws {
        let desk = try UndoDesk(.memory)
        desk.undoManager.beginUndoGrouping()
        try desk.undoManager.endUndoGrouping()
        #expect(!desk.undoManager.canUndo)
    }

    @Test func actionsOfTheApplicationTakeTheirPlaceAmongTheChanges() throws {
        let desk = try UndoDesk(.memory)
        let (context, undoManager) = (desk.context, desk.undoManager)
        let counter = Counter(undoManager)
        let quake = context.insertQuake("a", magnitude: 1)
        try desk.settle()
        var seen: [Double] = []
        quake.magnitude = 2
        try counter.set(1)
        undoManager.registerUndo(withTarget: quake) { seen.append($0.magnitude) }
        quake.magnitude = 3
        try context.undo()
        #expect(seen == [2] && quake.magnitude == 1 && counter.value == 0)
        try context.redo()
        #expect(quake.magnitude == 3 && counter.value == 1)
        undoManager.removeAllActions(withTarget: counter)
        try context.undo()
        #expect(quake.magnitude == 1 && counter.value == 1)
    }

    @Test func withoutGroupsByEventEachRegistrationIsOne() throws {
        let desk = try UndoDesk(.memory)
        let counter = Counter(desk.undoManager)
        let quake = desk.context.insertQuake("a", magnitude: 1)
        try desk.settle()
        desk.undoManager.groupsByEvent = false
        quake.magnitude = 2
        try counter.set(1)
        try counter.set(2)
        try desk.context.undo()
        #expect(counter.value == 1 && quake.magnitude == 2)
        try desk.context.undo()
        try desk.context.undo()
        #expect(counter.value == 0 && quake.magnitude == 1)
    }

    @Test func aFailureMakesAgainWhatWasTakenBackBefore() throws {
        let desk = try UndoDesk(.memory)
        let counter = Counter(desk.undoManager)
        let quake = desk.context.insertQuake("a", magnitude: 1)
        try desk.settle()
        try counter.set(1)
        quake.magnitude = 2
        desk.context.processPendingChanges()
        counter.failsAt = 0
        #expect(throws: Failure.self) { try desk.context.undo() }
        #expect(quake.magnitude == 2 && counter.value == 1)
        #expect(desk.undoManager.canUndo && !desk.undoManager.canRedo)
        #expect(!desk.undoManager.isUndoing)
        counter.failsAt = nil
        try desk.context.undo()
        #expect(quake.magnitude == 1 && counter.value == 0)
    }

    @Test func groupsHaveTheNamesThatTheyAreGiven() throws {
        let desk = try UndoDesk(.memory)
        let (context, undoManager) = (desk.context, desk.undoManager)
        let quake = context.insertQuake("a")
        undoManager.setActionName("Add")
        #expect(undoManager.undoActionName == "Add")
        context.processPendingChanges()
        undoManager.beginUndoGrouping()
        quake.magnitude = 2
        undoManager.setActionName("Measure")
        #expect(undoManager.undoActionName == "Measure")
        try undoManager.endUndoGrouping()
        #expect(undoManager.undoActionName == "Measure" && undoManager.redoActionName == "")
        try context.undo()
        #expect(undoManager.undoActionName == "Add" && undoManager.redoActionName == "Measure")
        try context.redo()
        #expect(undoManager.undoActionName == "Measure")
        quake.magnitude = 3
        #expect(undoManager.undoActionName == "")
    }

    @Test func whatTheManagerDoesItSays() throws {
        let desk = try UndoDesk(.memory)
        let undoManager = desk.undoManager
        let counter = Counter(undoManager)
        var states: [[Bool]] = []
        func register() {
            undoManager.registerUndo(withTarget: counter) { _ in
                states.append([undoManager.isUndoing, undoManager.isRedoing])
                register()
            }
        }
        register()
        try undoManager.undo()
        try undoManager.redo()
        #expect(states == [[true, false], [false, true]])
        #expect(!undoManager.isUndoing && !undoManager.isRedoing)
    }

    @Test func actionsOfNobodyDoNothing() throws {
        let undoManager = ContextUndoManager()
        var count = 0
        do {
            let counter = Counter(undoManager)
            undoManager.registerUndo(withTarget: counter) { _ in count += 1 }
        }
        try undoManager.undo()
        #expect(count == 0)
    }

    @Test func oneManagerServesTwoContexts() throws {
        let desk = try UndoDesk(.memory)
        let other = desk.container.makeContext()
        other.undoManager = desk.undoManager
        let quake = desk.context.insertQuake("a", magnitude: 1)
        let second = other.insertQuake("b", magnitude: 1)
        desk.context.processPendingChanges()
        quake.magnitude = 2
        desk.context.processPendingChanges()
        second.magnitude = 2
        try other.undo()
        #expect(second.magnitude == 1 && quake.magnitude == 2)
        try other.undo()
        #expect(quake.magnitude == 1 && second.isInserted)
        try desk.context.undo()
        #expect(!desk.context.hasChanges && !other.hasChanges)
    }

    @Test func anEventOfTheMainActorEndsByItself() async throws {
        let desk = try UndoDesk(.memory)
        let quake = desk.context.insertQuake("a", magnitude: 1)
        // The context learns here who owns it.
        try desk.settle()
        quake.magnitude = 2
        desk.undoManager.setActionName("first")
        // A group has its name once its event has ended.
        #expect(await eventually { desk.undoManager.groupingLevel == 0 && isOver(desk) })
        quake.magnitude = 3
        try desk.context.undo()
        #expect(quake.magnitude == 2 && desk.undoManager.undoActionName == "first")
    }

    /// Whether the event ended: a name that is given now is that of the next one.
    private func isOver(_ desk: UndoDesk) -> Bool {
        desk.undoManager.setActionName("second")
        defer { desk.undoManager.setActionName("first") }
        return desk.undoManager.undoActionName == "first"
    }

    @Test func aUnitOfABackgroundContextIsAnEvent() async throws {
        let container = try makeContainer()
        let background = container.newBackgroundContext()
        await background.perform { context in
            context.undoManager = ContextUndoManager()
            context.insertQuake("a").magnitude = 2
        }
        await background.perform { context in
            for case let quake as Quake in context.insertedObjects { quake.magnitude = 7 }
        }
        try await background.perform { context in
            try context.undo()
            #expect(context.insertedObjects.compactMap { ($0 as? Quake)?.magnitude } == [2])
            try context.undo()
            #expect(!context.hasChanges)
        }
    }
}
