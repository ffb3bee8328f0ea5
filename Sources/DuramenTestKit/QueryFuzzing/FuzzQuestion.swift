import DuramenModel
import DuramenQuery

/// A question for all stores.
enum FuzzQuestion {
    /// The requested form of the objects that a query finds.
    enum Answer: String, CaseIterable {
        case objectIDs, rows, count
    }

    case objects(StoreQuery, Answer)
    case results(ResultQuery)

    var entity: EntityID {
        switch self {
        case .objects(let query, _): query.entity
        case .results(let query): query.entity
        }
    }

    /// The predicates of the question, which must survive printing and parsing.
    var predicates: [FetchPredicate] {
        switch self {
        case .objects(let query, _): [query.predicate].compactMap { $0 }
        case .results(let query): [query.predicate, query.having].compactMap { $0 }
        }
    }
}

extension FuzzQuestion: CustomStringConvertible {
    var description: String {
        switch self {
        case .objects(let query, let answer):
            var text = "\(answer.rawValue) where \(query.predicate?.description ?? "anything")"
            if !query.sortDescriptors.isEmpty {
                text += ", by \(query.sortDescriptors.map(\.written))"
            }
            if !query.includesSubentities { text += ", without subentities" }
            if query.slots != nil { text += ", some slots" }
            return text + Self.window(query.offset, query.limit)
        case .results(let query):
            let columns = query.columns.map { "\($0.name) = \($0.expression)" }
            var text = query.isDistinct ? "distinct \(columns)" : "\(columns)"
            if let predicate = query.predicate { text += " where \(predicate)" }
            if !query.groupBy.isEmpty { text += ", grouped by \(query.groupBy)" }
            if let having = query.having { text += ", having \(having)" }
            if !query.sortDescriptors.isEmpty {
                text += ", by \(query.sortDescriptors.map(\.written))"
            }
            if !query.includesSubentities { text += ", without subentities" }
            return text + Self.window(query.offset, query.limit)
        }
    }

    private static func window(_ offset: Int, _ limit: Int?) -> String {
        (offset > 0 ? ", from \(offset)" : "") + (limit.map { ", at most \($0)" } ?? "")
    }
}

extension FetchSortDescriptor {
    fileprivate var written: String {
        "\(keyPath.joined(separator: ".")) \(isAscending ? "up" : "down") \(comparison.rawValue)"
    }
}
