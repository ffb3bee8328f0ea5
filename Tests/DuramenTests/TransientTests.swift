import Duramen
import Foundation
import Testing

/// Attributes that live with objects and are never stored, on every store.
@MainActor struct TransientTests {
    /// Something that no store could hold.
    final class Drawing {
        var lines = 0
    }

    final class Sketch: ManagedObject {
        var title: String {
            get { attribute(at: 0) }
            set { setAttribute(newValue, at: 0) }
        }
        var drawing: Drawing {
            get { transient(at: 0, default: Drawing()) }
            set { setTransient(newValue, at: 0) }
        }
        var zoom: Double {
            get { transient(at: 1, default: 1.5) }
            set { setTransient(newValue, at: 1) }
        }

        override class var entityDescription: EntityDescription {
            EntityDescription(
                name: "Sketch",
                attributes: [
                    .of(String.self, name: "title", default: ""),
                    .transient(Drawing.self, name: "drawing"),
                    .transient(Double.self, name: "zoom", default: 1.5),
                ])
        }
    }

    private static let note = EntityDescription(
        name: "Note",
        attributes: [
            AttributeDescription("text", .string, isOptional: true),
            AttributeDescription("draft", .integer16, isTransient: true),
            AttributeDescription("any", .undefined, isOptional: true, isTransient: true),
        ])

    private func context(_ kind: StoreKind) throws -> ManagedObjectContext {
        try container(kind).viewContext
    }

    private func container(_ kind: StoreKind) throws -> PersistentContainer {
        var sketch = Sketch.entityDescription
        sketch.managedObjectClass = ManagedObjectClass(Sketch.self)
        return try kind.container(ManagedObjectModel([sketch, Self.note]))
    }

    @Test(arguments: StoreKind.allCases)
    func aTransientValueSurvivesASaveAndIsNeverStored(kind: StoreKind) throws {
        let container = try container(kind)
        let context = container.viewContext
        let sketch = Sketch(context: context)
        sketch.drawing.lines = 7
        sketch.zoom = 2
        try context.save()
        #expect(sketch.drawing.lines == 7 && sketch.zoom == 2)
        let other = container.makeContext()
        let same = try #require(try other.fetch(FetchRequest<Sketch>()).first)
        #expect(same.drawing.lines == 0 && same.zoom == 1.5)
    }

    @Test func anUndoneTransientValueGoesUpToo() throws {
        let context = try context(.memory)
        let sketch = Sketch(context: context)
        try context.save()
        let child = ManagedObjectContext(parent: context)
        let manager = ContextUndoManager()
        child.undoManager = manager
        let mine = try #require(try child.fetch(FetchRequest<Sketch>()).first)
        mine.zoom = 2
        try child.save()
        #expect(sketch.zoom == 2)
        try child.undo()
        try child.save()
        #expect(mine.zoom == 1.5 && sketch.zoom == 1.5)
    }

    @Test func aChildsTransientValuesGoUpAndDoNotComeDown() throws {
        let context = try context(.memory)
        let sketch = Sketch(context: context)
        sketch.zoom = 2
        try context.save()
        let child = ManagedObjectContext(parent: context)
        let mine = try #require(try child.fetch(FetchRequest<Sketch>()).first)
        #expect(mine.zoom == 1.5)
        let drawing = Drawing()
        mine.drawing = drawing
        let new = Sketch(context: child)
        new.zoom = 4
        try child.save()
        // What was only read is no change.
        #expect(sketch.zoom == 2 && sketch.drawing === drawing && sketch.hasChanges)
        #expect(context.insertedObjects.map { ($0 as? Sketch)?.zoom } == [4])
        #expect(mine.drawing === drawing && !child.hasChanges)
    }

    @Test(arguments: StoreKind.allCases)
    func aChangeCountsAndItsSaveWritesNothing(kind: StoreKind) throws {
        let context = try context(kind)
        let sketch = Sketch(context: context)
        try context.save()
        #expect(!context.hasChanges)
        _ = sketch.drawing
        // The first read gives the initial value, and changes nothing.
        #expect(!context.hasChanges && sketch.drawing === sketch.drawing)
        sketch.zoom = 3
        #expect(context.hasChanges && sketch.isUpdated)
        #expect(context.updatedObjects == [sketch])
        let store = context.persistentStoreCoordinator.store
        let generation = try store.snapshot().generation
        try context.save()
        #expect(!context.hasChanges && !sketch.isUpdated && sketch.zoom == 3)
        #expect(try store.snapshot().generation == generation)
    }

    @Test(arguments: StoreKind.allCases)
    func aRollbackBringsBackWhatWasSaved(kind: StoreKind) throws {
        let context = try context(kind)
        let sketch = Sketch(context: context)
        sketch.zoom = 3
        try context.save()
        sketch.zoom = 4
        sketch.title = "x"
        context.rollback()
        #expect(sketch.zoom == 3 && sketch.title == "" && !context.hasChanges)
        sketch.zoom = 5
        context.rollback()
        #expect(sketch.zoom == 3 && !context.hasChanges)
    }

    @Test(arguments: StoreKind.allCases)
    func aFaultHasTheInitialValueAgain(kind: StoreKind) throws {
        let context = try context(kind)
        let sketch = Sketch(context: context)
        sketch.title = "kept"
        sketch.zoom = 3
        try context.save()
        try context.refresh(sketch, mergeChanges: false)
        #expect(sketch.zoom == 1.5 && sketch.isFault)
        // Neither reading nor changing it needs the row.
        sketch.zoom = 6
        #expect(sketch.isFault && sketch.isUpdated)
        #expect(sketch.title == "kept" && sketch.zoom == 6)
        try context.save()
    }

    @Test(arguments: StoreKind.allCases)
    func otherContextsGoOnBesideATransientChange(kind: StoreKind) throws {
        let container = try container(kind)
        let context = container.viewContext
        let sketch = Sketch(context: context)
        try context.save()
        sketch.zoom = 3
        let other = container.makeContext()
        let same = try #require(try other.fetch(FetchRequest<Sketch>()).first)
        same.title = "theirs"
        try other.save()
        context.processPendingChanges()
        // Nothing stored was edited here, so nothing conflicts.
        try context.save()
        #expect(sketch.title == "theirs" && sketch.zoom == 3)
    }

    @Test func keysReachTransientAttributesToo() throws {
        let context = try context(.memory)
        let note = context.insert("Note")
        #expect(try note.value(forKey: "draft") == nil)
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(error.failures.map(\.property) == ["draft"])
        try note.setValue(12, forKey: "draft")
        #expect(try note.value(forKey: "draft") as? Int16 == 12)
        #expect(throws: ContextError.self) { try note.setValue(70_000, forKey: "draft") }
        #expect(throws: ContextError.self) { try note.setValue("many", forKey: "draft") }
        try note.setValue(Drawing(), forKey: "any")
        #expect(try note.value(forKey: "any") is Drawing)
        try context.save()
        try note.setValue(nil, forKey: "draft")
        #expect(try note.value(forKey: "draft") == nil)
        #expect(throws: ValidationError.self) { try context.save() }
        try note.setValue(nil, forKey: "any")
        #expect(try note.value(forKey: "any") == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func queriesByTransientAttributesAreRefused(kind: StoreKind) throws {
        let context = try context(kind)
        let request = FetchRequest<ManagedObject>(entityName: "Note")
            .where(
                .comparison(
                    PredicateComparison(.keyPath(["draft"]), .equal, .constant(.integer(1)))))
        let error = try #require(throws: StoreError.self) { try context.fetch(request) }
        #expect(error.code == .invalidRequest && error.message.contains("transient"))
    }
}
