import Duramen
import Foundation

/// Makes a store, copies it to a backup, or puts a backup in its place.
///
///     made                     the store is there
///     done                     the copy, or the store that was replaced, is whole
///     failed CODE              a typed error
///     wrong TEXT               an error that no documentation knows
///     store STATE backup STATE what is there: none, or what it holds
struct BackupWorker {
    private let arguments: WorkerArguments

    init(_ arguments: WorkerArguments) { self.arguments = arguments }

    private static let itemCount = 200

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(
                name: "Item",
                attributes: [
                    AttributeDescription("number", .integer64),
                    AttributeDescription("name", .string),
                    AttributeDescription(
                        "portrait", .binaryData, isOptional: true,
                        allowsExternalBinaryDataStorage: true),
                ], uniquenessConstraints: [["number"]])
        ])
    }

    func run() throws {
        let store = try arguments.description(in: arguments.text("folder"))
        var backup = store
        backup.location += ".backup"
        switch try arguments.text("step") {
        case "make":
            try fill(store, word: "old")
            // A restored store differs from the one before.
            try store.backUp(to: backup.location)
            try fill(store, word: "new")
            if arguments.number("free", default: 0) == 1 { try backup.destroyStore() }
            Output.say("made")
        case "backup": try answer { try store.backUp(to: backup.location) }
        case "restore": try answer { try store.replaceStore(with: backup) }
        default:
            Output.say("store \(try state(of: store)) backup \(try state(of: backup))")
        }
    }

    private func answer(_ body: () throws -> Void) throws {
        do {
            try body()
            Output.say("done")
        } catch {
            Output.say(TypedError.answer(error, "failed"))
        }
    }

    private func fill(_ store: PersistentStoreDescription, word: String) throws {
        let container = try PersistentContainer.open(model: Self.model(), stores: [store])
        let context = container.makeContext()
        for item in try context.fetch(FetchRequest<ManagedObject>(entityName: "Item")) {
            context.delete(item)
        }
        try context.save()
        for number in 0..<Self.itemCount {
            let item = try context.insert("Item")
            try item.setValue(number, forKey: "number")
            try item.setValue("\(word) \(number)", forKey: "name")
            if number % 20 == 0 {
                try item.setValue(
                    Data(repeating: UInt8(number), count: Bank.largestInlinePortrait * 2),
                    forKey: "portrait")
            }
        }
        try context.save()
        try container.close()
    }

    /// What a store holds: `none`, `old` or `new`, or a sentence that says what is wrong.
    private func state(of store: PersistentStoreDescription) throws -> String {
        guard FileManager.default.fileExists(atPath: store.location) else { return "none" }
        let findings = try store.verifyStore(model: Self.model())
        if let first = findings.first { return "wrong:\(first)" }
        let container = try PersistentContainer.open(
            model: Self.model(), stores: [store.readOnly()])
        defer { try? container.close() }
        let context = container.makeContext()
        var words: Set<String> = []
        var count = 0
        for item in try context.fetch(FetchRequest<ManagedObject>(entityName: "Item")) {
            let name = try item.value(forKey: "name") as? String ?? ""
            words.insert(String(name.prefix(3)))
            _ = try item.value(forKey: "portrait")
            count += 1
        }
        guard words.count == 1, count == Self.itemCount, let word = words.first else {
            return "wrong:\(count)-objects-\(words.sorted())"
        }
        return word
    }
}
