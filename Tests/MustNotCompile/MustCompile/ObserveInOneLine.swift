// Observer in background single expression.

import Duramen

private func f(_ b: BackgroundContext) async { await b.perform { $0.observe { e, _ in print(e) } } }
