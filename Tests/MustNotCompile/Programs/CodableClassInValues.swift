// Values have an attribute of a class that is not Sendable.
// expected: stored property 'meta' of 'Sendable'-conforming struct 'Values' contains non-Sendable type|type 'Meta' does not conform to the 'Sendable' protocol

import Duramen
import DuramenMacros

#if TWIN
private struct Meta: Codable { var n = 0 }
#else
private final class Meta: Codable { var n = 0 }
#endif
@Managed private final class Wave: ManagedObject { @Attribute(.codable("Meta")) var meta: Meta? }
private func f(_ b: BackgroundContext) async throws {
    let v = try await b.perform { try $0.fetch(FetchRequest<Wave>()).map(\.values) }; print(v)
}
