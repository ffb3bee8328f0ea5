import SwiftSyntax
import SwiftSyntaxBuilder

/// Writes the members that `@Managed` adds to a class.
///
/// The members are `nonisolated` regardless of the module's default isolation, like the members
/// that they override. A class that the default isolates to the main actor then has a single error,
/// at the class itself.
struct MemberGenerator {
    let managed: ManagedClass

    var members: [DeclSyntax] {
        var members = [layout, entityName, EntityGenerator(managed: managed).entityDescription]
        if usesRootedNames { members.append(propertyNames) }
        members += [keyPaths, propertyName]
        if !managed.memberNames.contains("overriddenHooks") { members.append(overriddenHooks) }
        if managed.needsRequiredInitializer { members.append(requiredInitializer) }
        return members + ValuesGenerator(managed: managed).members
    }

    private var layout: DeclSyntax {
        let counts = [
            ("slots", managed.slots.placeCount), ("toManys", managed.toManys.placeCount),
            ("transients", managed.transients.placeCount),
        ]
        let arguments = counts.map { name, own in
            let inherited = managed.superclass.map { "\($0.layoutReference).\(name) &+ " } ?? ""
            return "\(name): \(inherited)\(own)"
        }
        return """
            nonisolated \(raw: managed.access)static var managedLayout_\(raw: managed.name): ManagedLayout {
                ManagedLayout(\(raw: arguments.joined(separator: ", ")))
            }
            """
    }

    // Written for every class: a subclass must not inherit the name that its superclass overrides.
    private var entityName: DeclSyntax {
        """
        nonisolated \(raw: managed.overridableAccess)override class var entityName: String {
            \(raw: quoted(managed.entityName))
        }
        """
    }

    // MARK: - Key paths

    // `\Derived.code` and `\Base.code` are different keys, although they name one property. So a
    // class that can have subclasses lists its key paths for any root below it. Each class keeps
    // one table with all its properties, including inherited ones, for its own root.
    private var usesRootedNames: Bool { !managed.isFinal }

    private var propertyNames: DeclSyntax {
        let name = managed.name
        return """
            nonisolated \(raw: managed.access)static func managedPropertyNames_\(raw: name)<Root: \(raw: name)>(
                rootedAt root: Root.Type
            ) -> [AnyKeyPath: String] {
                \(raw: names(root: "Root", metatype: "root"))
            }
            """
    }

    private var keyPaths: DeclSyntax {
        let name = managed.name
        let names =
            usesRootedNames
            ? "managedPropertyNames_\(name)(rootedAt: \(name).self)"
            : names(root: name, metatype: "\(name).self")
        return """
            nonisolated private static let managedKeyPaths_\(raw: name) = ManagedKeyPaths(
                \(raw: names)
            )
            """
    }

    private func names(root: String, metatype: String) -> String {
        // Key paths to isolated properties would cause further errors for one mistake.
        let pairs = (managed.isIsolated ? [] : managed.properties).map {
            "\\\(root).\($0.identifier.text): \(quoted($0.name))"
        }
        let own = pairs.isEmpty ? "[:]" : "[\(pairs.joined(separator: ", "))]"
        guard let superclass = managed.superclass else { return own }
        let inherited = "\(superclass.propertyNamesReference)(rootedAt: \(metatype))"
        return pairs.isEmpty ? inherited : "\(inherited).merging(\(own)) { _, own in own }"
    }

    private var propertyName: DeclSyntax {
        """
        nonisolated \(raw: managed.overridableAccess)override class func propertyName(for keyPath: AnyKeyPath) -> String? {
            managedKeyPaths_\(raw: managed.name)[keyPath] ?? super.propertyName(for: keyPath)
        }
        """
    }

    // A class without this member would have all hooks called for each of its objects.
    private var overriddenHooks: DeclSyntax {
        let own = "[\(managed.hooks.map { ".\($0)" }.joined(separator: ", "))]"
        let all =
            managed.superclass.map {
                "LifecycleHooks(\(own)).union(super.overriddenHooks(of: \($0.metatype)))"
            } ?? own
        return """
            nonisolated \(raw: managed.overridableAccess)override class func overriddenHooks(of type: ManagedObject.Type) -> LifecycleHooks {
                type == \(raw: managed.name).self ? \(raw: all) : super.overriddenHooks(of: type)
            }
            """
    }

    private var requiredInitializer: DeclSyntax {
        """
        nonisolated \(raw: managed.access)required init(_ registration: ManagedObjectRegistration) {
            super.init(registration)
        }
        """
    }
}
