import DuramenModel
import DuramenStore
import Foundation

/// Transactions as readable text and as JSON.
struct HistoryLines {
    let model: ManagedObjectModel
    let showsConfidential: Bool

    /// Returns a line for the transaction, and one for each change.
    func text(_ transaction: PersistentHistoryTransaction) -> String {
        var head = "\(transaction.transactionNumber)  \(Timestamp.text(transaction.timestamp))"
        head += "  author \(transaction.author ?? "-")  context \(transaction.contextName ?? "-")"
        head += "  \(transaction.bundleID) \(transaction.processID)"
        let lines = (transaction.changes ?? []).map { change in
            var line = "  \(change.changeType)  \(change.changedObjectID)"
            if let properties = change.updatedProperties {
                line += "  " + sorted(properties).joined(separator: ", ")
            }
            let left = values(of: change)
            if !left.isEmpty {
                line +=
                    "  "
                    + left.map { "\($0.name) = \($0.value?.shortText ?? Cell.hiddenText)" }
                    .joined(separator: ", ")
            }
            return line
        }
        return ([head] + lines).map { PlainLine($0).text + "\n" }.joined()
    }

    func json(_ transaction: PersistentHistoryTransaction) -> String {
        func text(_ value: String?) -> String { value.map(JSONText.quoted) ?? "null" }
        var entries = [
            (name: "transaction", text: String(transaction.transactionNumber)),
            (name: "token", text: text(transaction.token.description)),
            (name: "timestamp", text: text(Timestamp.text(transaction.timestamp))),
            (name: "author", text: text(transaction.author)),
            (name: "contextName", text: text(transaction.contextName)),
            (name: "bundleID", text: text(transaction.bundleID)),
            (name: "processID", text: text(transaction.processID)),
        ]
        if let changes = transaction.changes {
            entries.append((name: "changes", text: JSONText.array(changes.map(json))))
        }
        return JSONText.object(entries) + "\n"
    }

    private func json(_ change: PersistentHistoryChange) -> String {
        var entries = [
            (name: "change", text: String(change.changeID)),
            (name: "type", text: JSONText.quoted("\(change.changeType)")),
            (
                name: "object",
                text: JSONText.quoted(change.changedObjectID.uriRepresentation.absoluteString)
            ),
        ]
        if let properties = change.updatedProperties {
            let names = sorted(properties).map(JSONText.quoted)
            entries.append((name: "properties", text: JSONText.array(names)))
        }
        if change.tombstone != nil {
            let left = values(of: change).map { name, value in
                (name: name, text: value.map(JSONText.text) ?? JSONText.quoted(Cell.hiddenText))
            }
            entries.append((name: "values", text: JSONText.object(left)))
        }
        return JSONText.object(entries)
    }

    /// The values of a tombstone by name; nil for hidden values.
    private func values(
        of change: PersistentHistoryChange
    ) -> [(name: String, value: StoredValue?)] {
        let entity = model.entity(of: change.changedObjectID)
        return sorted((change.tombstone ?? [:]).keys).map { name in
            let value = change.tombstone?[name]
            guard case .attribute(let attribute)? = entity?.property(named: name),
                attribute.isConfidential, !showsConfidential, value?.isNull == false
            else { return (name, value) }
            return (name, nil)
        }
    }

    private func sorted(_ names: some Sequence<String>) -> [String] {
        names.sorted { StoredText($0) < StoredText($1) }
    }
}
