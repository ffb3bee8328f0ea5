import Duramen
import Foundation
import Testing

/// Reflection does not reach a context from what may be anywhere.
@Suite struct ReflectionTests {
    /// The types of all that mirrors show of a value.
    private func types(in value: Any, depth: Int = 8) -> Set<String> {
        var found: Set<String> = [String(reflecting: type(of: value))]
        if depth == 0 { return found }
        var mirror: Mirror? = Mirror(reflecting: value)
        while let current = mirror {
            for child in current.children {
                found.formUnion(types(in: child.value, depth: depth - 1))
            }
            mirror = current.superclassMirror
        }
        return found
    }

    @Test(
        "Neither mirrors nor dumps of containers, coordinators, background contexts and operations show one"
    )
    @MainActor func mirrors() async throws {
        let container = try makeContainer()
        _ = container.viewContext.insertQuake("us1")
        let background = container.newBackgroundContext(ContextOptions(name: "import"))
        await background.perform { _ = $0.insertQuake("us2") }
        let operation = ManagedObjectContextOperation(container: container, context: background) {
            _, _ in
        }
        let values: [any Sendable] = [
            container, container.persistentStoreCoordinator, background, operation,
            container.notifications(), container.viewContext.notifications(),
            await background.newChildContext(),
        ]
        for value in values {
            let forbidden = types(in: value).filter {
                $0.hasPrefix("Duramen.ManagedObjectContext") && !$0.contains("Operation")
                    || $0.contains("Unmanaged") || $0.hasSuffix(".Quake")
            }
            #expect(forbidden.isEmpty, "\(type(of: value))")
            var text = ""
            dump(value, to: &text)
            #expect(!text.contains("handle:") && !text.contains("identityMap"))
        }
        #expect(
            String(describing: Mirror(reflecting: background).children.map(\.label)).contains(
                "name"))
    }
}
