// A predicate of more than ten clauses, with operators of every kind in one expression.

import Duramen
import Foundation

func strongQuakes(
    in region: Region, since date: Date, codes: [String], note: String?
) -> FetchRequest<Quake> {
    FetchRequest<Quake>().where {
        $0.magnitude >= 6 && $0.region.name == "Honshu" && $0.region == region
            && $0.note == nil && $0.code.contains("x", [.caseInsensitive, .diacriticInsensitive])
            && !($0.magnitude.isIn(7...8) || $0.magnitude.isIn(9..<9.5)) && $0.code.isIn(codes)
            && $0.region.quakes.any { $0.magnitude > 5 && $0.note != nil }
            && $0.region.quakes.count > 3 && $0.region.quakes.sum(\.magnitude) > 100
            && ($0.magnitude * 2 + 1 > 10 || $0.note.length % 2 == 0)
            && $0.time > date && $0.time > .now - 86_400 && $0.note == note
            && $0.magnitude > .variable("LEAST") && $0.note.replacingNil(with: "") != "x"
    }
}
