import DuramenModel
import DuramenQuery
import Foundation
import Testing

/// What Foundation says of objects, and what ours says of their rows.
@Suite struct AgreementTests {
    private struct World {
        var rows = Objects()
        var quakes: [Sighting.Quake] = []
    }

    private func world(_ random: inout SeededGenerator) throws -> World {
        var world = World()
        var regions: [Sighting.Region] = []
        var tags: [Sighting.Tag] = []
        for key in 1...3 {
            let name = ["a", "b", "ab"][key - 1]
            regions.append(
                Sighting.Region(world.rows.add("Region", Int64(key), ["name": name.storedValue])))
            tags.append(Sighting.Tag(world.rows.add("Tag", Int64(key), ["name": name.storedValue])))
            regions[key - 1].name = name
            tags[key - 1].name = name
        }
        for key in 1...12 {
            let region = Bool.random(using: &random) ? regions.randomElement(using: &random) : nil
            let note =
                Bool.random(using: &random)
                ? ["", "a", "ab", "b"].randomElement(using: &random) : nil
            let code = ["", "a", "b", "ab", "abc"].randomElement(using: &random) ?? ""
            let reports = Int.random(in: -3...6, using: &random)
            let isFelt = Bool.random(using: &random)
            let depth: Float? = Bool.random(using: &random) ? Float(reports) / 2 : nil
            let id = world.rows.add(
                "Quake", Int64(key),
                [
                    "code": code.storedValue, "note": note?.storedValue ?? .null,
                    "reports": reports.storedValue, "isFelt": isFelt.storedValue,
                    "depth": depth?.storedValue ?? .null, "magnitude": Double(reports).storedValue,
                    "region": region?.queryObjectID.storedValue ?? .null,
                ].filter { !$0.value.isNull })
            let quake = Sighting.Quake(id, origin: regions[0])
            (quake.code, quake.note, quake.reports, quake.isFelt) = (code, note, reports, isFelt)
            (quake.depth, quake.magnitude, quake.region) = (depth, Double(reports), region)
            quake.tags.elements = tags.filter { _ in Bool.random(using: &random) }
            world.rows.link(id, "tags", quake.tags.map(\.queryObjectID))
            region?.quakes.elements.append(quake)
            world.quakes.append(quake)
        }
        for region in regions {
            world.rows.link(region.queryObjectID, "quakes", region.quakes.map(\.queryObjectID))
        }
        for tag in tags {
            tag.quakes.elements = world.quakes.filter { $0.tags.contains(tag) }
            world.rows.link(tag.queryObjectID, "quakes", tag.quakes.map(\.queryObjectID))
        }
        return world
    }

    private var predicates: [SightingPredicate] {
        let (words, optionals, none): ([String], [String?], String?) = (
            ["a", "b"], ["a", nil], nil
        )
        return [
            #Predicate { $0.reports / 2 == 1 || $0.reports % 2 == -1 || -$0.reports > 2 },
            #Predicate { $0.reports * 2 + 1 > 4 - $0.reports },
            #Predicate { $0.magnitude / 2 > 0.7 },
            #Predicate { $0.note != "a" },
            #Predicate { $0.note == none },
            #Predicate { !($0.note?.contains("a") == true) },
            #Predicate { $0.note?.contains("a") != false },
            #Predicate { $0.note?.contains("b") ?? true },
            #Predicate { $0.note?.isEmpty ?? $0.isFelt },
            #Predicate { ($0.note ?? $0.code) == "a" },
            #Predicate { $0.note.flatMap { $0 != "a" } == true },
            #Predicate { $0.note?.count == 2 },
            #Predicate { $0.region?.name == $0.note },
            #Predicate { $0.region?.quakes.count == 0 || $0.region?.quakes.count == nil },
            #Predicate { $0.region?.quakes.count != 3 },
            #Predicate { ($0.region?.quakes.count ?? 2) > 1 },
            #Predicate { $0.region?.quakes.allSatisfy { $0.isFelt } == true },
            #Predicate { $0.region?.quakes.contains { $0.isFelt } == true },
            #Predicate { $0.region?.quakes.contains { $0.isFelt } != true },
            #Predicate { quake in quake.tags.contains { $0.name == quake.code } },
            #Predicate { quake in quake.tags.allSatisfy { $0.name != quake.code } },
            #Predicate { quake in
                quake.tags.contains { tag in
                    tag.quakes.contains { $0.code == tag.name && $0 != quake }
                }
            },
            #Predicate { $0.tags.filter { $0.name.contains("a") }.count > 1 },
            #Predicate { $0.tags.filter { $0.name == "a" }.contains { $0.quakes.count > 4 } },
            #Predicate { $0.tags.isEmpty || $0.tags.count == 3 },
            #Predicate { optionals.contains($0.note) },
            #Predicate { quake in words.allSatisfy { quake.code.contains($0) } },
            #Predicate { quake in
                words.contains { word in quake.note.flatMap { $0.starts(with: word) } == true }
            },
            #Predicate { (0..<3).contains($0.reports) != $0.isFelt },
            #Predicate { (-1...3).contains($0.reports) == ($0.code == "a") },
            #Predicate { $0.isFelt ? $0.reports > 1 : $0.note == nil },
            #Predicate { ($0.reports > 1 ? $0.code : "a") == "a" },
            #Predicate { if let depth = $0.depth { depth > 0 } else { true } },
            #Predicate { quake in
                if let region = quake.region, let note = quake.note {
                    region.name == note
                } else {
                    false
                }
            },
            #Predicate { $0.code.isEmpty || $0.code.count > 2 || $0.code == "ab" },
        ]
    }

    @Test func rowsSatisfyWhatObjectsSatisfy() throws {
        let seed =
            ProcessInfo.processInfo.environment["DURAMEN_SEED"].flatMap(UInt64.init)
            ?? UInt64.random(in: 0 ... .max)
        print("AgreementTests seed: \(seed) (repeat with DURAMEN_SEED)")
        var random = SeededGenerator(state: seed)
        var answers = [Set<Bool>](repeating: [], count: predicates.count)
        // Some worlds are always the same, so that whether each predicate was asked in earnest is
        // no luck.
        var fixed = SeededGenerator(state: 7)
        for round in 0..<12 {
            let world = round < 6 ? try world(&fixed) : try world(&random)
            // They refer to each other.
            defer { for quake in world.quakes { quake.leave() } }
            for (index, predicate) in predicates.enumerated() {
                let ours = try converted(predicate)
                for quake in world.quakes {
                    let expected = try predicate.evaluate(quake)
                    let found = try world.rows.holds(ours, quake.queryObjectID)
                    #expect(found == expected, "seed \(seed), predicate \(index): \(ours)")
                    answers[index].insert(found)
                }
            }
        }
        for (index, found) in answers.enumerated() {
            #expect(found.count == 2, "seed \(seed): predicate \(index) is never both")
        }
    }
}
