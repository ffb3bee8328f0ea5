/// The isolation that a context belongs to, from its first use until its end.
struct ContextOwner {
    /// Which actor it is: the address that each call from an isolation is compared with.
    let id: ObjectIdentifier
    private let type: any Actor.Type
    /// Never read. It keeps the actor's memory, so that no later actor gets the address.
    private unowned let memory: any Actor

    init(_ actor: any Actor) {
        id = ObjectIdentifier(actor)
        type = Swift.type(of: actor)
        memory = actor
    }

    /// What messages call it.
    var name: String { Self.name(of: type) }

    /// What messages call an actor.
    static func name(of type: any Actor.Type) -> String {
        type == MainActor.self ? "the main actor" : "the actor '\(type)'"
    }
}
