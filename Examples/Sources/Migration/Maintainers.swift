import DebianPackages
import Duramen

/// Three versions of a model of maintainers, whose changes need code. A name is split. An address
/// becomes unique although many maintainers share one. The address becomes a composite.
enum Maintainers {
    /// One object for each package, with what stands there.
    static func first() throws -> ManagedObjectModel {
        try model("2.0", [text("name"), text("email")])
    }

    /// The name in two parts, and each address once.
    static func second() throws -> ManagedObjectModel {
        try model(
            "2.1", [text("firstName", isOptional: false), text("lastName"), text("email")],
            unique: [["email"]])
    }

    /// The address in two parts.
    static func third() throws -> ManagedObjectModel {
        var address = AttributeDescription("address", .composite, isOptional: true)
        address.elements = [text("mailbox"), text("host")]
        return try model(
            "2.2", [text("firstName", isOptional: false), text("lastName"), address],
            unique: [["address.mailbox", "address.host"]])
    }

    /// The stages for stores of the first two versions. A program keeps them as long as such stores
    /// may exist.
    static func stages() throws -> StagedMigrationManager {
        var split = CustomMigrationStage(
            migratingFrom: ManagedObjectModelReference(model: try first()),
            to: ManagedObjectModelReference(model: try second()))
        split.label = "Split names, join maintainers"
        split.steps = [
            .transform("Maintainer", reading: ["name"], writing: ["firstName", "lastName"]) {
                old, new in
                let name: String = old["name"] ?? ""
                let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
                new["firstName"] = parts.first ?? "?"
                new["lastName"] = parts.dropFirst().first
            },
            // The packages of deleted maintainers move to the kept maintainer.
            .deduplicate("Maintainer", by: ["email"], keep: .oldest),
        ]
        var address = CustomMigrationStage(
            migratingFrom: ManagedObjectModelReference(model: try second()),
            to: ManagedObjectModelReference(model: try third()))
        address.label = "Addresses in two parts"
        address.steps = [
            .transform(
                "Maintainer", reading: ["email"], writing: ["address.mailbox", "address.host"]
            ) { old, new in
                let email: String = old["email"] ?? ""
                let parts = email.split(separator: "@", maxSplits: 1).map(String.init)
                new["address.mailbox"] = parts.first
                new["address.host"] = parts.dropFirst().first
            }
        ]
        return try StagedMigrationManager([split, address])
    }

    private static func text(_ name: String, isOptional: Bool = true) -> AttributeDescription {
        AttributeDescription(name, .string, isOptional: isOptional)
    }

    private static func model(
        _ version: String, _ attributes: [AttributeDescription], unique: [[String]] = []
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            [
                EntityDescription(
                    name: "Maintainer", attributes: attributes,
                    relationships: [.toMany("packages", destination: "Package")],
                    uniquenessConstraints: unique),
                EntityDescription(
                    name: "Package", attributes: [text("name")],
                    relationships: [
                        .toOne("maintainer", destination: "Maintainer", inverse: "packages")
                    ]),
            ], versionIdentifiers: [version])
    }
}

/// Migrates a store from the first to the last of these versions.
struct StagedJourney {
    let description: PersistentStoreDescription

    @MainActor func run(_ packages: some Sequence<PackageReader.Entry>) async throws {
        try await fill(packages)
        let model = try Maintainers.third()
        let staged = description.migrating(with: try Maintainers.stages())
        // The plan first, then a trial on a copy, then the migration.
        let plan = try MigrationPlanner(model: model).plan(for: staged)
        print(plan)
        let trial = try plan.dryRun()
        print("on a copy \(trial.rows["Maintainer"] ?? 0) maintainers are left\n")
        let container = try await PersistentContainer(model: model, stores: [staged])
        let context = container.viewContext
        print("version 2.2: \(try Journey.counts(context, model))")
        var request = FetchRequest<ManagedObject>(entityName: "Maintainer")
        request.sortDescriptors = [
            FetchSortDescriptor("lastName"), FetchSortDescriptor("firstName"),
        ]
        request.fetchLimit = 3
        for maintainer in try context.fetch(request) { print("  \(try line(maintainer))") }
        try container.close()
    }

    private func line(_ maintainer: ManagedObject) throws -> String {
        let names = ["firstName", "lastName", "address.mailbox", "address.host"]
        let values = try names.map { try maintainer.value(forKey: $0) as? String ?? "-" }
        let packages = try maintainer.value(forKey: "packages") as? [ManagedObject] ?? []
        return
            "\(values[0]) | \(values[1]) | \(values[2])@\(values[3]), packages: \(packages.count)"
    }

    /// The first version, which makes a maintainer for each package.
    @MainActor private func fill(_ packages: some Sequence<PackageReader.Entry>) async throws {
        let model = try Maintainers.first()
        let container = try await PersistentContainer(model: model, stores: [description])
        let context = container.viewContext
        guard let package = model.entity(named: "Package"),
            let maintainer = model.entity(named: "Maintainer")
        else { return }
        for case .package(let stanza) in packages {
            let object = ManagedObject(entity: package, context: context)
            try object.setValue(stanza.name, forKey: "name")
            guard let contact = stanza.maintainer else { continue }
            let person = ManagedObject(entity: maintainer, context: context)
            try person.setValue(contact.name, forKey: "name")
            try person.setValue(contact.address, forKey: "email")
            try object.setValue(person, forKey: "maintainer")
        }
        try context.save()
        print("version 2.0: \(try Journey.counts(context, model))\n")
        try container.close()
    }
}
