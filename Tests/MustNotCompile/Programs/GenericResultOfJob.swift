// A generic job returns something that need not be Sendable.
// expected: type 'J\.Out' does not conform to the 'Sendable' protocol

import Duramen

private protocol Job: Sendable {
    #if TWIN
    associatedtype Out: Sendable
    #else
    associatedtype Out
    #endif
    func run(_ c: ManagedObjectContext) throws -> Out
}
extension BackgroundContext {
    fileprivate func run<J: Job>(_ j: J) async throws -> J.Out {
        try await perform { try j.run($0) }
    }
}
