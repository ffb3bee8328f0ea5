// A generic job returns something that need not be Sendable.
// expected: type 'J\.Out' does not conform to the 'Sendable' protocol

import Duramen

#if TWIN
private protocol Job: Sendable { associatedtype Out: Sendable; func run(_ c: ManagedObjectContext) throws -> Out }
#else
private protocol Job: Sendable { associatedtype Out; func run(_ c: ManagedObjectContext) throws -> Out }
#endif
extension BackgroundContext {
  fileprivate func run<J: Job>(_ j: J) async throws -> J.Out { try await perform { try j.run($0) } }
}
