// A generic cast makes an object one of any Sendable.
// stops: was used outside of

import Duramen

private func cast<T>(_ value: Any, to type: T.Type = T.self) -> T { value as! T }

func gapGenericCastToSendable(_ world: World) async throws {
    let value: any Sendable = try await world.background.perform { context in
        cast(try context.anyQuake(), to: (any Sendable).self)
    }
    (value as? Quake)?.note = "outside"
}
