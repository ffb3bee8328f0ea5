import Duramen

/// A ledger whose entries report every call of a hook to the ``HookScript`` of their context.
enum Ledger {
    static let model: ManagedObjectModel = {
        do {
            return try ManagedObjectModel(Account.self, Entry.self, Transfer.self)
        } catch {
            fatalError("\(error)")
        }
    }()
}

/// What hooks were called, and what they are to do.
// Sound: a script is used in the isolation of its context only.
final class HookScript: @unchecked Sendable {
    var calls: [String] = []
    var actions: [String: (Entry) -> Void] = [:]
    var judgements: [String: (Entry) throws -> Void] = [:]

    /// Forgets the calls, and hands them out.
    func takeCalls() -> [String] {
        defer { calls = [] }
        return calls
    }
}

final class Account: ManagedObject {
    var name: String {
        get { attribute(at: 0) }
        set { setAttribute(newValue, at: 0) }
    }
    var entries: ToMany<Entry> { toMany(at: 0) }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Account", attributes: [.of(String.self, name: "name")],
            relationships: [
                .toMany(
                    "entries", destination: Entry.self, deleteRule: .cascade,
                    inverse: \Entry.account)
            ])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([
        \Account.name: "name", \Account.entries: "entries",
    ])

    // Accounts have no hooks, and say so.
    override class func overriddenHooks(of type: ManagedObject.Type) -> LifecycleHooks {
        type == Account.self ? [] : super.overriddenHooks(of: type)
    }

    override func willSave() { fatalError("Accounts have no hooks.") }
}

class Entry: ManagedObject {
    final var account: Account? {
        get { toOne(at: 0) }
        set { setToOne(newValue, at: 0) }
    }
    final var amount: Int64 {
        get { attribute(at: 1) }
        set { setAttribute(newValue, at: 1) }
    }
    final var note: String? {
        get { attribute(at: 2) }
        set { setAttribute(newValue, at: 2) }
    }
    final var revision: Int64 {
        get { attribute(at: 3) }
        set { setAttribute(newValue, at: 3) }
    }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Entry",
            attributes: [
                .of(Int64.self, name: "amount", default: 7), .of(String?.self, name: "note"),
                .of(Int64.self, name: "revision", default: 0),
            ], relationships: [.toOne("account", destination: Account.self)])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([
        \Entry.account: "account", \Entry.amount: "amount", \Entry.note: "note",
        \Entry.revision: "revision",
    ])

    private func report(_ hook: String, _ detail: String = "") {
        guard let script = managedObjectContext?.userInfo["script"] as? HookScript else { return }
        script.calls.append(detail.isEmpty ? hook : "\(hook) \(detail)")
        script.actions[hook]?(self)
    }

    private func judge(_ hook: String) throws {
        guard let script = managedObjectContext?.userInfo["script"] as? HookScript else { return }
        script.calls.append(hook)
        try script.judgements[hook]?(self)
    }

    override func awakeFromInsert() { report("awakeFromInsert") }
    override func awakeFromFetch() { report("awakeFromFetch") }
    override func awake(fromSnapshotEvents events: SnapshotEvents) {
        let names: [(SnapshotEvents, String)] = [
            (.refresh, "refresh"), (.rollback, "rollback"), (.mergePolicy, "mergePolicy"),
        ]
        report("awake", names.first { $0.0 == events }?.1 ?? "other")
    }
    override func prepareForDeletion() { report("prepareForDeletion") }
    override func willSave() { report("willSave") }
    override func didSave() { report("didSave") }
    override func willTurnIntoFault() { report("willTurnIntoFault") }
    override func didTurnIntoFault() { report("didTurnIntoFault") }
    override func validateForInsert() throws { try judge("validateForInsert") }
    override func validateForUpdate() throws { try judge("validateForUpdate") }
    override func validateForDelete() throws { try judge("validateForDelete") }

    override class var propertyRules: [PropertyRule] {
        [
            PropertyRule(\Entry.amount) { amount, _ in
                if amount < 0 { throw Negative() }
            }
        ]
    }
}

/// What the rule over amounts throws.
struct Negative: Error {}

/// An entry of a class that says which hooks it has: those of its own, and all of its superclass.
final class Transfer: Entry {
    override class var entityDescription: EntityDescription {
        EntityDescription(name: "Transfer", superentity: "Entry")
    }

    override class func overriddenHooks(of type: ManagedObject.Type) -> LifecycleHooks {
        type == Transfer.self ? [.willSave] : super.overriddenHooks(of: type)
    }
}

extension ManagedObjectContext {
    /// A script that the context's entries follow.
    func followScript() -> HookScript {
        let script = HookScript()
        userInfo["script"] = script
        return script
    }

    func insertEntry(_ amount: Int64, in account: Account? = nil) -> Entry {
        let entry = Entry(context: self)
        entry.amount = amount
        entry.account = account
        return entry
    }

    func insertAccount(_ name: String) -> Account {
        let account = Account(context: self)
        account.name = name
        return account
    }
}
