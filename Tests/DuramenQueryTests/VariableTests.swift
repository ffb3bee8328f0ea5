import DuramenModel
import DuramenQuery
import Testing

@Suite struct VariableTests {
    private func error(
        _ predicate: FetchPredicate, _ values: [String: any PredicateArgument] = [:]
    ) -> PredicateFormatError? {
        do throws(PredicateFormatError) {
            _ = try predicate.withSubstitutionVariables(values)
            return nil
        } catch {
            return error
        }
    }

    @Test func variablesAreNamedInTheOrderOfTheirFirstPlaces() throws {
        let predicate = try FetchPredicate(
            "TERNARY($a > 1, $b, $c) == $d AND ANY tags.name == $a")
        #expect(predicate.substitutionVariables == ["a", "b", "c", "d"])
    }

    @Test func whatIsAssignedInAConditionIsKnownInItsBranches() throws {
        let predicate = try FetchPredicate("TERNARY(($v := 2) > 1, $v, 0) == $v")
        #expect(predicate.substitutionVariables.isEmpty)
        #expect(try predicate.evaluate(with: .null))
    }

    @Test func anAssignedVariableKeepsItsMeaningToTheRight() throws {
        let predicate = try FetchPredicate("$v == 1 AND ($v := 2) == 2 AND $v == 2")
        #expect(predicate.substitutionVariables == ["v"])
        let filled = try predicate.withSubstitutionVariables(["v": 1])
        #expect(try filled == FetchPredicate("1 == 1 AND ($v := 2) == 2 AND $v == 2"))
        #expect(try predicate.evaluate(with: .null, variables: ["v": 1]))
    }

    @Test func aVariableOfASubqueryIsNoneOutsideOfIt() throws {
        let predicate = try FetchPredicate("SUBQUERY(tags, $x, $x.name == $n).@count > $x")
        #expect(predicate.substitutionVariables == ["n", "x"])
        #expect(
            try predicate.withSubstitutionVariables(["n": "a", "x": 3])
                == FetchPredicate("SUBQUERY(tags, $x, $x.name == 'a').@count > 3"))
    }

    @Test func aMissingVariableIsShownWhereItStandsAndNoValueIs() throws {
        let error = try #require(
            error(try FetchPredicate("code == 'secret' AND a > $x2 AND b > $x"), ["x2": 1]))
        #expect(error.code == .missingVariable)
        #expect(error.format == "code == ? AND a > $x2 AND b > $x")
        #expect(error.offset == 30)
        #expect(!error.description.contains("secret"))
    }

    @Test func valuesThatAreTooDeepAreRefused() throws {
        var deep = FetchExpression.keyPath(["magnitude"])
        for _ in 0..<200 { deep = .function(.negate, [deep]) }
        let predicate = try FetchPredicate("$x == 1")
        #expect(error(predicate, ["x": deep])?.code == .tooComplex)
        #expect(throws: PredicateFormatError.self) {
            try predicate.evaluate(with: .null, variables: ["x": deep])
        }
    }

    @Test func wrongPatternsAreFoundWhereverTheyStand() throws {
        for format in [
            "SELF MATCHES '('", "NOT SELF MATCHES '('",
            "SUBQUERY(SELF, $x, $x MATCHES '(').@count == 0",
            "TERNARY(SELF MATCHES '(', 1, 2) == 2",
        ] {
            let predicate = try FetchPredicate(format)
            #expect(throws: FetchPredicateError.self, "\(format)") {
                try predicate.evaluate(with: .value(.text("a")))
            }
        }
        let value = try FetchExpression(format: "TERNARY(SELF MATCHES '(', 1, 2)")
        #expect(throws: FetchPredicateError.self) { try value.value(with: .value(.text("a"))) }
    }
}
