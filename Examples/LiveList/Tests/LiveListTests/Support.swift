import Duramen
import DuramenMemory
import PackageModel

@testable import LiveListKit

private let model = Result { try PackageGraph.model() }

/// A container over a fresh memory store, with packages by the names of their sections.
@MainActor func makeContainer(
    _ packages: KeyValuePairs<String, [String]>
) async throws -> PersistentContainer {
    let container = try PersistentContainer.open(model: model.get(), stores: [.memory()])
    for (section, names) in packages {
        try await container.change { context in
            for name in names { try context.addPackage(name, to: section) }
        }
    }
    return container
}

extension PersistentContainer {
    /// Changes the store in a background task, and has the view context notice.
    @MainActor func change(
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) async throws {
        try await performBackgroundTask { context in
            try body(context)
            try context.save()
        }
        viewContext.processPendingChanges()
    }
}

extension ManagedObjectContext {
    func package(_ name: String) throws -> Package? {
        try fetch(FetchRequest<Package>().where { $0.identifier == name }).first
    }

    func section(_ name: String) throws -> Section {
        if let known = try fetch(FetchRequest<Section>().where { $0.name == name }).first {
            return known
        }
        let section = Section(context: self)
        section.name = name
        return section
    }

    func addPackage(_ name: String, to section: String) throws {
        let package = Package(context: self)
        package.identifier = name
        package.state = .listed
        package.version = "1"
        package.section = try self.section(section)
    }
}

/// What a page does with messages, without a page.
struct Mirror: Equatable {
    private(set) var sections: [ListedSection] = []

    mutating func take(_ message: ListMessage) {
        switch message {
        case .list(let sections): self.sections = sections
        case .change(let change): apply(change)
        }
    }

    private mutating func apply(_ change: ListChange) {
        for place in change.removedRows { sections[place.section].rows.remove(at: place.row) }
        for index in change.removedSections { sections.remove(at: index) }
        for section in change.insertedSections {
            sections.insert(ListedSection(name: section.name, rows: []), at: section.index)
        }
        for row in change.insertedRows {
            sections[row.place.section].rows.insert(row.package, at: row.place.row)
        }
        for row in change.updatedRows {
            sections[row.place.section].rows[row.place.row] = row.package
        }
    }
}
