import ArgumentParser
import DuramenModel
import DuramenQuery
import DuramenStore

/// The common arguments of `fetch`, `count` and `explain`: a store, an entity and a condition.
struct QueryArguments: ParsableArguments {
    @Argument(help: "A path, 'sqlite:PATH', 'lmdb:PATH' or 'postgres://HOST/DATABASE'.")
    var store: String

    @Argument(help: "The name of an entity.")
    var entity: String

    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: .init("The condition, as a format string.", valueName: "format"))
    var format: String?

    @Option(
        parsing: .unconditional,
        help: .init(
            "The values for the condition's placeholders, as a JSON array.", valueName: "json"))
    var arguments: String?

    @OptionGroup var model: ModelArguments

    /// Runs a command's work, and formats its errors.
    func run(_ body: (any PersistentStore, StoreQuery) throws -> Void) throws {
        do {
            let store = try model.open(NamedStore(store))
            try body(store, try query(in: store.model))
        } catch let error as StoreError {
            throw StoreFailure(error)
        } catch let error as PredicateFormatError {
            throw FormatFailure(error)
        }
    }

    private func query(in model: ManagedObjectModel) throws -> StoreQuery {
        guard let found = model.entity(named: entity) else {
            let names = model.entities.map(\.name).sorted()
            let list = names.prefix(12).joined(separator: ", ") + (names.count > 12 ? ", …" : "")
            throw StoreError(
                .invalidRequest, "The model has no entity '\(entity)'; it has \(list).")
        }
        var query = StoreQuery(entity: found.id)
        let list = try ArgumentList(arguments, knowsEntities: true)
        if let format {
            query.predicate = try FetchPredicate(format: format, arguments: list.arguments)
        } else if !list.arguments.isEmpty {
            throw StoreError(
                .invalidRequest, "There are arguments, but no condition; give one with --where.")
        }
        return query
    }
}

/// The order and the window of the results.
struct WindowArguments: ParsableArguments {
    @Option(
        help: .init(
            "The order: attributes, reached over to-ones, with ':desc' for large values first, and for text "
                + "':localized', ':localizedStandard' (digits as numbers) or ':caseInsensitive'.",
            valueName: "key[:comparison][:desc][,key…]"))
    var sort: SortKeys?

    @Option(help: "How many results to print at most.")
    var limit: Int?

    @Option(help: "How many results to skip.")
    var offset = 0

    func validate() throws {
        if limit ?? 0 < 0 || offset < 0 {
            throw ValidationError("The values of '--limit' and '--offset' must not be negative.")
        }
    }

    func apply(to query: inout StoreQuery) {
        query.sortDescriptors = sort?.descriptors ?? []
        query.limit = limit
        query.offset = offset
    }
}

/// Sort keys as one argument.
struct SortKeys: ExpressibleByArgument {
    let descriptors: [FetchSortDescriptor]

    init?(argument: String) {
        var descriptors: [FetchSortDescriptor] = []
        for key in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = key.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard !parts[0].isEmpty else { return nil }
            var descriptor = FetchSortDescriptor(parts[0])
            for part in parts.dropFirst() {
                if part == "asc" || part == "desc" {
                    descriptor.isAscending = part == "asc"
                } else if let comparison = FetchSortDescriptor.Comparison(rawValue: part) {
                    descriptor.comparison = comparison
                } else {
                    return nil
                }
            }
            descriptors.append(descriptor)
        }
        self.descriptors = descriptors
    }
}
