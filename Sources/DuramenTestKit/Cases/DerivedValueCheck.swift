import DuramenModel
import DuramenQuery
import DuramenStore
import Foundation

/// Compares the derived attributes of ``DerivedModel`` with values computed from plain reads.
struct DerivedValueCheck {
    private let driver: StoreDriver
    private let snapshot: any StoreSnapshot

    init(_ driver: StoreDriver) throws {
        self.driver = driver
        snapshot = try driver.store.snapshot()
    }

    /// Fails the case unless all derived attributes have the computed values.
    func run() throws {
        for name in ["Account", "Post", "Label"] {
            for id in try snapshot.objectIDs(
                driver.store.pushdown(for: driver.query(name)).pushed)
            {
                let found = try driver.values(id, in: snapshot) ?? [:]
                for (property, expected) in try expected(id, found) {
                    try checkEqual(
                        found[property] ?? .null, expected, "\(id.entityName) \(id.key).\(property)"
                    )
                }
            }
        }
    }

    private func expected(
        _ id: ManagedObjectID, _ values: PropertyValues
    ) throws -> [String: StoredValue] {
        switch id.entityName {
        case "Account":
            let posts = try members("Account.posts", id)
            let name = values["name"] ?? .null
            return [
                "plain": name, "upper": text(name) { $0.uppercased() },
                "lower": text(name) { $0.lowercased() },
                "sortName": FetchFunction.localized.call([.value(name)]).scalar,
                "teamName": try value("name", behind: "team", values),
                "postCount": .integer(Int64(posts.count)),
                "sizes": .integer(integers("size", posts)),
                "small": .integer(integers("size", posts)),
                "weights": .double(doubles("weight", posts)),
                "prices": .decimal(decimals("price", posts)),
            ]
        case "Post", "Reply":
            var account: PropertyValues = [:]
            if case .objectID(let id)? = values["account"] {
                account = try driver.values(id, in: snapshot) ?? [:]
            }
            var result = [
                "accountName": account["name"] ?? .null,
                "teamName": text(try value("name", behind: "team", account)) { $0.lowercased() },
                "labelCount": .integer(Int64(try members("Post.labels", id).count)),
            ]
            if id.entityName == "Reply" {
                result["answeredSize"] = try value("size", behind: "answered", values)
            }
            return result
        default:
            let posts = try members("Label.posts", id)
            return [
                "postCount": .integer(Int64(posts.count)),
                "weights": .double(doubles("weight", posts)),
            ]
        }
    }

    private func members(_ path: String, _ id: ManagedObjectID) throws -> [PropertyValues] {
        try driver.destinations(path, of: id, in: snapshot).compactMap {
            try driver.values($0, in: snapshot)
        }
    }

    private func value(
        _ name: String, behind toOne: String, _ values: PropertyValues
    ) throws -> StoredValue {
        guard case .objectID(let id)? = values[toOne] else { return .null }
        return try driver.values(id, in: snapshot)?[name] ?? .null
    }

    private func text(_ value: StoredValue, _ change: (String) -> String) -> StoredValue {
        guard case .text(let text) = value else { return .null }
        return .text(StoredText(change(text.string)))
    }

    private func integers(_ name: String, _ rows: [PropertyValues]) -> Int64 {
        rows.reduce(0) { sum, row in
            if case .integer(let number)? = row[name] { sum + number } else { sum }
        }
    }

    // The values of the cases are quarters, whose sums are exact.
    private func doubles(_ name: String, _ rows: [PropertyValues]) -> Double {
        rows.reduce(0) { sum, row in
            if case .double(let number)? = row[name] { sum + number } else { sum }
        }
    }

    private func decimals(_ name: String, _ rows: [PropertyValues]) -> Decimal {
        rows.reduce(0) { sum, row in
            if case .decimal(let number)? = row[name] { sum + number } else { sum }
        }
    }
}
