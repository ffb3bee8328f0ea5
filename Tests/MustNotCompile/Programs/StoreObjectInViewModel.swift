// A view model takes over what a background context fetched.
// expected: main actor-isolated .*'quakes?' can not be mutated from a nonisolated context

import Duramen

@MainActor
final class QuakeListModel {
    var quakes: [Quake] = []
    let background: BackgroundContext

    init(background: BackgroundContext) { self.background = background }

    func load() async throws {
        try await background.perform { context in
            let quakes = try context.fetch(FetchRequest<Quake>())
            #if TWIN
            print(quakes.count)
            #else
            self.quakes = quakes
            #endif
        }
    }
}
