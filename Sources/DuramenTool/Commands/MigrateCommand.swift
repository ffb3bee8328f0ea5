import ArgumentParser
import DuramenModel
import DuramenStore
import Foundation

/// `duramen migrate`
struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Shows what becomes of a store in another version of its model, and does it.",
        discussion: """
            Compares the model that the store keeps with another one. Prints filled-in values, lost values, \
            and decisions that you have to make first. Nothing is changed without --execute. Exits with 0 when there is nothing to do or all was done, with 2 when \
            something has to be decided first.
            """)

    /// The data that may be lost.
    enum Loss: String, ExpressibleByArgument, CaseIterable {
        case none, declared, all
    }

    /// When a backup is kept.
    enum Backup: String, ExpressibleByArgument, CaseIterable {
        case never, lossy, always

        var policy: MigrationPolicy.Backup {
            switch self {
            case .never: .never
            case .lossy: .whenLossy
            case .always: .always
            }
        }
    }

    /// Which of several objects is kept.
    enum Keep: String, ExpressibleByArgument, CaseIterable {
        case oldest, newest
    }

    @Argument(help: "A path, 'sqlite:PATH', 'lmdb:PATH' or 'postgres://HOST/DATABASE'.")
    var store: String

    @Option(
        help: .init(
            "The model to migrate to: a model file, a frozen version such as 'Models/1.1.duramenmodel', or another store. "
                + "'Library.xcdatamodeld:VERSION' names a version other than the current one.",
            valueName: "model"))
    var to: String?

    @Flag(
        help: .init(
            "Instead of migrating, add the tables and columns that an SQLite store lacks of its own model. They "
                + "are empty."))
    var repairSchema = false

    @Flag(help: "Try it on a copy beside the store, which is taken away again.")
    var dryRun = false

    @Flag(help: "Change the store.")
    var execute = false

    @Flag(help: "Print JSON.")
    var json = false

    @Option(
        help: .init(
            "The data that may be lost: none, data that the new model clearly leaves out, or also data that may "
                + "only have been renamed."))
    var allowLoss = Loss.declared

    @Option(
        help: .init(
            "A value for an attribute that is mandatory now and has no default.",
            valueName: "Entity.attribute=VALUE"))
    var fill: [String] = []

    @Option(
        help: .init(
            "Attributes that are unique in the new model: of several objects that share their values one stays.",
            valueName: "Entity.attribute[,attribute]"))
    var unique: [String] = []

    @Option(help: "Which of the objects that share values stays.")
    var keep: Keep?

    @Option(
        help: .init(
            "When a copy of the store is kept beside it: never, when something may be lost that may only have "
                + "been renamed, or always."))
    var backup = Backup.lossy

    @Flag(help: "Decode all encoded values first, as far as the program knows their types.")
    var checkValues = false

    func validate() throws {
        if (to == nil) != repairSchema {
            throw ValidationError("Give '--to', or '--repair-schema' alone.")
        }
        if dryRun, execute { throw ValidationError("Give '--dry-run' or '--execute', not both.") }
        if let unique = unique.first(where: { unique in
            let parts = unique.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count != 2 || parts.contains(where: \.isEmpty)
        }) {
            throw ValidationError(
                "'--unique \(unique)' is not of the form 'Entity.attribute' or 'Entity.attribute,attribute'."
            )
        }
        if unique.isEmpty != (keep == nil) {
            throw ValidationError("Give '--unique' and '--keep' together.")
        }
        if let fill = fill.first(where: { !$0.contains("=") || !$0.contains(".") }) {
            throw ValidationError("'--fill \(fill)' is not of the form 'Entity.attribute=VALUE'.")
        }
    }

    /// The steps that the arguments request.
    private var steps: [MigrationStep] {
        unique.map { unique in
            let parts = unique.split(separator: ".", maxSplits: 1).map(String.init)
            return .deduplicate(
                parts[0], by: parts[1].split(separator: ",").map(String.init),
                keep: keep == .newest ? .newest : .oldest)
        }
    }

    func run() throws {
        do throws(StoreError) {
            let named = NamedStore(store)
            try named.checkPresent()
            guard let to else { return try repair(named) }
            let model = try NamedModel(to).model()
            let planner = MigrationPlanner(model: model, policy: try policy(model))
            let plan = try planner.plan(for: staged(named, model))
            let survey = try MigrationSurvey(of: plan)
            let report = MigrationText(plan: plan, survey: survey)
            if json { Screen.print(json: try report.json) } else { Screen.print(report.lines) }
            if !plan.refusals.isEmpty { throw StoreError(.notInferable, "") }
            if plan.isEmpty { return }
            if dryRun {
                let trial = try plan.dryRun()
                if !json {
                    Screen.print(
                        "a copy was migrated in \(String(format: "%.2f", trial.seconds)) s")
                    for (entity, count) in trial.rows.sorted(by: { $0.key < $1.key })
                    where survey.rows[entity] != count {
                        Screen.print("  \(entity): \(count) objects")
                    }
                }
            }
            if execute {
                let backup = try plan.execute()
                if !json {
                    if let backup { Screen.print("copy kept at \(backup.location)") }
                    Screen.print("done")
                }
            }
        } catch {
            if error.code == .notInferable, error.message.isEmpty { throw ExitCode(2) }
            throw StoreFailure(error)
        }
    }

    /// The store, with one stage for the requested steps.
    private func staged(
        _ named: NamedStore, _ model: ManagedObjectModel
    ) throws(StoreError) -> PersistentStoreDescription {
        if steps.isEmpty { return try named.description }
        var stage = CustomMigrationStage(
            migratingFrom: ManagedObjectModelReference(model: try named.storedModel()),
            to: ManagedObjectModelReference(model: model))
        stage.label = steps.count == 1 ? "one of those that share values stays" : nil
        stage.steps = steps
        return try named.description.migrating(with: StagedMigrationManager([stage]))
    }

    /// Adds missing tables and columns to a store.
    private func repair(_ named: NamedStore) throws(StoreError) {
        let added = try named.repairSchema()
        if json { return Screen.print(json: JSONText.array(added.map(JSONText.quoted))) }
        Screen.print(
            added.isEmpty ? ["nothing is missing"] : added.map { "added \($0), which is empty" })
    }

    // MARK: - Arguments

    private func policy(_ model: ManagedObjectModel) throws(StoreError) -> MigrationPolicy {
        var policy = MigrationPolicy()
        policy.backup = backup.policy
        policy.checksEncodedValues = checkValues
        policy.loss = MigrationPolicy.Loss(rawValue: allowLoss.rawValue) ?? .declared
        for fill in fill {
            let parts = fill.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let path = String(parts[0])
            let names = path.split(separator: ".", maxSplits: 1).map(String.init)
            guard names.count == 2, let entity = model.entity(named: names[0]),
                case .attribute(let attribute)? = entity.property(named: names[1])
            else {
                throw StoreError(
                    .invalidRequest, "The new model has no attribute '\(path)'; correct '--fill'.")
            }
            guard let value = Self.value(String(parts[1]), attribute.type) else {
                throw StoreError(
                    .invalidRequest,
                    "'--fill \(path)' needs a value of type \(attribute.type); correct it.")
            }
            policy.fills[path] = value
        }
        return policy
    }

    /// Parses a value; nil if the text does not have the type.
    private static func value(_ text: String, _ type: AttributeType) -> StoredValue? {
        switch type {
        case .string: .text(StoredText(text))
        case .uri: .uri(StoredText(text))
        case .boolean: Bool(text).map { .boolean($0) }
        case .double, .float: Double(text).flatMap { $0.isNaN ? nil : .double($0) }
        case .decimal:
            Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map { .decimal($0) }
        case .uuid: UUID(uuidString: text).map { .uuid($0) }
        case .date: (try? Date(text, strategy: .iso8601)).map { .date($0) }
        case .integer16: Int16(text).map { .integer(Int64($0)) }
        case .integer32: Int32(text).map { .integer(Int64($0)) }
        case .integer64: Int64(text).map { .integer($0) }
        default: nil
        }
    }
}
