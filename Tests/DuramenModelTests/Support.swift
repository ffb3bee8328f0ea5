import DuramenModel

/// A generator whose seed a failing test prints, so that it can be run again.
struct SeededRandom: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    init(seed: UInt64 = .random(in: 0 ... .max)) {
        self.seed = seed
        state = seed
    }

    // SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

/// Where a mistake is and of which kind it is, without its words.
struct Finding: Hashable {
    var code: ModelError.Code
    var entity: String
    var property: String?

    init(_ code: ModelError.Code, _ entity: String, _ property: String? = nil) {
        self.code = code
        self.entity = entity
        self.property = property
    }
}

/// What is wrong with a model, in the order of the error; empty when it is right.
func findings(_ descriptions: [EntityDescription]) -> [Finding] {
    do {
        _ = try ManagedObjectModel(descriptions)
        return []
    } catch {
        return error.mistakes.map { Finding($0.code, $0.entity, $0.property) }
    }
}

/// What is wrong with one entity that has an attribute.
func findings(_ attribute: AttributeDescription) -> [Finding] {
    findings([EntityDescription(name: "Quake", attributes: [attribute])])
}
