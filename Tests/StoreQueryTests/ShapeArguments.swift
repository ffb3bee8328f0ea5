import DuramenModel
import DuramenQuery
import Foundation

/// What may stand for the placeholders of a format string whose arguments nobody knows.
struct ShapeArguments {
    enum Kind: CaseIterable {
        case text, number, object, texts, numbers, date, flag, objects
    }

    private let placeholders: [Substring]

    init(_ format: String) {
        placeholders = format.matches(of: /%(@|K|[hlq]*[a-zA-Z])/).map(\.output.0)
    }

    /// Every combination of a few kinds, as long as they are not too many.
    var candidates: [[Kind]] {
        let open = placeholders.count { $0 == "%@" }
        var combinations: [[Kind]] = [[]]
        for place in 0..<open {
            combinations = combinations.flatMap { combination in
                // The later ones repeat the kinds of the first.
                place < 3
                    ? Kind.allCases.map { combination + [$0] }
                    : [combination + [combination[place % 3]]]
            }
        }
        return combinations
    }

    /// An argument for each placeholder.
    func arguments(_ kinds: [Kind], _ id: ManagedObjectID) -> [any PredicateArgument] {
        var names = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"][...]
        var kinds = kinds[...]
        return placeholders.map { placeholder -> any PredicateArgument in
            switch placeholder.last {
            case "K": return names.popFirst() ?? "eta"
            case "@": return argument(kinds.popFirst() ?? .text, id)
            case "f", "a", "g", "e", "F", "A": return 1.5
            case "s": return "b"
            default: return 1
            }
        }
    }

    private func argument(_ kind: Kind, _ id: ManagedObjectID) -> any PredicateArgument {
        switch kind {
        case .text: "b"
        case .number: 2
        case .object: id
        case .texts: ["a", "b"]
        case .numbers: [1, 3]
        case .date: Date(timeIntervalSinceReferenceDate: 2)
        case .flag: true
        case .objects: [id]
        }
    }
}
