// Swift: a closure that is sent to its own actor keeps what it captured, without any object of this
// library.

import Duramen

private final class Plain { var count = 0 }
private actor Owner {
    let plain = Plain()
    func run<R: Sendable>(_ body: sending (Plain) -> R) -> R { body(plain) }
}
private func leak(in owner: isolated Owner) {
    var plain: Plain?
    owner.run { plain = $0 }
    let leaked = plain!
    Task.detached { leaked.count += 1 }
}

func gapIsolatedParameterOfPlainActor(_ world: World) async throws { await leak(in: Owner()) }
