// The claim to be Sendable does not let an object out.
// expected: conformance of 'ManagedObject' to 'Sendable' is unavailable: .*pass the objectID
// both warn: conformance of '\w+' to protocol 'Sendable' is already unavailable

import Duramen

private final class Foreshock: ManagedObject, @unchecked Sendable {}

func uncheckedSendableSubclassStaysConfined(_ background: BackgroundContext) async {
    _ = await background.perform { context in
        #if TWIN
        return Foreshock(context: context).objectID
        #else
        return Foreshock(context: context)
        #endif
    }
}
