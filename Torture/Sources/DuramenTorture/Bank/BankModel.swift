import Duramen
import Foundation

/// The graph that most trials work on: accounts, and a journal with one entry per save.
///
/// Whatever half of a save were lost, an audit would see it: the balances no longer follow from the
/// journal, an account does not know its last entry, or the padding and the portrait that follow
/// from both are wrong. Some portraits stand in files of their own.
enum BankModel {
    static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(
                name: "Account",
                attributes: [
                    AttributeDescription("number", .integer64),
                    AttributeDescription("balance", .integer64),
                    AttributeDescription("lastEntry", .integer64),
                    AttributeDescription("padding", .string),
                    AttributeDescription("portrait", .binaryData, isOptional: true)
                        .externallyStored(),
                ],
                relationships: [
                    .toMany("debits", destination: "Entry", inverse: "source"),
                    .toMany("credits", destination: "Entry", inverse: "destination"),
                ],
                uniquenessConstraints: [["number"]]),
            EntityDescription(
                name: "Entry",
                attributes: [
                    AttributeDescription("number", .integer64),
                    AttributeDescription("attempt", .integer64),
                    AttributeDescription("amount", .integer64),
                    AttributeDescription("note", .string, isOptional: true),
                ],
                relationships: [
                    .toOne("source", destination: "Account"),
                    .toOne("destination", destination: "Account"),
                ],
                uniquenessConstraints: [["number"]]),
        ])
    }
}

/// Access by key, with the types that the models here use.
extension ManagedObject {
    /// - Throws: ``Unsound`` for an object that is not there, to which a damaged reference leads.
    func integer(_ key: String) throws -> Int {
        guard let number = try value(forKey: key) as? Int64 else {
            throw Unsound("\(key) of \(objectID) is no number")
        }
        return Int(number)
    }

    func bytes(_ key: String) throws -> Data? { try value(forKey: key) as? Data }

    func text(_ key: String) throws -> String? { try value(forKey: key) as? String }

    func object(_ key: String) throws -> ManagedObject? { try value(forKey: key) as? ManagedObject }

    func objects(_ key: String) throws -> [ManagedObject] {
        try value(forKey: key) as? [ManagedObject] ?? []
    }
}

extension FetchRequest where Object == ManagedObject {
    /// All objects of an entity.
    static func all(_ entity: String) -> FetchRequest { FetchRequest(entityName: entity) }
}

extension ManagedObjectContext {
    /// Inserts an object of an entity of the context's model.
    func insert(_ entity: String) throws -> ManagedObject {
        let model = persistentStoreCoordinator.managedObjectModel
        guard let entity = model.entity(named: entity) else {
            throw TortureError("the model has no \(entity)")
        }
        return ManagedObject(entity: entity, context: self)
    }
}
