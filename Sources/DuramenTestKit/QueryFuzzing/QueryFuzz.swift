import DuramenModel
import DuramenQuery
import DuramenStore

/// Asks several stores with equal objects random questions, and compares their answers with each
/// other and with the plain evaluation.
package struct QueryFuzz {
    /// A question for which the answers differ.
    package struct Disagreement: Error, CustomStringConvertible {
        /// The seed, the question as a format string, and the answers.
        package let description: String
    }

    /// The number of objects in the world.
    package var objectCount: Int { world.contents.records.count }

    private let world: FuzzWorld
    private let evaluation: PlainEvaluation
    private let seed: UInt64

    /// Creates the world of a seed: a model and objects, in each store.
    package init(seed: UInt64, _ fixtures: [(name: String, fixture: StoreFixture)]) throws {
        self.seed = seed
        world = try FuzzWorld(seed: seed, fixtures)
        evaluation = PlainEvaluation(contents: world.contents, model: world.model.model)
    }

    /// Asks a number of questions.
    ///
    /// - Parameters:
    ///   - questions: The number of questions.
    ///   - coverage: Receives the counts of the questions.
    ///   - found: Receives each question with different answers, after it was simplified.
    package func run(
        questions: Int, _ coverage: inout FuzzCoverage,
        found: (Disagreement) throws -> Void
    ) rethrows {
        coverage.note(world)
        for number in 0..<questions {
            let question = question(number)
            coverage.note(question)
            if let problem = problem(
                question, isThorough: number.isMultiple(of: 2), &coverage)
            {
                let simplest = simplest(question, problem)
                try found(
                    Disagreement(description: "seed \(seed), question \(number): \(simplest)"))
            }
        }
    }

    /// Asks a number of questions, and throws the first disagreement.
    package func run(questions: Int) throws -> FuzzCoverage {
        var coverage = FuzzCoverage()
        try run(questions: questions, &coverage) { throw $0 }
        return coverage
    }

    private func question(_ number: Int) -> FuzzQuestion {
        var random = SplitMix64(seed: seed, case: number + 1)
        let entity = world.places[0].driver.entity(random.pick(world.model.entities))
        var generator = FuzzGenerator(
            world.model.model, objects: world.places[0].objects, random)
        return generator.question(entity)
    }

    // MARK: - Comparing

    /// Returns a description of the disagreement; nil if all answers agree.
    ///
    /// - Parameters:
    ///   - question: The question.
    ///   - isThorough: Whether to print and parse the predicates too, and to bind the answers,
    ///     which takes a sixth of the time.
    ///   - coverage: Receives the counts of the question.
    private func problem(
        _ question: FuzzQuestion, isThorough: Bool, _ coverage: inout FuzzCoverage
    ) -> String? {
        if isThorough {
            for predicate in question.predicates {
                if let problem = printing(predicate) { return problem }
            }
        }
        let first: FuzzAnswer
        do {
            first = try answer(question, at: world.places[0])
        } catch {
            guard let refusal = refusal(of: question) else {
                return "\(world.places[0].name) throws \(error), and nothing is wrong with it"
            }
            coverage.refused += 1
            return unrefused(question, refusal)
        }
        if isThorough, let refusal = refusal(of: question) {
            return "\(world.places[0].name) gives \(first) for what is refused: \(refusal)"
        }
        let expected = expectation(question)
        if expected.isDiscerning(among: world.contents.records.count) { coverage.discerning += 1 }
        for place in world.places {
            do {
                let found =
                    place.name == world.places[0].name ? first : try answer(question, at: place)
                if found != expected {
                    return "\(place.name) gives \(found), the evaluation \(expected)"
                }
            } catch {
                return "\(place.name) throws \(error), the evaluation gives \(expected)"
            }
        }
        return nil
    }

    /// A store that answers an invalid question.
    private func unrefused(_ question: FuzzQuestion, _ refusal: FetchPredicateError) -> String? {
        for place in world.places {
            if let answer = try? answer(question, at: place) {
                return "\(place.name) gives \(answer) for what is refused: \(refusal)"
            }
        }
        return nil
    }

    private func refusal(of question: FuzzQuestion) -> FetchPredicateError? {
        let model = world.model.model
        let entity = model[question.entity]
        do throws(FetchPredicateError) {
            switch question {
            case .objects(let query, _):
                _ = try query.predicate?.bound(to: entity, in: model)
                _ = try query.sortDescriptors.bound(to: entity, in: model)
            case .results(let query): _ = try query.bound(to: entity, in: model)
            }
            return nil
        } catch {
            return error
        }
    }

    private func expectation(_ question: FuzzQuestion) -> FuzzAnswer {
        switch question {
        case .objects(let query, let form):
            let ids = evaluation.results(of: query)
            switch form {
            case .objectIDs: return .objects(ids)
            case .count: return .count(ids.count)
            case .rows:
                return .rows(
                    ids.map { id in
                        FuzzRow(
                            id: id, values: world.contents.records[id]?.values ?? [:],
                            slots: query.slots, model: world.model.model)
                    })
            }
        case .results(let query): return .results(evaluation.results(of: query))
        }
    }

    private func answer(_ question: FuzzQuestion, at place: FuzzWorld.Place) throws -> FuzzAnswer {
        let store = place.driver.store
        switch question {
        case .objects(let query, let form):
            let execution = try QueryExecution(
                query.withIDs(place.fromFirst), on: store, in: place.snapshot)
            switch form {
            case .objectIDs:
                return .objects(try execution.objectIDs().map { place.toFirst[$0] ?? $0 })
            case .count: return .count(try execution.count())
            case .rows:
                return .rows(
                    try execution.rows().map { row in
                        let values = RowCoding.values(
                            of: row, in: store.model, store: store.handle)
                        let id = row.objectID(in: store.model, store: store.handle)
                        return FuzzRow(
                            id: place.toFirst[id] ?? id,
                            values: values.mapValues { $0.withIDs(place.toFirst) },
                            slots: query.slots, model: store.model)
                    })
            }
        case .results(let query):
            let execution = try ResultExecution(
                query.withIDs(place.fromFirst), on: store, in: place.snapshot)
            return .results(
                try execution.results().map { $0.map { $0.withIDs(place.toFirst) } })
        }
    }

    private func printing(_ predicate: FetchPredicate) -> String? {
        let text = predicate.description
        do throws(PredicateFormatError) {
            let read = try FetchPredicate(text).description
            return read == text ? nil : "\(text) is read as \(read)"
        } catch {
            return "\(text) is not read: \(error)"
        }
    }

    // MARK: - Simplifying

    /// The question, simplified as long as the answers disagree.
    private func simplest(_ question: FuzzQuestion, _ problem: String) -> String {
        var (question, problem) = (question, problem)
        var coverage = FuzzCoverage()
        var isSmaller = true
        while isSmaller {
            isSmaller = false
            for candidate in FuzzSimplifying.simpler(question) {
                if let found = self.problem(candidate, isThorough: true, &coverage) {
                    (question, problem) = (candidate, found)
                    isSmaller = true
                    break
                }
            }
        }
        return "\(world.model.model[question.entity].name): \(question): \(problem)"
    }
}
