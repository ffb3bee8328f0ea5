/// The isolation that a context belongs to, from its first use until its end.
struct ContextOwner {
    /// The address of the actor, which each isolated call is compared with.
    let id: ObjectIdentifier
    private let type: any Actor.Type
    /// Never read. It retains the actor's memory, so that no later actor gets the address.
    private unowned let memory: any Actor

    init(_ actor: any Actor) {
        id = ObjectIdentifier(actor)
        type = Swift.type(of: actor)
        memory = actor
    }

    /// The owner's name in messages.
    var name: String { Self.name(of: type) }

    /// Returns the name of an actor in messages.
    static func name(of type: any Actor.Type) -> String {
        type == MainActor.self ? "the main actor" : "the actor '\(type)'"
    }
}
