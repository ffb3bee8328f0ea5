import Duramen
import Foundation

/// Saves and reads one object with a blob of many bytes, which stands in its row, and says what
/// memory that took.
///
///     save KIB       the highest resident memory of a save beyond what the process, the blob
///     included, had before
///     read           the blob came back whole: by a fetch, by a sum over the store, and in a
///     conversion
///     refused CODE   a typed error; the store was opened again and is empty
struct LargeWorker {
    let arguments: WorkerArguments

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(
                name: "Blob",
                attributes: [
                    AttributeDescription("name", .string),
                    AttributeDescription("content", .binaryData, isOptional: true),
                ])
        ])
    }

    func run() throws {
        let count = arguments.number("bytes", default: 0)
        let folder = try arguments.text("folder")
        let model = try Self.model()
        let description = try arguments.description(in: folder)
        do {
            let container = try PersistentContainer.open(model: model, stores: [description])
            Output.say("save \(try save(count, container) >> 10)")
            try container.close()
        } catch let error as StoreError {
            Output.say("refused \(error.code.rawValue)")
            try read(description, model) { context in
                let found = try context.count(for: FetchRequest.all("Blob"))
                if found != 0 { throw Unsound("a refused save left \(found) objects") }
            }
            return
        }
        try read(description, model) { context in
            try check(context.fetch(FetchRequest.all("Blob")), count)
        }
        let store = try description.readOnly().open(model: model)
        let copy = try PersistentStoreDescription(
            type: description.type, location: "\(folder)/copy-of-\(arguments.kind.location)"
        ).open(model: model)
        _ = try StoreConversion(from: store, to: copy).run()
        try copy.close()
        try store.close()
        Output.say("read")
    }

    private func save(_ count: Int, _ container: PersistentContainer) throws -> Int {
        try container.newBackgroundContext().performAndWait { context in
            // The first save of a process makes what later ones use.
            try context.insert("Blob").setValue("first", forKey: "name")
            try context.save()
            let first = try context.fetch(FetchRequest.all("Blob"))
            for object in first { context.delete(object) }
            try context.save()
            let blob = try context.insert("Blob")
            try blob.setValue("large", forKey: "name")
            try blob.setValue(Self.bytes(count), forKey: "content")
            let before = try ResidentMemory.restart()
            try context.save()
            return try ResidentMemory.highest() - before
        }
    }

    private func read(
        _ description: PersistentStoreDescription, _ model: ManagedObjectModel,
        _ body: @Sendable (ManagedObjectContext) throws -> Void
    ) throws {
        let container = try PersistentContainer.open(model: model, stores: [description])
        try container.newBackgroundContext().performAndWait { context in try body(context) }
        try container.close()
    }

    private func check(_ objects: [ManagedObject], _ count: Int) throws {
        guard objects.count == 1, try objects[0].bytes("content") == Self.bytes(count) else {
            throw Unsound("the blob of \(count) bytes came back changed")
        }
    }

    private static func bytes(_ count: Int) -> Data { Data(repeating: 0xD7, count: count) }
}

/// What the system says of this process's memory, in bytes; Linux only.
enum ResidentMemory {
    /// Begins to look for the highest anew.
    ///
    /// - Returns: What is resident now.
    static func restart() throws -> Int {
        guard let file = fopen("/proc/self/clear_refs", "w") else {
            throw TortureError("the system does not measure the memory of a process")
        }
        fputs("5", file)
        fclose(file)
        return try number("VmRSS")
    }

    /// The most that was resident since.
    static func highest() throws -> Int { try number("VmHWM") }

    private static func number(_ name: String) throws -> Int {
        let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            .split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix(name + ":") }),
            let kibibytes = Int(line.filter(\.isNumber))
        else { throw TortureError("the system does not say \(name)") }
        return kibibytes << 10
    }
}
