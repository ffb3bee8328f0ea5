import Duramen
import DuramenTestKit

/// Lists of numbers that many processes read and append to.
///
/// A transaction works on a few lists of a window, and windows move on with the work, so that lists
/// stay short and everybody meets everybody.
struct Lists: Sendable {
    static let perWindow = 5

    /// How many windows there are.
    let windows: Int

    /// Enough lists for so many transactions.
    init(transactions: Int) { windows = max(1, transactions / 250) }

    var count: Int { windows * Self.perWindow }

    /// The lists that are worked on when a part of the work is done.
    func window(done: Int, of total: Int) -> Range<Int> {
        let first = min(done * windows / max(1, total), windows - 1) * Self.perWindow
        return first..<(first + Self.perWindow)
    }

    static func makeModel() throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(
                name: "List",
                attributes: [
                    AttributeDescription("number", .integer64),
                    AttributeDescription("elements", .string),
                ],
                uniquenessConstraints: [["number"]])
        ])
    }

    /// Makes the lists, in one save.
    func make(in context: ManagedObjectContext) throws {
        for number in 0..<count {
            let list = try context.insert("List")
            try list.setValue(number, forKey: "number")
            try list.setValue("", forKey: "elements")
        }
        try context.save()
    }

    /// Reads all lists at once.
    func all(in context: ManagedObjectContext) throws -> [Int: [Int]] {
        var lists: [Int: [Int]] = [:]
        for list in try context.fetch(.all("List")) {
            lists[try list.integer("number")] = try Self.elements(of: list)
        }
        guard lists.count == count else { throw Unsound("\(lists.count) lists of \(count)") }
        return lists
    }

    static func elements(of list: ManagedObject) throws -> [Int] {
        guard let text = try list.value(forKey: "elements") as? String else {
            throw Unsound("a list has no elements")
        }
        return try text.split(separator: ",").map { word in
            guard let number = Int(word) else { throw Unsound("'\(word)' is no number") }
            return number
        }
    }

    static func append(_ number: Int, to list: ManagedObject) throws {
        let elements = try elements(of: list) + [number]
        try list.setValue(
            elements.map(String.init).joined(separator: ","), forKey: "elements")
    }
}
