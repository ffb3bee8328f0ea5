// A notification carries an object of the main actor to the queue of an observer.
// stops: was used outside of

import Duramen
import Foundation

@MainActor private func notify(_ world: World) throws {
    let quake = try world.container.viewContext.anyQuake()
    let queue = OperationQueue()
    let token = NotificationCenter.default.addObserver(
        forName: Notification.Name("gap"), object: nil, queue: queue
    ) { notification in
        (notification.object as? Quake)?.note = "outside"
    }
    NotificationCenter.default.post(name: Notification.Name("gap"), object: quake)
    queue.waitUntilAllOperationsAreFinished()
    print(token)
}

func gapNotificationObserver(_ world: World) async throws { try await notify(world) }
