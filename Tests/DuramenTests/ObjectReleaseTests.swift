import DuramenMemory
import DuramenModel
import Testing

@testable import Duramen

/// Objects that a context lets go of together, when it ends or is reset.
@Suite(.serialized)
struct ObjectReleaseTests {
    /// Few enough for one pass through the table, and so many that they are let go of by their
    /// addresses.
    private static let counts = [1, 200, ObjectRelease.fewest + 500]

    private func container() throws -> PersistentContainer {
        try PersistentContainer.open(
            model: ManagedObjectModel(Farewell.self), stores: [.memory()])
    }

    private func filledContainer(_ count: Int) throws -> PersistentContainer {
        let container = try container()
        let context = container.makeContext()
        for number in 0..<count { Farewell(context: context).name = "\(number)" }
        try context.save()
        return container
    }

    @Test(
        "Objects and their blocks end with their context, but for what somebody keeps",
        arguments: counts)
    func blocks(count: Int) throws {
        let container = try filledContainer(count)
        var context: ManagedObjectContext? = container.makeContext()
        weak var first: Farewell?
        weak var plan: EntityPlan?
        weak var firstBlock: RowStorage?
        weak var lastBlock: RowStorage?
        var kept: Farewell?
        do {
            let objects = try #require(try context?.fetch(FetchRequest<Farewell>()))
            #expect(objects.count == count)
            // Known ones take no references of those that were counted for a block.
            #expect(try context?.fetch(FetchRequest<Farewell>()).count == count)
            (first, plan) = (objects.first, objects.first?.plan)
            (firstBlock, lastBlock) = (objects.first?.storage, objects.last?.storage)
            kept = objects.last
        }
        #expect(first != nil && plan != nil && firstBlock != nil)
        context = nil
        #expect(first == nil || count == 1)
        #expect((firstBlock == nil) == (firstBlock !== lastBlock))
        #expect(kept?.name == "\(count - 1)")
        kept = nil
        #expect(lastBlock == nil && firstBlock == nil && plan == nil)
    }

    @Test("The deinit of a class can read and change its object", arguments: counts)
    func ownDeinit(count: Int) throws {
        weak var plan: EntityPlan?
        var context: ManagedObjectContext? = try container().makeContext()
        for number in 0..<count {
            let object = Farewell(context: try #require(context))
            object.name = "\(number)"
            object.saysFarewell = true
            plan = object.plan
        }
        Farewell.said.withLock { $0 = [] }
        context = nil
        let said = Farewell.said.withLock { $0 }
        #expect(Set(said) == Set((0..<count).map { "\($0)" + Farewell.ending }))
        #expect(plan == nil)
    }

    @Test("New objects that are dropped, saved or reset leave nothing behind", arguments: counts)
    func newObjects(count: Int) throws {
        weak var plan: EntityPlan?
        weak var block: RowStorage?
        do {
            let context = try container().makeContext()
            for way in 0..<3 {
                for number in 0..<count { Farewell(context: context).name = "\(number)" }
                switch way {
                case 0: try context.save()
                case 1: context.rollback()
                default: break
                }
                let last = Farewell(context: context)
                (plan, block) = (last.plan, last.storage)
                if way == 2 { context.reset() }
            }
            #expect(plan != nil)
        }
        #expect(plan == nil && block == nil)
    }

    @Test("An object that carries more than its values is let go of whole")
    func extras() throws {
        let container = try filledContainer(10)
        weak var base: RowStorage?
        do {
            let context = container.makeContext()
            for object in try context.fetch(FetchRequest<Farewell>()) {
                base = object.storage
                object.name += "!"
            }
            #expect(base != nil)
        }
        #expect(base == nil)
    }
}

/// An object that says its name when it ends, after changing it to one that no block has room for.
private final class Farewell: ManagedObject {
    static let said = Locked<[String]>([])
    static let ending = String(repeating: "-", count: 100_000 / 64)

    var saysFarewell = false
    var name: String {
        get { attribute(at: 0) }
        set { setAttribute(newValue, at: 0) }
    }

    deinit {
        if !saysFarewell { return }
        name += Self.ending
        let name = name
        Self.said.withLock { $0.append(name) }
    }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Farewell", attributes: [.of(String.self, name: "name", default: "")])
    }
}
