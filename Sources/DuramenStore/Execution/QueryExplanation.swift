public import DuramenModel
public import DuramenQuery

/// The division of a query's work between the store and the library.
///
/// Values are replaced by `?`, in SQL with a number, so that an explanation may be logged. It still
/// shows the lengths of lists, and of texts that `ENDSWITH` compares.
public struct QueryExplanation: Sendable, Hashable, Codable {
    /// A worker that does a part of the work: the store or the library.
    public enum Worker: String, Sendable, Hashable, Codable, CaseIterable {
        /// The store, in its engine.
        case store
        /// The library, on rows from the store.
        case library
    }

    /// The name of the store's type, such as `sqlite`.
    public var storeType: String
    /// The entity of the query.
    public var entity: String
    /// Whether the query includes objects of existing sub-entities.
    public var includesSubentities: Bool
    /// The condition that the store checks; nil for none.
    public var pushed: String?
    /// The condition that the library checks on each row; nil for none.
    public var residual: String?
    /// The sort keys, such as `magnitude descending`; empty for the order of the IDs.
    public var order: [String]
    /// The worker that sorts; nil if the query has no order.
    public var ordering: Worker?
    /// The number of skipped results.
    public var offset: Int
    /// The largest number of results; nil for all.
    public var limit: Int?
    /// The worker that applies offset and limit; nil if there are none.
    public var windowing: Worker?
    /// The steps of the store in its own language, such as a statement and the lines of its plan.
    /// Empty if the store does not report them.
    public var steps: [String]

    /// Describes how a query is split.
    ///
    /// - Throws: `.invalidRequest` when the query's entity is not in the model.
    public init(
        storeType: String, query: StoreQuery, pushdown: Pushdown, in model: ManagedObjectModel,
        steps: [String] = []
    ) throws(StoreError) {
        guard model.entities.indices.contains(query.entity.index) else {
            throw StoreError(.invalidRequest, "The query's entity is not in the store's model.")
        }
        let entity = model[query.entity]
        self.storeType = storeType
        self.entity = entity.name
        includesSubentities = query.includesSubentities && !entity.subentities.isEmpty
        pushed = pushdown.pushed.predicate?.shape
        residual = pushdown.residual?.shape
        order = query.sortDescriptors.map(Self.text)
        ordering =
            query.sortDescriptors.isEmpty ? nil : pushdown.needsSorting ? .library : .store
        offset = query.offset
        limit = query.limit
        windowing = !query.isWindowed ? nil : pushdown.needsWindow ? .library : .store
        self.steps = steps
    }

    private static func text(_ descriptor: FetchSortDescriptor) -> String {
        let folding =
            switch descriptor.comparison {
            case .standard: ""
            case .caseInsensitive: " without case"
            case .caseAndDiacriticInsensitive: " without case and marks"
            case .localized: " as names"
            case .localizedCaseInsensitive: " as names without case"
            case .localizedStandard: " as names with numbers"
            }
        return descriptor.expression.description
            + (descriptor.isAscending ? " ascending" : " descending") + folding
    }
}

extension QueryExplanation: CustomStringConvertible {
    /// One line for each part, followed by the steps.
    public var description: String {
        var lines = [
            "store     \(storeType)",
            "entity    \(entity)\(includesSubentities ? " and its sub-entities" : "")",
            "pushed    \(pushed ?? "no condition")",
            "residual  \(residual ?? "no condition")",
        ]
        if let ordering {
            lines.append("order     \(order.joined(separator: ", ")), by the \(ordering.rawValue)")
        } else {
            lines.append("order     by ID")
        }
        if let windowing {
            lines.append(
                "window    skip \(offset), take \(limit.map(String.init) ?? "all"), "
                    + "by the \(windowing.rawValue)")
        } else {
            lines.append("window    all results")
        }
        if !steps.isEmpty { lines += ["steps"] + steps.map { "  " + $0 } }
        return lines.joined(separator: "\n")
    }
}
