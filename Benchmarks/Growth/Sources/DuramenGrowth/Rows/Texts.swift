import Duramen
import Foundation

extension GrowthRow {
    /// Conditions and orders of text.
    static var texts: [GrowthRow] {
        let words = ["Überschwemmungsgebiet", "Ærøskøbing Vandværk", "Größenwahn am Ölberg"]
        return [
            text("contains", "CONTAINS[cd]", "VANDVÆRK", words),
            text("equal", "==[cd]", "ærøskøbing vandværk", words),
            text("like", "LIKE[cd]", "*ØLBERG", words),
        ]
    }

    private static func text(
        _ word: String, _ comparison: String, _ sought: String, _ words: [String]
    ) -> GrowthRow {
        GrowthRow(
            number: "26", word: word, unit: "row", size: 10_000, countedSize: 300,
            must: word == "contains" ? .nanoseconds(250) : nil
        ) { kind, count in
            let workspace = try Workspace(kind)
            var number = 0
            try workspace.fill(0..<count) { _ in
                { item in
                    item.text = words[number % words.count]
                    number += 1
                }
            }
            let context = workspace.makeContext()
            let request = FetchRequest<Item>().where(
                try FetchPredicate(format: "text \(comparison) %@", arguments: [sought]))
            _ = try context.count(for: request)
            return Work(units: count) {
                _ = try context.count(for: request)
                withExtendedLifetime(workspace) {}
            }
        }
    }
}
