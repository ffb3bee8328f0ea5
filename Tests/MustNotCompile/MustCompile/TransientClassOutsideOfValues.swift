// A transient attribute may have any class: values leave it out.

import Duramen
import DuramenMacros

private final class Meta { var count = 0 }
@Managed private final class Surf: ManagedObject {
    var code: String = ""
    @Attribute(.transient) var meta: Meta?
}
private func codes(_ background: BackgroundContext) async throws -> [String] {
    let values = try await background.perform { try $0.fetch(FetchRequest<Surf>()).map(\.values) }
    return values.map(\.code)
}
