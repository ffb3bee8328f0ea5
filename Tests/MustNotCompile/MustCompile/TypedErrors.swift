// What a closure throws is what `perform` throws: nothing, a type that is spelled, or any error.

import Duramen

enum ImportFailure: Error { case empty }

func importQuakes(_ background: BackgroundContext) async {
    let count = await background.perform { context in context.insertedObjects.count }
    do throws(ImportFailure) {
        try await background.perform { context throws(ImportFailure) in
            if context.insertedObjects.isEmpty { throw .empty }
        }
    } catch {
        switch error {
        case .empty: print("nothing to import", count)
        }
    }
    do {
        try background.performAndWait { context in try context.save() }
    } catch {
        print(error)
    }
}
