import SwiftSyntax

/// Finds the hooks of `ManagedObject` that a class overrides. Overrides are not permitted in
/// extensions, so all of them are in the class's own declaration.
enum OverriddenHooks {
    /// The names of bits in `LifecycleHooks` by the names of methods, if they differ.
    private static let bits = [
        "awake": "awakeFromSnapshotEvents", "willTurnIntoFault": "turnIntoFault",
        "didTurnIntoFault": "turnIntoFault",
    ]
    private static let methods: Set<String> = [
        "awake", "awakeFromFetch", "awakeFromInsert", "didSave", "didTurnIntoFault",
        "prepareForDeletion", "validateForDelete", "validateForInsert", "validateForUpdate",
        "willSave", "willTurnIntoFault",
    ]

    /// Returns the names of bits, in alphabetical order.
    static func bits(of members: MemberBlockItemListSyntax) -> [String] {
        Set(names(in: members).filter(methods.contains).map { bits[$0] ?? $0 }).sorted()
    }

    /// Returns the names of all overriding methods, including those in `#if` clauses.
    private static func names(in members: MemberBlockItemListSyntax) -> [String] {
        members.flatMap { member -> [String] in
            if let function = member.decl.as(FunctionDeclSyntax.self) {
                let isOverride = function.modifiers.contains { $0.name.text == "override" }
                return isOverride ? [function.name.text] : []
            }
            let clauses = member.decl.as(IfConfigDeclSyntax.self)?.clauses
            return (clauses.map(Array.init) ?? []).flatMap { clause in
                guard case .decls(let members) = clause.elements else { return [String]() }
                return names(in: members)
            }
        }
    }
}
