import Duramen
import DuramenMemory
import Foundation

/// Gives any text to every entrance of the library that takes a key path: each answers or throws.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzKeyPath(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    var text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    // libFuzzer grows texts slowly, and what overflows a stack is long.
    if text.hasPrefix("*"), let step = text.dropFirst().split(separator: ".").first {
        text = Array(repeating: String(step), count: 3_000).joined(separator: ".")
    }
    // Sound: libFuzzer calls on the main thread.
    MainActor.assumeIsolated { Entrances.shared.take(text) }
    return 0
}

/// A context whose objects have every kind of relationship.
@MainActor
private struct Entrances {
    static let shared = Entrances()
    private let context: ManagedObjectContext

    private static var model: ManagedObjectModel {
        get throws {
            try ManagedObjectModel([
                EntityDescription(
                    name: "Node",
                    attributes: [
                        AttributeDescription("name", .string, isOptional: true),
                        AttributeDescription("size", .integer64, isOptional: true),
                    ],
                    relationships: [
                        .toOne("parent", destination: "Node", inverse: "children"),
                        .toMany("children", destination: "Node", inverse: "parent"),
                        .toMany("links", destination: "Node", inverse: "links"),
                    ])
            ])
        }
    }

    private init() {
        do {
            let container = try PersistentContainer.open(model: Self.model, stores: [.memory()])
            context = container.viewContext
            let model = container.persistentStoreCoordinator.managedObjectModel
            guard let entity = model.entity(named: "Node") else { preconditionFailure("Node") }
            let nodes = (0..<5).map { _ in ManagedObject(entity: entity, context: context) }
            for (node, parent) in zip(nodes, nodes.dropFirst() + nodes.prefix(1)) {
                try node.setValue(parent, forKey: "parent")
                try node.setValue("a", forKey: "name")
                try node.setValue([parent], forKey: "links")
            }
            try context.save()
        } catch {
            preconditionFailure("\(error)")
        }
    }

    func take(_ text: String) {
        let plain = FetchRequest<ManagedObject>(entityName: "Node")
        try? _ = context.fetch(plain.sorted(by: text))
        try? _ = context.fetch(plain.sorted(by: text, .descending).limit(2))
        try? _ = context.fetch(plain.where(.keyPath(text, .equal, "a")))
        try? _ = context.count(for: plain.where(.not(.keyPath(text, .equal, .null))))
        var request = plain
        request.relationshipKeyPathsForPrefetching = [text]
        try? _ = context.fetch(request)
        request = plain
        request.propertiesToFetch = [text]
        try? _ = context.fetch(request)
        try? _ = context.fetchDictionaries(plain.dictionaries(ResultColumn(text)))
        let count = ResultColumn("n", .function(.count, [.selfObject]))
        try? _ = context.fetchDictionaries(plain.dictionaries(count).grouped(by: text))
        try? _ = context.fetchDictionaries(plain.dictionaries("name").sorted(by: text))
        try? FetchedResultsController(
            fetchRequest: plain.sorted(by: text), managedObjectContext: context,
            sectionNameKeyPath: text
        ).performFetch()
        try? _ = context.execute(
            BatchUpdateRequest<ManagedObject>(entityName: "Node").set(
                text, to: .constant(.text("b"))))
        context.reset()
    }
}
