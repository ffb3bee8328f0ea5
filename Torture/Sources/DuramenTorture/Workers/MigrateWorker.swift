import Duramen
import Foundation

/// Makes a store of version 1 of a model, or opens one with version 2, which migrates it.
///
///     made                     the store is there
///     ready                    the word of the parent begins the race
///     begin                    it is about to be opened with version 2
///     migrated                 it was
///     writing                  it is about to save
///     written COUNT            so many objects were saved with version 1, until that was over
///     failed CODE              a typed error
///     wrong TEXT               an error that no documentation knows
///     version NUMBER SUM       what an audit found
///     changes COUNT            how often the audited store's model was changed
///     copies COUNT             how many copies of version 1 were kept
///     done                     the store is closed
struct MigrateWorker {
    let arguments: WorkerArguments

    private var rows: Int { arguments.number("rows", default: 3_000) }

    /// Names change, values are filled and converted, a column goes, an entity goes, pairs are
    /// made.
    static func model(_ version: Int) throws -> ManagedObjectModel {
        let item = EntityDescription(
            name: version == 1 ? "Item" : "Thing", renamingIdentifier: version == 1 ? nil : "Item",
            attributes: [
                AttributeDescription(
                    version == 1 ? "label" : "name", .string, isOptional: true,
                    renamingIdentifier: version == 1 ? nil : "label"),
                AttributeDescription(
                    "number", version == 1 ? .integer64 : .double,
                    isOptional: version == 1, default: version == 1 ? .null : .double(1)),
                version == 1
                    ? AttributeDescription("note", .string, isOptional: true)
                    : AttributeDescription("stars", .integer16, default: .integer(5)),
                AttributeDescription(
                    "photo", .binaryData, isOptional: true, allowsExternalBinaryDataStorage: true),
            ],
            relationships: [
                version == 1
                    ? .toOne("group", destination: "Group", inverse: "items")
                    : .toMany("group", destination: "Group", inverse: "items")
            ])
        let group = EntityDescription(
            name: "Group",
            attributes: [AttributeDescription("name", .string, isOptional: true)],
            relationships: [
                .toMany("items", destination: version == 1 ? "Item" : "Thing", inverse: "group")
            ])
        let gone = EntityDescription(
            name: "Gone", attributes: [AttributeDescription("x", .integer64, isOptional: true)])
        return try ManagedObjectModel(version == 1 ? [item, group, gone] : [item, group])
    }

    func run() throws {
        let description = try arguments.description(in: arguments.text("folder"))
        switch try arguments.text("step") {
        case "make":
            try fill(description)
            Output.say("made")
        case "migrate":
            do {
                try migrate(description)
                Output.say("done")
            } catch {
                Output.say(TypedError.answer(error, "failed"))
            }
        case "write": try write(description)
        default:
            // Whichever version the store is of opens it.
            for version in [1, 2] {
                guard
                    let container = try? PersistentContainer.open(
                        model: Self.model(version), stores: [description.withoutMigration()])
                else { continue }
                let found = try sum(container, version)
                try container.close()
                let metadata = try description.type.metadata(of: description)
                Output.say("changes \(metadata.migrations.count)")
                Output.say("copies \(try copies(of: description))")
                Output.say("version \(version) \(found)")
                return
            }
            Output.say("wrong audit no version opens the store")
        }
    }

    /// How many copies are whole that were kept of version 1.
    private func copies(of description: PersistentStoreDescription) throws -> Int {
        try description.migrationBackups.count { copy in
            let container = try PersistentContainer.open(
                model: Self.model(1), stores: [copy.readOnly()])
            defer { try? container.close() }
            _ = try sum(container, 1)
            return true
        }
    }

    private func migrate(_ description: PersistentStoreDescription) throws {
        waitIfAsked()
        Output.say("begin")
        var policy = MigrationPolicy()
        policy.loss = .all
        policy.backup =
            MigrationPolicy.Backup(rawValue: (try? arguments.text("backup")) ?? "") ?? .never
        policy.timeoutSeconds = Double(arguments.number("patience", default: 600))
        var migrating = description.migrating(policy)
        if arguments.number("stages", default: 0) == 1 {
            migrating.stagedMigrationManager = try Self.stages()
        }
        let container = try PersistentContainer.open(model: Self.model(2), stores: [migrating])
        Output.say("migrated")
        try container.close()
    }

    /// The same change with work of a program in between: rows are written twice, by rows and by
    /// objects.
    private static func stages() throws -> StagedMigrationManager {
        var stage = CustomMigrationStage(
            migratingFrom: ManagedObjectModelReference(model: try model(1)),
            to: ManagedObjectModelReference(model: try model(2)))
        stage.steps = [
            .fill("Item", "stars", with: .integer(7)),
            .run("Count stars") { migration in
                try migration.forEachObject(of: "Item") { item in
                    try item.setValue(Int16(5), forKey: "stars")
                }
            },
        ]
        return try StagedMigrationManager([stage])
    }

    private func waitIfAsked() {
        if arguments.number("waits", default: 0) == 0 { return }
        Output.say("ready")
        _ = readLine()
    }

    /// Saves with version 1 for as long as that goes.
    private func write(_ description: PersistentStoreDescription) throws {
        let model = try Self.model(1)
        guard let item = model.entity(named: "Item") else { return }
        let container = try PersistentContainer.open(
            model: model, stores: [description.withoutMigration()])
        let context = container.makeContext()
        Output.say("writing")
        var count = 0
        do {
            while true {
                let object = ManagedObject(entity: item, context: context)
                try object.setValue("late", forKey: "label")
                try object.setValue(Int64(1), forKey: "number")
                try context.save()
                count += 1
            }
        } catch {
            Output.say("written \(count)")
            Output.say(TypedError.answer(error, "failed"))
        }
    }

    private func fill(_ description: PersistentStoreDescription) throws {
        let model = try Self.model(1)
        let container = try PersistentContainer.open(model: model, stores: [description])
        let context = container.makeContext()
        guard let item = model.entity(named: "Item"), let group = model.entity(named: "Group"),
            let gone = model.entity(named: "Gone")
        else { return }
        var groups: [ManagedObject] = []
        for number in 0..<50 {
            let object = ManagedObject(entity: group, context: context)
            try object.setValue("group \(number)", forKey: "name")
            groups.append(object)
            try ManagedObject(entity: gone, context: context)
                .setValue(Int64(number), forKey: "x")
        }
        for number in 0..<rows {
            let object = ManagedObject(entity: item, context: context)
            try object.setValue("item \(number)", forKey: "label")
            if !number.isMultiple(of: 3) {
                try object.setValue(Int64(number), forKey: "number")
            }
            try object.setValue(String(repeating: "n", count: 100), forKey: "note")
            if number < 3 {
                try object.setValue(
                    Data(repeating: UInt8(number), count: 150_000), forKey: "photo")
            }
            if !number.isMultiple(of: 7) {
                try object.setValue(groups[number % 50], forKey: "group")
            }
        }
        try context.save()
        try container.close()
    }

    /// What both versions must say alike.
    private func sum(_ container: PersistentContainer, _ version: Int) throws -> String {
        let context = container.makeContext()
        let name = version == 1 ? "Item" : "Thing"
        let items = try context.fetch(FetchRequest<ManagedObject>(entityName: name))
        var texts = 0
        var numbers = 0
        var bytes = 0
        for item in items {
            bytes += (try item.value(forKey: "photo") as? Data)?.count ?? 0

            let label = try item.value(forKey: version == 1 ? "label" : "name") as? String
            texts += label?.utf8.count ?? 0
            if version == 1 {
                numbers += Int(try item.value(forKey: "number") as? Int64 ?? 1)
            } else {
                numbers += Int(try item.value(forKey: "number") as? Double ?? -1_000_000)
                let stars = try item.value(forKey: "stars") as? Int16
                if stars != 5 { numbers -= 1_000_000 }
            }
        }
        let groups = try context.fetch(FetchRequest<ManagedObject>(entityName: "Group"))
        let pairs = try groups.reduce(0) { count, group in
            let path = try FetchPredicate("ANY group == %@", group.objectID)
            let single = try FetchPredicate("group == %@", group.objectID)
            var request = FetchRequest<ManagedObject>(entityName: name)
            request.predicate = version == 1 ? single : path
            return count + (try context.count(for: request))
        }
        return "\(items.count) \(texts) \(numbers) \(bytes) \(groups.count) \(pairs)"
    }
}
