// The context of a background context is attached to somebody else.
// stops: belongs to the actor 'BackgroundContext'

import Duramen

private actor Thief {
    func take(_ background: BackgroundContext) async {
        await background.perform { $0.attach(to: self) }
    }
}

func gapAttachInPerform(_ world: World) async throws { await Thief().take(world.background) }
