// Perform in a loop accumulating values in an outer var.

import Duramen

private func f(_ b: BackgroundContext) async throws -> [String] {
    var all: [String] = [];
    for i in 0..<3 {
        all += try await b.perform {
            try $0.fetch(FetchRequest<Quake>().offset(i).limit(1)).map(\.code)
        }
    }; return all
}
