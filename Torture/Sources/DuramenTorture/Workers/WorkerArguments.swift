import Duramen

/// What a worker was told: `name=value` after the worker's name.
struct WorkerArguments {
    private var values: [String: String] = [:]

    init(_ words: some Sequence<String>) {
        for word in words {
            guard let place = word.firstIndex(of: "=") else { continue }
            values[String(word[..<place])] = String(word[word.index(after: place)...])
        }
    }

    func text(_ name: String) throws -> String {
        guard let value = values[name] else { throw TortureError("a worker needs \(name)=…") }
        return value
    }

    func number(_ name: String, default value: Int) -> Int {
        values[name].flatMap { Int($0) } ?? value
    }

    var kind: StoreKind {
        get throws {
            let name = try text("store")
            guard let kind = StoreKind.named(name) else {
                throw TortureError("no store is named '\(name)'")
            }
            return kind
        }
    }

    /// How a store is to be opened.
    func description(in folder: String) throws -> PersistentStoreDescription {
        let durability = values["durability"].flatMap { Durability(rawValue: $0) }
        let milliseconds = number("timeout-milliseconds", default: 5_000)
        return try kind.description(
            in: folder, durability: durability ?? .full,
            timeoutSeconds: Double(milliseconds) / 1_000)
    }

    /// Opens the bank in the folder of the arguments.
    func openBank() throws -> PersistentContainer {
        try PersistentContainer.open(
            model: BankModel.make(), stores: [description(in: text("folder"))])
    }
}
