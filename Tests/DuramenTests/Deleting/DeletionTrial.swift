import Duramen
import Foundation

/// One case of the matrix of deletions: two entities and a relationship between them, with a rule
/// at each side.
struct DeletionTrial: CustomStringConvertible {
    enum Kind: String, CaseIterable {
        case oneToOne, ownInverse, toMany, ordered, manyToMany, ownMany
    }
    /// Who deletes: a context, its child, or a child of the context that made the objects.
    enum Place: String, CaseIterable {
        case context, child, parent
    }
    /// Which of the objects is deleted.
    enum Victim: String, CaseIterable {
        case owner, member, both
    }

    let kind: Kind
    let ownerRule: DeleteRule
    let memberRule: DeleteRule
    let isOwnerSaved: Bool
    let areMembersSaved: Bool
    let place: Place
    let victim: Victim
    let isTakenBack: Bool

    var description: String {
        "\(kind), \(ownerRule) and \(memberRule), \(isOwnerSaved ? "saved" : "new") owner, "
            + "\(areMembersSaved ? "saved" : "new") members, \(victim) deleted in a \(place)"
            + (isTakenBack ? " and taken back" : "")
    }

    static let all: [DeletionTrial] = Kind.allCases.flatMap { kind in
        DeleteRule.allCases.flatMap { owner in
            // What is its own inverse has one rule.
            DeleteRule.allCases.filter { !kind.isOwn || $0 == owner }.flatMap { member in
                states(kind, owner, member)
            }
        }
    }

    private static func states(
        _ kind: Kind, _ owner: DeleteRule, _ member: DeleteRule
    ) -> [DeletionTrial] {
        let flags = [false, true]
        return flags.flatMap { isOwnerSaved in
            flags.flatMap { areMembersSaved in
                Place.allCases.flatMap { place in
                    Victim.allCases.flatMap { victim in
                        flags.map { isTakenBack in
                            DeletionTrial(
                                kind: kind, ownerRule: owner, memberRule: member,
                                isOwnerSaved: isOwnerSaved, areMembersSaved: areMembersSaved,
                                place: place, victim: victim, isTakenBack: isTakenBack)
                        }
                    }
                }
            }
        }
    }

    // MARK: - The model

    /// All kinds with all rules, each with entities of its own.
    static let model: ManagedObjectModel = {
        var entities: [EntityDescription] = []
        for kind in Kind.allCases {
            for owner in DeleteRule.allCases {
                for member in DeleteRule.allCases where !kind.isOwn || member == owner {
                    entities += kind.entities(named: name(kind, owner, member), owner, member)
                }
            }
        }
        do {
            return try ManagedObjectModel(entities)
        } catch {
            fatalError("\(error)")
        }
    }()

    private static func name(_ kind: Kind, _ owner: DeleteRule, _ member: DeleteRule) -> String {
        kind.rawValue.prefix(1).uppercased() + kind.rawValue.dropFirst()
            + "\(owner)".capitalized + "\(member)".capitalized
    }

    var ownerEntity: String { Self.name(kind, ownerRule, memberRule) + "Owner" }
    var memberEntity: String { kind.isOwn ? ownerEntity : ownerEntity + "Member" }
    /// The relationship of a member to its owner.
    var back: String { kind.isOwn ? "forth" : "back" }
    var memberCount: Int { kind == .oneToOne || kind == .ownInverse ? 1 : 3 }
}

extension DeletionTrial.Kind {
    /// Whether the relationship is its own inverse.
    var isOwn: Bool { self == .ownInverse || self == .ownMany }

    fileprivate func entities(
        named name: String, _ owner: DeleteRule, _ member: DeleteRule
    ) -> [EntityDescription] {
        let (one, other) = (name + "Owner", name + "OwnerMember")
        let text = AttributeDescription("name", .string, isOptional: true)
        func pair(
            _ forth: RelationshipDescription, _ back: RelationshipDescription
        ) -> [EntityDescription] {
            [
                EntityDescription(name: one, attributes: [text], relationships: [forth]),
                EntityDescription(name: other, attributes: [text], relationships: [back]),
            ]
        }
        switch self {
        case .oneToOne:
            return pair(
                .toOne("forth", destination: other, deleteRule: owner, inverse: "back"),
                .toOne("back", destination: one, deleteRule: member, inverse: "forth"))
        case .toMany, .ordered:
            return pair(
                .toMany(
                    "forth", destination: other, deleteRule: owner, inverse: "back",
                    isOrdered: self == .ordered),
                .toOne("back", destination: one, deleteRule: member, inverse: "forth"))
        case .manyToMany:
            return pair(
                .toMany("forth", destination: other, deleteRule: owner, inverse: "back"),
                .toMany("back", destination: one, deleteRule: member, inverse: "forth"))
        case .ownInverse, .ownMany:
            let forth: RelationshipDescription =
                self == .ownInverse
                ? .toOne("forth", destination: one, deleteRule: owner, inverse: "forth")
                : .toMany("forth", destination: one, deleteRule: owner, inverse: "forth")
            return [EntityDescription(name: one, attributes: [text], relationships: [forth])]
        }
    }
}
