import Duramen
import Testing

/// A controller with a delegate that keeps a ``ListOracle`` up to date, and compares it with a
/// fresh fetch.
final class ListProbe<Object: ManagedObject>: FetchedResultsControllerDelegate {
    let controller: FetchedResultsController<Object>
    /// What the section of an object is called; nil without sections.
    private let name: ((Object) -> String)?
    private var oracle = ListOracle([])
    private var batch = FetchedResultsChanges()
    private(set) var batchCount = 0
    private(set) var failures: [any Error] = []
    private var isInBatch = false

    init(
        _ controller: FetchedResultsController<Object>, name: ((Object) -> String)? = nil
    ) throws {
        self.controller = controller
        self.name = name
        controller.delegate = self
        try controller.performFetch()
        oracle = ListOracle(try #require(controller.snapshot))
    }

    /// Compares what the delegate was told, what the controller has, and what a fetch gives.
    func check(_ label: String) throws {
        let label = Comment(rawValue: label)
        try #require(failures.isEmpty, "\(label): \(failures)")
        let found = ListOracle(try #require(controller.snapshot))
        let expected = try fetched()
        try #require(found == expected, "\(label): what it has")
        try #require(oracle == expected, "\(label): what it told")
        for (number, section) in found.sections.enumerated() {
            for (row, id) in section.rows.enumerated() {
                let path = FetchedResultsIndexPath(row: row, section: number)
                try #require(controller.indexPath(for: id) == path, label)
            }
        }
    }

    /// Compares the values of the listed objects with those that are stored, when nothing is
    /// unsaved.
    func checkValues(in container: PersistentContainer, _ label: String) throws {
        if controller.managedObjectContext.hasChanges { return }
        let reader = container.makeContext()
        for object in controller.fetchedObjects.map(Array.init) ?? [] {
            let stored = try reader.existingObject(with: object.objectID)
            for attribute in object.entity.attributes {
                let values = try [object, stored].map { try $0.value(forKey: attribute.name) }
                let texts = values.map { "\(String(describing: $0))" }
                try #require(texts[0] == texts[1], "\(label): \(object.objectID).\(attribute.name)")
            }
        }
    }

    private func fetched() throws -> ListOracle {
        let context = controller.managedObjectContext
        var sections: [ListOracle.Section] = []
        if name == nil { sections = [.init(name: "", rows: [])] }
        for object in try context.fetch(controller.fetchRequest) {
            let name = name?(object) ?? ""
            if sections.last?.name != name { sections.append(.init(name: name, rows: [])) }
            sections[sections.count - 1].rows.append(object.objectID)
        }
        return ListOracle(sections)
    }

    // MARK: - FetchedResultsControllerDelegate

    func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) {
        #expect(!isInBatch)
        isInBatch = true
        batch = FetchedResultsChanges()
        // It has what it had.
        #expect(controller.snapshot.map { ListOracle($0) } == oracle)
    }

    func controller(
        _ controller: FetchedResultsController<Object>,
        didChange section: FetchedResultsSection<Object>, atSectionIndex index: Int,
        for kind: FetchedResultsChangeKind
    ) {
        #expect(isInBatch && batch.objects.isEmpty)
        #expect((kind == .delete) == section.objects.isEmpty)
        batch.sections.append(.init(kind: kind, index: index, name: section.name))
    }

    func controller(
        _ controller: FetchedResultsController<Object>, didChange object: Object,
        at indexPath: FetchedResultsIndexPath?, for kind: FetchedResultsChangeKind,
        newIndexPath: FetchedResultsIndexPath?
    ) {
        #expect(isInBatch)
        batch.objects.append(
            .init(
                kind: kind, objectID: object.objectID, indexPath: indexPath,
                newIndexPath: newIndexPath))
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {
        #expect(isInBatch)
        isInBatch = false
        batchCount += 1
        do { try oracle.apply(batch) } catch { failures.append(error) }
    }

    func controller(
        _ controller: FetchedResultsController<Object>, didFailWith error: any Error
    ) {
        failures.append(error)
    }
}
