// A view-context object is passed to a method of another actor.
// expected: sending '\w+' risks causing data races

import Duramen

@MainActor
func passObjectToActor(_ quake: Quake, _ seismograph: Seismograph) async {
    #if TWIN
    await seismograph.draw(quake.objectID)
    #else
    await seismograph.draw(quake)
    #endif
}
